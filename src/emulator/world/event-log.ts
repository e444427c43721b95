import { nullable, opaque, part, ref, string, timestamp } from '../../service/describe/define.js';
import type { Collection, CollectionPlan } from '../store/collection.js';
import type { Stored } from '../store/view.js';
import { type Actor, endUser } from './actor.js';
import type { Clock } from './clock.js';

export const eventRecord = part({
  id: string,
  /** The type, `organization.created`. */
  event: string,
  data: opaque,
  createdAt: timestamp,
  context: ref(
    part({ client_id: string, actor: ref(part({ id: nullable(string), source: string, name: nullable(string) })) }),
  ),
});
/** An event as the emulator stores it. `data` has camelCase names; the model of its type gives the wire names. */
export interface EventRecord extends Stored<typeof eventRecord> {}

/** Reference to an event, kept by the request that caused it. */
export type CausedEvent = Pick<EventRecord, 'id' | 'event'>;

/** Called with every event, after it is recorded. */
export type EventListener = (event: EventRecord) => void;

/** Finds the user who caused an event; undefined if unknown. */
type Recognizer = (event: string, data: object) => Partial<Actor> | undefined;

/** 30 days. */
const eventRetentionMs = 30 * 86_400_000;
/** Declaration of the collection of events. */
export const eventPlan: CollectionPlan<EventRecord> = {
  object: 'event',
  prefix: 'event',
  index: ['event'],
  record: ref(eventRecord),
};

/** The events of one world, oldest first. */
export class EventLog {
  readonly #clock: Clock;
  readonly #clientId: string;
  readonly #records: Collection<EventRecord>;
  readonly #maxEvents: number;
  readonly #listeners = new Set<EventListener>();
  #recognize: Recognizer = () => undefined;
  readonly #onDrop: () => void;

  /** @param onDrop Called for every event that is dropped before it expires. */
  constructor(clock: Clock, records: Collection<EventRecord>, clientId: string, onDrop: () => void, maxEvents: number) {
    this.#clock = clock;
    this.#onDrop = onDrop;
    this.#records = records;
    this.#clientId = clientId;
    this.#maxEvents = maxEvents;
  }

  /** The newest events. Drops those older than 30 days. */
  get records(): Collection<EventRecord> {
    const oldest = new Date(this.#clock.now() - eventRetentionMs).toISOString();
    for (let first = this.#records.first; first && first.createdAt < oldest; first = this.#records.first)
      this.#records.remove(first.id);
    return this.#records;
  }

  /** Record an event, and call the listeners. */
  emit(event: string, data: object, actor: Actor): EventRecord {
    const record = this.#records.insert({
      event,
      data: { ...data },
      createdAt: this.#clock.iso(),
      context: {
        client_id: this.#clientId,
        actor: { ...actor, ...(actor === endUser && this.#recognize(event, data)) },
      },
    });
    for (let { size, first } = this.#records; first && size > this.#maxEvents; { size, first } = this.#records) {
      // A caller that continued after it would miss later events without noticing.
      this.#records.drop(first.id);
      this.#onDrop();
    }
    for (const listener of this.#listeners) listener(record);
    return record;
  }

  /** Set the function that finds the user who caused an event. */
  recognizeBy(recognize: Recognizer): void {
    this.#recognize = recognize;
  }

  /** Call a listener with every event from now on. The returned function removes it. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
