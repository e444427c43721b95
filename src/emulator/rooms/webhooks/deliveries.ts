import { utf8 } from '../../../crypto/encoding.js';
import { objectsOf } from '../../../event-objects.js';
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
import { type Event, event as eventModel } from '../../../service/events.js';
import { faults } from '../../server/faults.js';
import { type EventRecord, eventRecord } from '../../world/event-log.js';
import { badRequest, notFound } from '../../world/refusal.js';
import type { Table } from '../../world/table.js';
import { slot, table, type World } from '../../world/world.js';
import { EndpointQueue } from './endpoint-queue.js';
import { wants, webhookEndpoints } from './records.js';
import { attempt, isDelivered, type Outcome } from './send-webhook.js';

const deliveryAttempt = part({
  /** By the emulator's clock, ISO 8601 in UTC with milliseconds. */
  at: timestamp,
  /** Status of the receiver's answer; absent when there was none. */
  status: optional(integer),
  /** Why it failed, beyond what the status says. */
  error: optional(string),
});
/** One try to deliver an event. */
export interface DeliveryAttempt extends Readonly<Fields<typeof deliveryAttempt>> {}

export const delivery = part({
  /** Unique id, prefix `delivery_`. */
  id: string,
  endpointId: string,
  eventId: string,
  /** Type of the event. */
  event: string,
  /** Oldest first. */
  attempts: array(ref<DeliveryAttempt>(deliveryAttempt)),
  /** `pending` while attempts are to come; `failed` when they are used up, or the endpoint was disabled or deleted. */
  state: oneOf('pending', 'delivered', 'failed'),
});
/** The delivery of one event to one webhook endpoint. */
export interface Delivery extends Readonly<Fields<typeof delivery>> {}

/** Automatic attempts: the last one comes 68 hours and 14 minutes after the first. */
const mostAttempts = 12;
/** Deliveries that are over and still in the log; beyond it the oldest go. */
const mostOver = 10_000;
/** Deliveries that are under way or to be tried again; beyond it the oldest are given up. */
const mostPending = 20_000;

const storedDelivery = part({
  endpointId: string,
  /** The event, which may have been forgotten meanwhile. */
  event: ref<EventRecord>(eventRecord),
  attempts: delivery.shape.attempts,
  /** Attempts made without being asked for. */
  tries: integer,
  state: delivery.shape.state,
  /** When the next attempt is due, in milliseconds since 1970. */
  dueAt: number,
});
/** A delivery as the emulator stores it. */
export interface DeliveryRecord extends Readonly<Fields<typeof storedDelivery>> {}

/** The deliveries by their ids, oldest first. */
const deliveryRecords = table<DeliveryRecord>('delivery', ref<DeliveryRecord>(storedDelivery));

/**
 * Sends the events of one world to its webhook endpoints, in the background. Events of the same object arrive in order. A failed
 * delivery does not hold up later ones, because the service does not promise an order either.
 */
