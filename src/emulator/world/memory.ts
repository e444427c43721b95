import type { Field } from '../../service/describe/define.js';
import type { EventName } from '../../service/events/names.js';
import type { EventData } from '../../service/events/payloads.js';
import { Collection, type CollectionPlan, type FieldValue, referencesOf } from '../store/collection.js';
import type { Parser } from '../store/parser.js';
import type { Objection } from '../store/record-check.js';
import type { CollectionItem } from '../store/selection.js';
import type { Change, Keeper, SavedStore, SavedWorld, Store } from '../store/store.js';
import { collectionCheck, registerName, tableCheck, valueCheck } from '../store/store-names.js';
import { Table, Value } from '../store/table.js';
import type { View } from '../store/view.js';
import { type Actor, system } from './actor.js';
import { type ApiKeyRecord, KeyRing } from './api-keys.js';
import { builtIn } from './built-in.js';
import type { Clock } from './clock.js';
import { ClockStore } from './clock-store.js';
import { DropCounter, type DroppedKind, noneDropped } from './dropped.js';
import { type CausedEvent, type EventListener, EventLog, type EventRecord, eventPlan } from './event-log.js';
import { createIds, type Ids } from './ids.js';
import { Mailbox, type Message, type MessageRecord } from './inbox.js';
import type { Settings } from './settings.js';

/** A part of every world, created on first use: `world.of(organizations)`. */
export interface Slot<T> {
  readonly name: string;
  /** Why it is not saved; undefined for a store. */
  readonly unsavedReason: string | undefined;
  /** Field of its records with a token that requests send without naming their world: a link, or the id of a session. */
  readonly publicToken?: string | undefined;
  /** Names of collections by the fields of its records that hold ids of their objects. */
  readonly references?: Readonly<Record<string, string>> | undefined;
  readonly make: (memory: Memory, shared: SharedMemory) => T;
}

/** All slots, by name. */
export const declaredSlots = new Map<string, Slot<unknown>>();

function declare<T>(slot: Slot<T>, check?: Parameters<typeof registerName>[1]): Slot<T> {
  registerName(slot.name, check);
  declaredSlots.set(slot.name, slot);
  if (slot.publicToken) publicTokens.set(slot.name, slot.publicToken);
  return slot;
}

/** Collections whose objects belong to those of a collection, by the name of that collection. The last declared is first. */
const dependents = new Map<string, { readonly slot: Slot<Collection<CollectionItem>>; readonly field: string }[]>();

/** Names of the stores whose records have a public token, with the field; `id` for the key. */
export const publicTokens = new Map<string, string>();

/** Declare a slot that is not saved and does not report changes, for example because it is derived from stores. */
export const slot = <T>(name: string, unsavedReason: string, make: (memory: Memory) => T): Slot<T> =>
  declare({ name, unsavedReason, make });

const storeSlot = <S extends Store>(
  name: string,
  check: Parameters<typeof registerName>[1],
  make: (keeper: Keeper, memory: Memory) => S,
  fields: Pick<Slot<S>, 'publicToken' | 'references'> = {},
): Slot<S> =>
  declare(
    {
      ...fields,
      name,
      unsavedReason: undefined,
      make: (memory, shared) => shared.keep(name, (keeper) => make(keeper, memory)),
    },
    check,
  );

/** Declare a collection in every world. */
export function collection<T extends CollectionItem>(plan: CollectionPlan<T>): Slot<Collection<T>> {
  const slot = storeSlot(
    plan.object,
    collectionCheck(plan),
    (keeper, memory) => new Collection(plan, memory.ids, keeper),
    { publicToken: plan.publicToken, references: referencesOf(plan) },
  );
  for (const [field, parent] of Object.entries(plan.belongsTo ?? {}) as [string, string][])
    dependents.set(parent, [{ slot: slot as never, field }, ...(dependents.get(parent) ?? [])]);
  return slot;
}

/**
 * Declare a table in every world.
 *
 * @param description Description of a value, to check snapshots and state files against. `objection` checks what it cannot express.
 * @param publicToken `id` if requests send the keys without naming their world.
 */
export const table = <V extends NonNullable<unknown>>(
  name: string,
  description: Field<V>,
  objection?: Objection<V>,
  publicToken?: 'id',
): Slot<Table<V>> =>
  storeSlot(name, tableCheck(description, objection), (keeper) => new Table<V>(keeper), { publicToken });

/** Declare a single value in every world, with a description as for a table. */
export const value = <V>(
  name: string,
  initial: V,
  description: Field<V & NonNullable<unknown>>,
  objection?: Objection<V>,
): Slot<Value<V>> => storeSlot(name, valueCheck(description, objection), (keeper) => new Value(initial, keeper));

