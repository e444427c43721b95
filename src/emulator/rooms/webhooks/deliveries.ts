import { utf8 } from '../../../crypto/encoding.js';
import {
  array,
  type Fields,
  integer,
  number,
  oneOf,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { objectsOf } from '../../../service/events/objects.js';
import { type Event, event as eventModel } from '../../../service/events.js';
import { badRequest, notFound } from '../../store/refusal.js';
import type { Table } from '../../store/table.js';
import { type EventRecord, eventRecord } from '../../world/event-log.js';
import type { Facts } from '../../world/facts.js';
import { type Memory, slot, table } from '../../world/memory.js';
import { faults } from '../faults/faults.js';
import { EndpointQueue } from './endpoint-queue.js';
import { isSubscribed, webhookEndpoints } from './records.js';
import { type AttemptResult, isDelivered, sendWebhook } from './send-webhook.js';

const deliveryAttempt = part({
  /** Time by the emulator's clock; ISO 8601 UTC with milliseconds. */
  at: timestamp,
  /** Status of the response, if there was one. */
  status: optional(integer),
  /** Reason of the failure, if the status does not explain it. */
  error: optional(string),
});
/** An attempt to deliver an event. */
export interface DeliveryAttempt extends Readonly<Fields<typeof deliveryAttempt>> {}

export const delivery = part({
  /** Unique id, prefix `delivery_`. */
  id: string,
  endpointId: string,
  eventId: string,
  /** Type of the event. */
  event: string,
  /** Attempts, oldest first. */
  attempts: array(ref<DeliveryAttempt>(deliveryAttempt)),
  /**
   * `pending` while attempts remain. `failed` if all attempts failed, the endpoint was disabled or deleted, or there were too
   * many pending deliveries.
   */
  state: oneOf('pending', 'delivered', 'failed'),
});
/** The delivery of one event to one webhook endpoint. */
export interface Delivery extends Readonly<Fields<typeof delivery>> {}

/** Maximum number of automatic attempts. The last is 68 hours and 14 minutes after the first. */
const maxAttempts = 12;
/** Maximum number of finished deliveries in the log. The oldest are dropped. */
const maxFinished = 10_000;
/** Maximum number of pending deliveries. The oldest are given up. */
const maxPending = 20_000;

const storedDelivery = part({
  endpointId: string,
  /** Copy of the event, because the event log may drop the event. */
  event: ref<EventRecord>(eventRecord),
  attempts: delivery.shape.attempts,
  /** Number of automatic attempts so far. */
  tries: integer,
  state: delivery.shape.state,
  /** Time of the next attempt, in milliseconds since 1970. */
  dueAt: number,
});
/** A delivery as the emulator stores it. */
interface DeliveryRecord extends Readonly<Fields<typeof storedDelivery>> {}

/** Deliveries by id, oldest first. */
const deliveryRecords = table<DeliveryRecord>('delivery', ref<DeliveryRecord>(storedDelivery));

/**
 * Delivers the events of a world to its webhook endpoints in the background. Events of the same object are sent in order, but a
 * failed delivery does not delay later ones. The service does not guarantee the order either.
 */
export class Deliveries {
  readonly #memory: Memory;
  readonly #records: Table<DeliveryRecord>;
  /** Ids of finished deliveries, oldest first; undefined until one finishes. */
  #finished: Set<string> | undefined;
  /** Pending deliveries by id, oldest first. If the next attempt is scheduled, the value cancels it. */
  readonly #pending = new Map<string, (() => void) | undefined>();
  /** Serialized events, shared by all endpoints and attempts until a delivery finishes. */
  readonly #bodies = new WeakMap<EventRecord, Uint8Array<ArrayBuffer>>();
  /** Queues by endpoint id. */
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #running = new Set<AbortController>();
  /** Number of deliveries in progress or waiting for their turn. */
  #queued = 0;
  /** Callbacks to run when no delivery is in progress. */
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#records = memory.of(deliveryRecords);
    memory.onEvent((event) => this.#schedule(event));
    memory.onClose(() => this.#close());
  }

  /** Resume the pending deliveries of a restored world. */
  resume(): void {
    for (const [id, { state, dueAt }] of this.#records.entries())
      if (state === 'pending') {
        this.#pending.set(id, undefined);
        this.#attemptAt(id, dueAt);
      }
  }

  /** List all deliveries, oldest first. */
  get log(): readonly Delivery[] {
    return this.#records.entries().map(deliveryView);
  }

  /** Wait until no delivery is in progress. Scheduled retries do not count. */
  async waitForDeliveries(): Promise<void> {
    while (this.#queued > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Deliver an event again, even if it has been delivered. If this fails, the state and the scheduled retries stay the same.
   *
   * @throws {EmulatorRefusal} 404 for an unknown delivery or endpoint, 400 if the endpoint is disabled.
   */
  async redeliver(id: string): Promise<Delivery> {
    const record = this.#records.get(id);
    if (!record) throw notFound('delivery', id);
    const { endpointId } = record;
    const { status } = this.#memory.of(webhookEndpoints).get(endpointId);
    if (status !== 'enabled')
      throw badRequest('endpoint_disabled', `The webhook endpoint ${endpointId} is disabled. Enable it first`);
    await this.#inTurn(record, async () => {
      await this.#try(id);
    });
    // The log may have dropped the delivery meanwhile.
    return deliveryView([id, this.#records.get(id) ?? record]);
  }

  /** Give up all pending deliveries to an endpoint. */
  stop(endpointId: string): void {
    for (const id of [...this.#pending.keys()])
      if (this.#records.get(id)?.endpointId === endpointId) this.#finish(id, 'failed');
  }

  #schedule(event: EventRecord): void {
    for (const endpoint of this.#memory.of(webhookEndpoints).values()) {
      if (!isSubscribed(endpoint, event.event)) continue;
      const { delayMs, copies } = this.#memory.of(faults).ofWebhook(event.event);
      for (let copy = 0; copy < copies; copy++) {
        const id = this.#memory.ids('delivery');
        const dueAt = this.#memory.clock.now() + delayMs;
        this.#records.set(id, { endpointId: endpoint.id, event, attempts: [], tries: 0, state: 'pending', dueAt });
        this.#pending.set(id, undefined);
        this.#attemptAt(id, dueAt);
      }
    }
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size <= maxPending) return;
      this.#finish(oldest, 'failed');
      this.#memory.dropped.note('deliveries');
    }
  }

  /** Make the next automatic attempt when its turn comes. */
  #next(id: string): Promise<void> {
    // A pending delivery always has a record.
    return this.#inTurn(this.#records.get(id)!, async () => {
      // The delivery may have been given up or repeated while it waited.
      if (!this.#pending.has(id)) return;
      const { clock, settings } = this.#memory;
      const { firstWaitMs, onFailure } = settings.deliveries;
      const startedAt = clock.now();
      const result = await this.#try(id);
      if (result === undefined || isDelivered(result) || !this.#pending.has(id)) return;
      const record = this.#records.get(id)!;
      const tries = record.tries + 1;
      const dueAt = startedAt + firstWaitMs * 2 ** record.tries;
      const isLast = tries >= maxAttempts;
      this.#records.set(id, { ...record, tries, dueAt });
      if (isLast) this.#finish(id, 'failed');
      else this.#attemptAt(id, dueAt);
      const retryInMs = isLast ? undefined : Math.max(0, dueAt - clock.now());
      onFailure?.({ event: record.event.event, ...result, retryInMs });
    });
  }

  #attemptAt(id: string, at: number): void {
    // The clock may have passed this time during the last attempt.
    if (at <= this.#memory.clock.now()) void this.#next(id);
    // Moving the clock waits for the attempt, so that the next one is scheduled in time.
    else
      this.#pending.set(
        id,
        this.#memory.schedule(at, () => this.#next(id)),
      );
  }

  /** Run a task after earlier deliveries to the endpoint for the same objects. Resolves when it is done. */
  async #inTurn({ endpointId, event }: DeliveryRecord, task: () => Promise<void>): Promise<void> {
    const queue = this.#queues.get(endpointId) ?? new EndpointQueue();
    this.#queues.set(endpointId, queue);
    this.#queued++;
    try {
      // The cast is safe because a record has the same data as its event.
      await queue.run(objectsOf(event as Event), async () => {
        if (!this.#isClosed) await task();
      });
    } finally {
      if (--this.#queued === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** Make one attempt. Returns undefined if the endpoint was deleted or the world was closed. */
  async #try(id: string): Promise<AttemptResult | undefined> {
    const record = this.#records.get(id);
    const endpoint = record && this.#memory.of(webhookEndpoints).find(record.endpointId);
    if (!endpoint) return undefined;
    const { clock, settings } = this.#memory;
    const abort = new AbortController();
    this.#running.add(abort);
    const at = clock.iso();
    const result = await sendWebhook(
      {
        url: endpoint.endpointUrl,
        body: this.#bytesOf(record.event),
        secret: endpoint.secret,
        signatureHeader: settings.dialect.signatureHeader,
        timestamp: clock.now(),
      },
      settings,
      abort,
    );
    this.#running.delete(abort);
    if (this.#isClosed) return undefined;
    const now = this.#records.get(id);
    if (now) this.#records.set(id, { ...now, attempts: [...now.attempts, { at, ...result }] });
    if (isDelivered(result)) this.#finish(id, 'delivered');
    return result;
  }

  /** Serialize an event exactly as the list of events returns it. */
  #bytesOf(event: EventRecord): Uint8Array<ArrayBuffer> {
    let bytes = this.#bodies.get(event);
    if (!bytes) {
      bytes = utf8(JSON.stringify(project(this.#memory.codec, descriptorOf(eventModel), event)));
      this.#bodies.set(event, bytes);
    }
    return bytes;
  }

  #finish(id: string, state: 'delivered' | 'failed'): void {
    this.#finished ??= new Set(
      this.#records.entries().flatMap(([other, record]) => (record.state === 'pending' ? [] : [other])),
    );
    const record = this.#records.get(id);
    if (!record) return;
    this.#records.set(id, { ...record, state });
    this.#bodies.delete(record.event);
    this.#pending.get(id)?.();
    this.#pending.delete(id);
    this.#finished.add(id);
    for (const oldest of this.#finished) {
      if (this.#finished.size <= maxFinished) return;
      this.#finished.delete(oldest);
      this.#records.delete(oldest);
      this.#memory.dropped.note('deliveries');
    }
  }

  #close(): void {
    this.#isClosed = true;
    for (const abort of this.#running) abort.abort(new Error('the emulator was closed or reset'));
  }
}

const deliveryView = ([id, { endpointId, event, attempts, state }]: readonly [string, DeliveryRecord]): Delivery => ({
  id,
  endpointId,
  eventId: event.id,
  event: event.event,
  attempts: [...attempts],
  state,
});

/** The deliveries of a world. */
export const deliveries = slot(
  'deliveries',
  'they are stored in a table and resumed from it',
  (memory) => new Deliveries(memory),
);

export const deliveryFacts: Facts<Delivery> = {
  model: delivery,
  all: (memory) => memory.of(deliveries).log,
  columns: [
    { label: 'Last attempt', of: ({ attempts }) => attempts.at(-1)?.at, as: timestamp },
    { label: 'Event', field: 'eventId', of: ({ event }) => event },
    'endpointId',
    'state',
    { label: 'Response', of: ({ attempts }) => attempts.at(-1)?.status ?? attempts.at(-1)?.error },
    { label: 'Attempts', of: ({ attempts }) => attempts.length, as: integer },
  ],
  empty: 'No deliveries yet.',
  actions: [{ control: 'redeliver', label: 'Redeliver' }],
};
