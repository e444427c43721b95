import type { Codec } from '../../service/describe/codec.js';
import type { EventName } from '../../service/event-names.js';
import type { EventData } from '../../service/event-payloads.js';
import { type Actor, system } from './actor.js';
import { KeyRing } from './api-keys.js';
import type { Clock } from './clock.js';
import { Collection, type CollectionPlan } from './collection.js';
import { DropCounter, type Memory } from './dropped.js';
import { type CausedEvent, type EventListener, EventLog, type EventRecord } from './event-log.js';
import { createIds, type Ids } from './ids.js';
import { Mailbox, type Message } from './inbox.js';
import type { Parser } from './parser.js';
import { noteRead, unsteady } from './reads.js';
import type { CollectionItem } from './selection.js';
import type { Settings } from './settings.js';
import type { View } from './view.js';

/** A place in every world for something of a room, filled on first use: `world.of(organizations)`. */
export interface Slot<T> {
  readonly make: (world: World) => T;
}

/** Declare a slot: a queue or a table of a room's own in every world. */
export const slot = <T>(make: (world: World) => T): Slot<T> => ({ make });

/** Declare a collection in every world. */
export const collection = <T extends CollectionItem>(plan: CollectionPlan<T>): Slot<Collection<T>> =>
  slot((world) => new Collection(plan, world.ids));

/** What a world is made of. */
export interface WorldParts {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly idSeed: string | number | undefined;
  readonly codec: Codec;
  readonly parser: Parser;
  /** Where the emulator is reached, without a slash at the end. */
  readonly url: () => string;
  /** Called with faults in what runs by the clock. */
  readonly onFault: (error: unknown) => void;
  /** Called for everything that is forgotten because more came than is remembered. */
  readonly onDrop: (what: Memory) => void;
  /** Put a new world in the place of this one. */
  readonly reset: () => Promise<void>;
  /** The first world of the emulator, beside which this one is; undefined for the first itself. */
  readonly main?: World | undefined;
}

/** Everything the emulator remembers. `reset` puts a new one in its place. */
export class World {
  readonly clock: Clock;
  readonly settings: Settings;
  /** The first world of the emulator, beside which this one is; undefined for the first itself. */
  readonly main: World | undefined;
  /** Writes answers under the emulator's dialect. */
  readonly codec: Codec;
  /** Reads requests by their descriptions. */
  readonly parser: Parser;
  readonly ids: Ids;
  readonly keys: KeyRing;
  readonly inbox: Mailbox;
  readonly events: EventLog;
  /** How much of what is remembered to be looked at has been forgotten. */
  readonly dropped: DropCounter;
  readonly #parts: WorldParts;
  readonly #contents: Map<Slot<unknown>, unknown>;
  readonly #scheduled: Set<() => void>;
  readonly #closing: (() => void)[];
  /** The world of which this is a view; itself where it is none. */
  readonly #home: World;
  /** Whose doing it is what happens through a view. */
  readonly #actor: Actor | undefined;
  /** The events that were emitted through this view, and through what was made of it. */
  readonly caused: CausedEvent[];
  /** Through which view something happens just now: what goes along when something is deleted is the doing of whoever deletes it. */
  #acting: World | undefined;

  constructor(
    parts: WorldParts,
    view?: { readonly of: World; readonly actor: Actor; readonly caused: CausedEvent[] | undefined },
  ) {
    const home = view?.of;
    this.caused = view?.caused ?? [];
    this.#parts = parts;
    this.#home = home ?? this;
    this.#actor = view?.actor;
    this.#contents = home ? home.#contents : new Map();
    this.#scheduled = home ? home.#scheduled : new Set();
    this.#closing = home ? home.#closing : [];
    this.clock = parts.clock;
    this.settings = parts.settings;
    this.main = parts.main;
    this.codec = parts.codec;
    this.parser = parts.parser;
    this.ids = home?.ids ?? createIds(parts.clock, parts.idSeed);
    this.dropped = home?.dropped ?? new DropCounter(parts.onDrop);
    this.keys = home?.keys ?? new KeyRing(parts.settings.apiKeys, idsApart(parts, 'keys'));
    this.inbox = home?.inbox ?? new Mailbox(() => this.dropped.note('messages'));
    this.events =
      home?.events ?? new EventLog(parts.clock, this.ids, parts.settings.clientId, () => this.dropped.note('events'));
  }