/** Dependencies and initial contents of a memory. */
export interface MemoryParts {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly idSeed: string | number | undefined;
  readonly parser: Parser;
  /** The emulator's address, without a trailing slash. */
  readonly url: () => string;
  /** Called with errors of scheduled tasks. */
  readonly onFault: (error: unknown) => void;
  /** Called for every record that is dropped because a limit was reached. */
  readonly onDrop: (what: DroppedKind) => void;
  /** The memory of the first world of the set; undefined if this is the first. Only the first saves the clock. */
  readonly main?: Memory | undefined;
  /** Its initial contents. */
  readonly saved?: SavedWorld | undefined;
  /** Name of a world created in a running emulator; undefined for staging and production. */
  readonly name?: string | undefined;
  /** Address for browsers, without a trailing slash, if it differs from `url`. */
  readonly pageUrl?: (() => string) | undefined;
  /** Called before it accepts an API key. @throws {EmulatorRefusal} 409 if another world has it. */
  readonly claimKey?: ((value: string) => void) | undefined;
}

/** What a memory and its views share. */
class SharedMemory {
  readonly parts: Omit<MemoryParts, 'saved'>;
  readonly ids: Ids;
  readonly keys: KeyRing;
  readonly inbox: Mailbox;
  readonly events: EventLog;
  readonly dropped: DropCounter;
  readonly contents = new Map<Slot<unknown>, unknown>();
  readonly stores = new Map<string, Store>();
  /** Saved contents of stores that are not in use yet. */
  readonly saved: Map<string, SavedStore>;
  readonly changeListeners = new Set<(change: Change) => void>();
  readonly deletions = new Map<Slot<unknown>, ((record: never, memory: Memory) => void)[]>();
  readonly scheduled = new Set<() => void>();
  readonly closing: (() => void)[] = [];

  constructor({ saved = {}, ...parts }: MemoryParts) {
    const { clock, idSeed, settings } = parts;
    this.parts = parts;
    this.saved = new Map(Object.entries(saved));
    this.ids = this.keep(builtIn.ids, (keeper) => createIds(clock, idSeed, keeper));
    this.dropped = new DropCounter(
      parts.onDrop,
      this.keep(builtIn.dropped, (keeper) => new Value(noneDropped, keeper)),
    );
    this.keys = new KeyRing(
      settings.apiKeys,
      // A separate generator, so that keys do not affect the ids of objects.
      createIds(clock, idSeed === undefined ? undefined : `keys ${idSeed}`),
      this.keep(builtIn.keys, (keeper) => new Table<ApiKeyRecord>(keeper)),
      { claim: parts.claimKey, world: parts.name },
    );
    this.inbox = new Mailbox(
      () => this.dropped.note('messages'),
      this.keep(builtIn.messages, (keeper) => new Table<MessageRecord>(keeper)),
    );
    // Worlds may share a clock; only the first one saves it.
    if (!parts.main) this.closing.push(this.keep(builtIn.clock, (keeper) => new ClockStore(clock, keeper)).close);
    this.events = new EventLog(
      clock,
      this.keep(builtIn.events, (keeper) => new Collection(eventPlan, this.ids, keeper)),
      settings.clientId,
      () => this.dropped.note('events'),
      settings.maxEvents,
    );
  }

  /** Create a store with this name and its saved contents. */
  keep<S extends Store>(name: string, make: (keeper: Keeper) => S): S {
    const store = make({
      saved: this.saved.get(name) ?? [],
      now: () => this.parts.clock.iso(),
      notify: (key, value) => {
        for (const listener of this.changeListeners) listener({ store: name, key, value });
      },
    });
    this.stores.set(name, store);
    this.saved.delete(name);
    return store;
  }
}

/** Create the content of a world. */
export const createMemory = (parts: MemoryParts): Memory => new Memory(new SharedMemory(parts));

/** The content of a world, or a view of it for an actor. A reset replaces the content with a new one. */
export class Memory {
  readonly #shared: SharedMemory;
  readonly #actor: Actor | undefined;
  /** The events emitted through this view and views derived from it. */
  readonly caused: CausedEvent[];

  constructor(shared: SharedMemory, actor?: Actor, caused: CausedEvent[] = []) {
    this.#shared = shared;
    this.#actor = actor;
    this.caused = caused;
  }

  get clock(): Clock {
    return this.#shared.parts.clock;
  }
  get settings(): Settings {
    return this.#shared.parts.settings;
  }
  /** The memory of the first world of the set; undefined if this is the first. */
  get main(): Memory | undefined {
    return this.#shared.parts.main;
  }
  /** Name of a created world; undefined for staging and production. */
  get name(): string | undefined {
    return this.#shared.parts.name;
  }
  /** Encodes responses in the emulator's dialect. */
  get codec(): Parser['codec'] {
    return this.parser.codec;
  }
  /** Parses requests by their descriptions. */
  get parser(): Parser {
    return this.#shared.parts.parser;
  }
  get ids(): Ids {
    return this.#shared.ids;
  }
  get keys(): KeyRing {
    return this.#shared.keys;
  }
  get inbox(): Mailbox {
    return this.#shared.inbox;
  }
  get events(): EventLog {
    return this.#shared.events;
  }
  /** Counts of records dropped because a limit was reached. */
  get dropped(): DropCounter {
    return this.#shared.dropped;
  }

