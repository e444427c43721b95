import { nullable, opaque, part, ref, string, timestamp } from '../../service/describe/define.js';
import { type Actor, somebody } from './actor.js';
import type { Clock } from './clock.js';
import type { Collection, CollectionPlan } from './collection.js';

/** An event as the emulator stores it; `data` in callers' names, written out by the model of its type. */
export interface EventRecord {
  readonly id: string;
  /** The type, `organization.created`. */
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** The same, described. */
export const eventRecord = part({
  id: string,
  event: string,
  data: opaque,
  createdAt: timestamp,
  context: ref(
    part({ client_id: string, actor: ref(part({ id: nullable(string), source: string, name: nullable(string) })) }),
  ),
});

/** An event, as whatever caused it remembers it. */
export type CausedEvent = Pick<EventRecord, 'id' | 'event'>;

/** Called with every event, after it is recorded. */
export type EventListener = (event: EventRecord) => void;

/** Who the user is that an event is about; undefined for nobody known. */
export type Recognizer = (event: string, data: object) => Partial<Actor> | undefined;

/** Events can be listed for 30 days. */
const eventRetentionMs = 30 * 86_400_000;
/** The most events that are remembered; beyond it the oldest go. */
export const mostEvents = 20_000;

/** What the events of a world are in. */
export const eventPlan: CollectionPlan<EventRecord> = {
  object: 'event',
  prefix: 'event',
  index: ['event'],
  record: ref<EventRecord>(eventRecord),
};

/** What happened in one world, oldest first. */
export class EventLog {
  readonly #clock: Clock;
  readonly #clientId: string;
  readonly #records: Collection<EventRecord>;
  readonly #listeners = new Set<EventListener>();
  #recognize: Recognizer = () => undefined;
  readonly #onDrop: () => void;

  /** @param onDrop Called for every event that is forgotten before its time. */
  constructor(clock: Clock, records: Collection<EventRecord>, clientId: string, onDrop: () => void) {
    this.#clock = clock;
    this.#onDrop = onDrop;
    this.#records = records;
    this.#clientId = clientId;
  }

  /** The newest events of the last 30 days; older ones are dropped. */
  get records(): Collection<EventRecord> {
    const oldest = new Date(this.#clock.now() - eventRetentionMs).toISOString();
    for (let first = this.#records.first; first && first.createdAt < oldest; first = this.#records.first)
      this.#records.delete(first.id);
    return this.#records;
  }

  /** Record an event as somebody's doing, and call the listeners. */
  emit(event: string, data: object, actor: Actor): EventRecord {
    const record = this.#records.insert({
      event,
      data: { ...data },
      createdAt: this.#clock.iso(),
      context: {
        client_id: this.#clientId,
        actor: { ...actor, ...(actor === somebody && this.#recognize(event, data)) },
      },
    });
    for (let { size, first } = this.#records; first && size > mostEvents; { size, first } = this.#records) {
      this.#records.delete(first.id);
      this.#onDrop();
    }
    for (const listener of this.#listeners) listener(record);
    return record;
  }

  /** Say how the user is recognized who acts where people act for themselves. */
  recognizeBy(recognize: Recognizer): void {
    this.#recognize = recognize;
  }

  /** Call a listener with every event from now on, until the returned function is called. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
