import type { Codec } from '../../service/describe/codec.js';
import { type Field, ref } from '../../service/describe/define.js';
import type { EventName } from '../../service/event-names.js';
import type { EventData } from '../../service/event-payloads.js';
import { type Actor, system } from './actor.js';
import { type ApiKeyRecord, apiKeysCheck, KeyRing } from './api-keys.js';
import type { Clock } from './clock.js';
import { ClockStore, clockCheck } from './clock-store.js';
import { Collection, type CollectionPlan } from './collection.js';
import { DropCounter, dropped, type Memory, noneDropped } from './dropped.js';
import { type CausedEvent, type EventListener, EventLog, type EventRecord, eventPlan } from './event-log.js';
import { createIds, type Ids, idsCheck } from './ids.js';
import { Mailbox, type Message, type MessageRecord, messageRecord } from './inbox.js';
import type { MadeWorlds } from './made-worlds.js';
import type { Parser } from './parser.js';
import { noteRead, unsteady } from './reads.js';
import type { Objection } from './record-check.js';
import type { CollectionItem } from './selection.js';
import type { Settings } from './settings.js';
import type { Snapshot } from './snapshot.js';
import type { Change, Keeper, SavedStore, SavedWorld, Store } from './store.js';
import { collectionCheck, tableCheck, takeName, valueCheck } from './store-names.js';
import { Table, Value } from './table.js';
import type { WorldUsage } from './usage.js';
import type { View } from './view.js';

/** A place in every world for something of a room, filled on first use: `world.of(organizations)`. */
export interface Slot<T> {
  readonly name: string;
  /** Why nothing in it lasts; undefined for a store. */
  readonly passing: string | undefined;
  readonly make: (world: World) => T;
}

/** What a world has itself is in stores too. */
const own = {
  events: eventPlan.object,
  keys: 'API key',
  messages: 'message',
  dropped: 'dropped',
  ids: 'ids',
  clock: 'clock',
} as const;

takeName(own.events, collectionCheck(eventPlan));
takeName(own.keys, apiKeysCheck);
takeName(own.messages, tableCheck(messageRecord));
takeName(own.dropped, valueCheck(ref(dropped)));
takeName(own.ids, idsCheck);
takeName(own.clock, clockCheck);

const declared = new Map<string, Slot<unknown>>();

function declare<T>(slot: Slot<T>, check?: Parameters<typeof takeName>[1]): Slot<T> {
  takeName(slot.name, check);
  declared.set(slot.name, slot);
  return slot;
}

/** All slots that were declared. */
export const declaredSlots = (): readonly Slot<unknown>[] => [...declared.values()];

/**
 * Declare a slot for what does not last: it is in no saved world, and no change of it is told.
 *
 * @param passing Why it does not last: it is made of what stores hold, say.
 */
export const slot = <T>(name: string, passing: string, make: (world: World) => T): Slot<T> =>
  declare({ name, passing, make });

const storeSlot = <S extends Store>(
  name: string,
  check: Parameters<typeof takeName>[1],
  make: (keeper: Keeper, world: World) => S,
): Slot<S> =>
  declare({ name, passing: undefined, make: (world) => world.keep(name, (keeper) => make(keeper, world)) }, check);

/** Declare a collection in every world. */
export const collection = <T extends CollectionItem>(plan: CollectionPlan<T>): Slot<Collection<T>> =>
  storeSlot(plan.object, collectionCheck(plan), (keeper, world) => new Collection(plan, world.ids, keeper));

/**
 * Declare a table in every world: values by their keys.
 *
 * @param description What a value is, for snapshots that somebody may have changed; `objection` says what it cannot.
 */
export const table = <V extends NonNullable<unknown>>(
  name: string,
  description: Field<V>,
  objection?: Objection<V>,
): Slot<Table<V>> => storeSlot(name, tableCheck(description, objection), (keeper) => new Table<V>(keeper));

/** Declare a single value in every world, with what it is, as for a table. */
export const value = <V>(
  name: string,
  initial: V,
  description: Field<V & NonNullable<unknown>>,
  objection?: Objection<V>,
): Slot<Value<V>> => storeSlot(name, valueCheck(description, objection), (keeper) => new Value(initial, keeper));

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
  /** Put a new world in the place of this one, with another seed from now on where one is given. */
  readonly reset: (seed?: string | object) => Promise<void>;
  /** Everything that the emulator of this world remembers. */
  readonly snapshot: () => Snapshot;
  /** Have the emulator of this world remember what is in a snapshot, and nothing else. */
  readonly restore: (snapshot: Snapshot) => Promise<void>;
  /** The first world of the emulator, beside which this one is; undefined for the first itself. */
  readonly main?: World | undefined;
  /** What is in it from the beginning. */
  readonly saved?: SavedWorld | undefined;
  /** Under which name it was made; undefined for a world that was there from the start. */
  readonly name?: string | undefined;
  readonly usage?: (() => WorldUsage) | undefined;
  /** Where browsers reach it, without a slash at the end, where that is not `url`. */
  readonly pageUrl?: (() => string) | undefined;
  /** Called before it accepts an API key. @throws {Refusal} 409 where another world has it. */
  readonly claimKey?: ((value: string) => void) | undefined;
  /** The worlds that were made in the emulator. */
  readonly worlds?: MadeWorlds | undefined;
  /** Called with each world of these parts before anything happens in it, and with what it begins with. */
  readonly onMade?: ((world: World, saved: SavedWorld | undefined) => void) | undefined;
}