  /** Return a view of this memory whose events name this actor. */
  as(actor: Actor): Memory {
    return new Memory(this.#shared, actor, this.#actor && this.caused);
  }

  /** Return the content of a slot, creating it on first use. */
  of<T>(slot: Slot<T>): T {
    // The content was created by this slot, so it has its type.
    let content = this.#shared.contents.get(slot) as T | undefined;
    if (content === undefined) {
      // Contents outlive the view that asks first, so they get one without an actor.
      content = slot.make(new Memory(this.#shared), this.#shared);
      this.#shared.contents.set(slot, content);
    }
    return content;
  }

  /** Return all stores as data. It shares the records, which never change. */
  save(): SavedWorld {
    const saved: Record<string, SavedStore> = Object.fromEntries(this.#shared.saved);
    for (const [name, store] of this.#shared.stores) {
      const pairs = store.save();
      if (pairs.length > 0) saved[name] = pairs;
    }
    return saved;
  }

  /** Call a listener with every change from now on. The returned function removes it. */
  onChange(listener: (change: Change) => void): () => void {
    this.#shared.changeListeners.add(listener);
    return () => this.#shared.changeListeners.delete(listener);
  }

  /** Delete an object with its dependents, after the hooks. @throws {EmulatorRefusal} 404. */
  delete<T extends CollectionItem>(from: Slot<Collection<T>>, id: string): T {
    const collection = this.of(from);
    const record = collection.get(id);
    for (const hook of this.#shared.deletions.get(from) ?? []) hook(record as never, this);
    // Newest first: removing the last entry of an index does not move the others.
    for (const { slot, field } of dependents.get(from.name) ?? []) {
      const owned = this.of(slot).where(field as 'id', id);
      for (const dependent of owned.values().reverse()) this.delete(slot, dependent.id);
    }
    // A hook may have deleted it already.
    if (collection.find(id)) collection.remove(id);
    return record;
  }

  /** Delete the objects with this value in an indexed field, and their dependents. */
  deleteWhere<T extends CollectionItem, K extends keyof T & string>(
    from: Slot<Collection<T>>,
    field: K,
    value: FieldValue<T[K]>,
  ): void {
    for (const { id } of this.of(from).where(field, value).values()) this.delete(from, id);
  }

  /** Call a hook with every object just before it is deleted, and with the view of the deleter. */
  onDelete<T extends CollectionItem>(from: Slot<Collection<T>>, hook: (record: T, memory: Memory) => void): void {
    this.#shared.deletions.set(from, [...(this.#shared.deletions.get(from) ?? []), hook]);
  }

  /** Whether a link, a session or a sign-in of this world has this token. */
  hasToken(token: string): boolean {
    for (const [store, field] of publicTokens) {
      // Only collections and tables have tokens.
      const content = this.of(declaredSlots.get(store)!) as Collection<CollectionItem> | Table<object>;
      if (content instanceof Table ? content.has(token) : content.hasValue(field, token)) return true;
    }
    return false;
  }

  /** The current time as a timestamp. */
  get now(): string {
    return this.clock.iso();
  }

  /** Return the timestamp this many milliseconds from now. */
  fromNow(ms: number): string {
    return new Date(this.clock.now() + ms).toISOString();
  }

  /** Whether a timestamp has been reached. */
  isPast(timestamp: string): boolean {
    return Date.parse(timestamp) <= this.clock.now();
  }

  /** Build a URL for programs: `memory.url('/audit_logs/exports/…')`. */
  url(path = ''): string {
    return this.#shared.parts.url() + path;
  }

  /** Build a URL for browsers: `memory.pageUrl('/portal/launch?token=…')`. */
  pageUrl(path = ''): string {
    return (this.#shared.parts.pageUrl ?? this.#shared.parts.url)() + path;
  }

  /** Build a URL for browsers if they use a different address than programs; otherwise undefined. */
  separatePageUrl(path: string): string | undefined {
    const { url, pageUrl = url } = this.#shared.parts;
    return pageUrl() === url() ? undefined : pageUrl() + path;
  }

  /** Record an event and call the listeners. `data` has camelCase names. */
  emit<Name extends EventName>(event: Name, data: View<EventData[Name]>): EventRecord {
    const record = this.events.emit(event, data, this.#actor ?? system);
    if (this.#actor) this.caused.push({ id: record.id, event });
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

  /** Schedule a task. It is cancelled when this world is closed. The returned function cancels it earlier. */
  schedule(atMs: number, task: () => unknown): () => void {
    const cancel = this.clock.schedule(atMs, async () => {
      this.#shared.scheduled.delete(cancel);
      try {
        await task();
      } catch (error) {
        this.#shared.parts.onFault(error);
      }
    });
    this.#shared.scheduled.add(cancel);
    return () => {
      this.#shared.scheduled.delete(cancel);
      cancel();
    };
  }

  /** Run a task when this world is closed. */
  onClose(task: () => void): void {
    this.#shared.closing.push(task);
  }

  /** Cancel scheduled tasks, run the `onClose` tasks and close the inbox. */
  close(): void {
    for (const cancel of this.#shared.scheduled) cancel();
    this.#shared.scheduled.clear();
    for (const task of this.#shared.closing.splice(0)) task();
    this.inbox.close();
  }
}
