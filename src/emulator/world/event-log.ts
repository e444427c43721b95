import type { Clock } from './clock.js';
import { Collection } from './collection.js';
import type { Ids } from './ids.js';

/** An event as the emulator stores it; `data` in callers' names, written out by the model of its type. */
export interface EventRecord {
  readonly id: string;
  /** The type, `organization.created`. */
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Called with every event, after it is recorded. */
export type EventListener = (event: EventRecord) => void;

/** Events can be listed for 30 days. */
const eventRetentionMs = 30 * 86_400_000;

/** What happened in one world, oldest first. */
export class EventLog {
  readonly #clock: Clock;
  readonly #context: Readonly<Record<string, unknown>>;
  readonly #records: Collection<EventRecord>;
  readonly #listeners = new Set<EventListener>();

  constructor(clock: Clock, ids: Ids, clientId: string) {
    this.#clock = clock;
    this.#records = new Collection<EventRecord>({ object: 'event', prefix: 'event', index: ['event'] }, ids);
    this.#context = Object.freeze({ client_id: clientId, actor: Object.freeze({ source: 'api' }) });
  }

  /** The events of the last 30 days; older ones are dropped. */
  get records(): Collection<EventRecord> {
    const oldest = new Date(this.#clock.now() - eventRetentionMs).toISOString();
    for (let first = this.#records.first; first && first.createdAt < oldest; first = this.#records.first)
      this.#records.delete(first.id);
    return this.#records;
  }

  /** Record an event and call the listeners. */
  emit(event: string, data: object): EventRecord {
    const record = this.#records.insert({
      event,
      data: { ...data },
      createdAt: this.#clock.iso(),
      context: this.#context,
    });
    for (const listener of this.#listeners) listener(record);
    return record;
  }

  /** Call a listener with every event from now on, until the returned function is called. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