/** Called with every change of a world, after it has happened. */
export type ChangeListener = (change: Change) => void;

/** Everything the emulator remembers. `reset` puts a new one in its place. */
export class World {
  readonly clock: Clock;
  readonly settings: Settings;
  /** The first world of the emulator, beside which this one is; undefined for the first itself. */
  readonly main: World | undefined;
  /** Under which name it was made; undefined for a world that was there from the start. */
  readonly name: string | undefined;
  /** The worlds that were made in the emulator. */
  readonly worlds: MadeWorlds | undefined;
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
  readonly #stores: Map<string, Store>;
  /** What is in the stores that nobody has used yet. */
  readonly #saved: Map<string, SavedStore>;
  readonly #changeListeners: Set<ChangeListener>;
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
    { saved, ...parts }: WorldParts,
    view?: { readonly of: World; readonly actor: Actor; readonly caused: CausedEvent[] | undefined },
  ) {
    const home = view?.of;
    this.caused = view?.caused ?? [];
    this.#parts = parts;
    this.#home = home ?? this;
    this.#actor = view?.actor;
    this.#contents = home ? home.#contents : new Map();
    this.#stores = home ? home.#stores : new Map();
    this.#saved = home ? home.#saved : new Map(Object.entries(saved ?? {}));
    this.#changeListeners = home ? home.#changeListeners : new Set();
    this.#scheduled = home ? home.#scheduled : new Set();
    this.#closing = home ? home.#closing : [];
    this.clock = parts.clock;
    this.settings = parts.settings;
    this.main = parts.main;
    this.name = parts.name;
    this.worlds = parts.worlds;
    this.codec = parts.codec;
    this.parser = parts.parser;
    this.ids = home?.ids ?? this.keep(own.ids, (keeper) => createIds(parts.clock, parts.idSeed, keeper));
    this.dropped =
      home?.dropped ??
      new DropCounter(
        parts.onDrop,
        this.keep(own.dropped, (keeper) => new Value(noneDropped, keeper)),
      );
    this.keys =
      home?.keys ??
      new KeyRing(
        parts.settings.apiKeys,
        idsApart(parts, 'keys'),
        this.keep(own.keys, (keeper) => new Table<ApiKeyRecord>(keeper)),
        { claim: parts.claimKey, world: parts.name },
      );
    this.inbox =
      home?.inbox ??
      new Mailbox(
        () => this.dropped.note('messages'),
        this.keep(own.messages, (keeper) => new Table<MessageRecord>(keeper)),
      );
    // One clock may be that of several worlds: the first of them remembers it.
    if (!home && !parts.main) this.onClose(this.keep(own.clock, (keeper) => new ClockStore(parts.clock, keeper)).close);
    this.events =
      home?.events ??
      new EventLog(
        parts.clock,
        this.keep(own.events, (keeper) => new Collection(eventPlan, this.ids, keeper)),
        parts.settings.clientId,
        () => this.dropped.note('events'),
      );
    if (!home) parts.onMade?.(this, saved);
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

  /** Make a store of this name, with what was saved of it. */
  keep<S extends Store>(name: string, make: (keeper: Keeper) => S): S {
    const listeners = this.#changeListeners;
    const store = make({
      saved: this.#saved.get(name) ?? [],
      tell: (key, value) => {
        for (const listener of listeners) listener({ store: name, key, value });
      },
    });
    this.#stores.set(name, store);
    this.#saved.delete(name);
    return store;
  }

  /** Everything that lasts, as data; it shares the records, which never change. */
  save(): SavedWorld {
    const saved: Record<string, SavedStore> = Object.fromEntries(this.#saved);
    for (const [name, store] of this.#stores) {
      const pairs = store.save();
      if (pairs.length > 0) saved[name] = pairs;
    }
    return saved;
  }

  /** Call a listener with every change from now on, until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** How an application uses it; undefined where none can. */
  get usage(): WorldUsage | undefined {
    return this.#parts.usage?.();
  }

  /** Whether something of this world has this id or token. */
  knows(name: string): boolean {
    for (const unused of [...this.#saved.keys()]) {
      const slot = declared.get(unused);
      if (slot) this.of(slot);
    }
    for (const store of this.#stores.values()) if (store.knows(name)) return true;
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

  /** An address that programs ask: `world.url('/audit_logs/exports/…')`. */
  url(path = ''): string {
    noteRead(unsteady);
    return this.#parts.url() + path;
  }

  /** An address that people open: `world.pageUrl('/portal/launch?token=…')`. */
  pageUrl(path = ''): string {
    noteRead(unsteady);
    const { url, pageUrl = url } = this.#parts;
    return pageUrl() + path;
  }

  /** The same where browsers reach this world at an address of its own. */
  ownAddress(path: string): string | undefined {
    const { url, pageUrl = url } = this.#parts;
    return pageUrl() === url() ? undefined : pageUrl() + path;
  }

  /** Put a new world in the place of this one: the seed again, or another one from now on, and the clock at its start. */
  reset(seed?: string | object): Promise<void> {
    return this.#parts.reset(seed);
  }

  /** Everything that the emulator of this world remembers, that of the environments beside it too. */
  snapshot(): Snapshot {
    return this.#parts.snapshot();
  }

  /** Have the emulator of this world remember what is in a snapshot, and nothing else. @throws {Refusal} 422 `invalid_snapshot`. */
  restore(snapshot: Snapshot): Promise<void> {
    return this.#parts.restore(snapshot);
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