  /** The same world, in which whatever happens is this actor's doing. */
  by(actor: Actor): World {
    return new World(this.#parts, { of: this.#home, actor, caused: this.#actor && this.caused });
  }

  /** What a slot holds in this world. */
  of<T>(slot: Slot<T>): T {
    if (this.#actor) this.#home.#acting = this;
    // The map holds under each declaration what that declaration made.
    let own = this.#contents.get(slot) as T | undefined;
    if (own === undefined) {
      own = slot.make(this.#home);
      this.#contents.set(slot, own);
    }
    return own;
  }

  /** Whether something of this world has this id or token. */
  knows(name: string): boolean {
    for (const content of this.#contents.values())
      if ((content instanceof Collection && content.knows(name)) || (content instanceof Map && content.has(name)))
        return true;
    return false;
  }

  /** The time, as timestamps are written. */
  get now(): string {
    noteRead(unsteady);
    return this.clock.iso();
  }

  /** A timestamp so many milliseconds from now. */
  fromNow(ms: number): string {
    noteRead(unsteady);
    return new Date(this.clock.now() + ms).toISOString();
  }

  /** Whether a timestamp has been reached. */
  isPast(timestamp: string): boolean {
    noteRead(unsteady);
    return Date.parse(timestamp) <= this.clock.now();
  }

  /** An address of the emulator: `world.url('/portal/launch?token=…')`. */
  url(path = ''): string {
    noteRead(unsteady);
    return this.#parts.url() + path;
  }

  /** Put a new world in the place of this one: the seed again, and the clock at its start. */
  reset(): Promise<void> {
    return this.#parts.reset();
  }

  /** Emit an event: record it and call the listeners. `data` is in callers' names. */
  emit<Name extends EventName>(event: Name, data: View<EventData[Name]>): EventRecord {
    const view = this.#actor ? this : (this.#home.#acting ?? this.#home);
    const record = this.events.emit(event, data, view.#actor ?? system);
    if (view.#actor) view.caused.push({ id: record.id, event });
    return record;
  }

  /** Call a listener with every event of this world. */
  onEvent(listener: EventListener): () => void {
    return this.events.listen(listener);
  }

  /** Put a message into the inbox. */
  mail(message: Omit<Message, 'sentAt'>): void {
    this.inbox.deliver({ ...message, sentAt: this.now });
  }

  /** Schedule a task by the clock, as long as this world exists. The returned function cancels it. */
  schedule(atMs: number, task: () => unknown): () => void {
    const cancel = this.clock.schedule(atMs, async () => {
      this.#scheduled.delete(cancel);
      try {
        await task();
      } catch (error) {
        this.#parts.onFault(error);
      }
    });
    this.#scheduled.add(cancel);
    return () => {
      this.#scheduled.delete(cancel);
      cancel();
    };
  }

  /** Register a task for the end of this world. */
  onClose(task: () => void): void {
    this.#closing.push(task);
  }

  /** End what this world has scheduled and what is under way. */
  close(): void {
    for (const cancel of this.#scheduled) cancel();
    this.#scheduled.clear();
    for (const task of this.#closing.splice(0)) task();
    this.inbox.close();
  }
}

/** Ids that do not change those of objects. */
const idsApart = ({ clock, idSeed }: WorldParts, of: string): Ids =>
  createIds(clock, idSeed === undefined ? undefined : `${of} ${idSeed}`);