export class Deliveries {
  readonly #world: World;
  readonly #records: Table<DeliveryRecord>;
  /** Deliveries that are over, in the order in which they ended; undefined until one ends. */
  #over: Set<string> | undefined;
  /** Those that are not, oldest first, and what calls off the next attempt where it is scheduled. */
  readonly #pending = new Map<string, (() => void) | undefined>();
  /** Events as they are sent, written once for all endpoints and attempts; let go when a delivery is over. */
  readonly #bodies = new WeakMap<EventRecord, Uint8Array<ArrayBuffer>>();
  /** By the id of the endpoint. */
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #running = new Set<AbortController>();
  /** Deliveries that are under way or wait for their turn. */
  #queued = 0;
  /** Called when none is left. */
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(world: World) {
    this.#world = world;
    this.#records = world.of(deliveryRecords);
    world.onEvent((event) => this.#announce(event));
    world.onClose(() => this.#close());
  }

  /** Go on with what was still to be delivered in a world that was saved. */
  resume(): void {
    for (const [id, { state, dueAt }] of this.#records.entries())
      if (state === 'pending') {
        this.#pending.set(id, undefined);
        this.#attemptAt(id, dueAt);
      }
  }

  /** Every delivery, oldest first. */
  get log(): readonly Delivery[] {
    return this.#records.entries().map(deliveryView);
  }

  /** Resolve when no delivery is under way; what is due later by the clock is not waited for. */
  async waitForDeliveries(): Promise<void> {
    while (this.#queued > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Deliver an event once more, whatever came of it before. When it fails, nothing changes: neither the state nor the attempts
   * to come.
   *
   * @throws {Refusal} 404 for an unknown delivery or endpoint, 400 when the endpoint is disabled.
   */
  async redeliver(id: string): Promise<Delivery> {
    const record = this.#records.get(id);
    if (!record) throw notFound('delivery', id);
    const { endpointId } = record;
    const { status } = this.#world.of(webhookEndpoints).get(endpointId);
    if (status !== 'enabled')
      throw badRequest('endpoint_disabled', `The webhook endpoint ${endpointId} is disabled. Enable it first`);
    await this.#inTurn(record, async () => {
      await this.#try(id);
    });
    // So many may have ended meanwhile that it is forgotten.
    return deliveryView([id, this.#records.get(id) ?? record]);
  }

  /** Give up what is still to be delivered to an endpoint. */
  stop(endpointId: string): void {
    for (const id of [...this.#pending.keys()])
      if (this.#records.get(id)?.endpointId === endpointId) this.#end(id, 'failed');
  }

  #announce(event: EventRecord): void {
    for (const endpoint of this.#world.of(webhookEndpoints).values()) {
      if (!wants(endpoint, event.event)) continue;
      const { delayMs, copies } = this.#world.of(faults).ofWebhook(event.event);
      for (let copy = 0; copy < copies; copy++) {
        const id = this.#world.ids('delivery');
        const dueAt = this.#world.clock.now() + delayMs;
        this.#records.set(id, { endpointId: endpoint.id, event, attempts: [], tries: 0, state: 'pending', dueAt });
        this.#pending.set(id, undefined);
        this.#attemptAt(id, dueAt);
      }
    }
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size <= mostPending) return;
      this.#end(oldest, 'failed');
      this.#world.dropped.note('deliveries');
    }
  }

  /** Make the next automatic attempt when its turn comes. */
  #next(id: string): Promise<void> {
    // A pending delivery has a record.
    return this.#inTurn(this.#records.get(id)!, async () => {
      // It may have been given up or delivered by hand while it waited.
      if (!this.#pending.has(id)) return;
      const { clock, settings } = this.#world;
      const { firstWaitMs, onFailure } = settings.deliveries;
      const startedAt = clock.now();
      const outcome = await this.#try(id);
      if (outcome === undefined || isDelivered(outcome) || !this.#pending.has(id)) return;
      const record = this.#records.get(id)!;
      const tries = record.tries + 1;
      const dueAt = startedAt + firstWaitMs * 2 ** record.tries;
      const isLast = tries >= mostAttempts;
      this.#records.set(id, { ...record, tries, dueAt });
      if (isLast) this.#end(id, 'failed');
      else this.#attemptAt(id, dueAt);
      const retryInMs = isLast ? undefined : Math.max(0, dueAt - clock.now());
      onFailure?.({ event: record.event.event, ...outcome, retryInMs });
    });
  }

  #attemptAt(id: string, at: number): void {
    // The clock may have moved during the last attempt.
    if (at <= this.#world.clock.now()) void this.#next(id);
    // The clock waits for the attempt when it is moved, so that the attempt after it is on time.
    else
      this.#pending.set(
        id,
        this.#world.schedule(at, () => this.#next(id)),
      );
  }

  /** Run a task when the endpoint and the objects of the event are free. Resolves when the task is done. */
  async #inTurn({ endpointId, event }: DeliveryRecord, task: () => Promise<void>): Promise<void> {
    const queue = this.#queues.get(endpointId) ?? new EndpointQueue();
    this.#queues.set(endpointId, queue);
    this.#queued++;
    try {
      // A record has the data of its event, under the same names.
      await queue.run(objectsOf(event as Event), async () => {
        if (!this.#isClosed) await task();
      });
    } finally {
      if (--this.#queued === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** Make one attempt. Returns undefined if the endpoint or the world is gone. */
  async #try(id: string): Promise<Outcome | undefined> {
    const record = this.#records.get(id);
    const endpoint = record && this.#world.of(webhookEndpoints).find(record.endpointId);
    if (!endpoint) return undefined;
    const { clock, settings } = this.#world;
    const abort = new AbortController();
    this.#running.add(abort);
    const at = clock.iso();
    const outcome = await attempt(
      {
        url: endpoint.endpointUrl,
        body: this.#bytesOf(record.event),
        secret: endpoint.secret,
        scheme: endpoint.scheme,
        id: record.event.id,
        signatureHeader: settings.dialect.signatureHeader,
        timestamp: clock.now(),
      },
      settings,
      abort,
    );
    this.#running.delete(abort);
    if (this.#isClosed) return undefined;
    const now = this.#records.get(id);
    if (now) this.#records.set(id, { ...now, attempts: [...now.attempts, { at, ...outcome }] });
    if (isDelivered(outcome)) this.#end(id, 'delivered');
    return outcome;
  }

  /** Exactly what listing the event gives. */
  #bytesOf(event: EventRecord): Uint8Array<ArrayBuffer> {
    let bytes = this.#bodies.get(event);
    if (!bytes) {
      bytes = utf8(JSON.stringify(project(this.#world.codec, descriptorOf(eventModel), event)));
      this.#bodies.set(event, bytes);
    }
    return bytes;
  }

  #end(id: string, state: 'delivered' | 'failed'): void {
    this.#over ??= new Set(
      this.#records.entries().flatMap(([other, record]) => (record.state === 'pending' ? [] : [other])),
    );
    const record = this.#records.get(id);
    if (!record) return;
    this.#records.set(id, { ...record, state });
    this.#bodies.delete(record.event);
    this.#pending.get(id)?.();
    this.#pending.delete(id);
    this.#over.add(id);
    for (const oldest of this.#over) {
      if (this.#over.size <= mostOver) return;
      this.#over.delete(oldest);
      this.#records.delete(oldest);
      this.#world.dropped.note('deliveries');
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

/** What is delivered in a world. */
export const deliveries = slot(
  'deliveries',
  'they are in a table, and are resumed from it',
  (world) => new Deliveries(world),
);
