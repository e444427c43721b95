import { utf8 } from '../../../crypto/encoding.js';
import {
  array,
  type Fields,
  integer,
  oneOf,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { event as eventModel } from '../../../service/events.js';
import { faults } from '../../server/faults.js';
import type { EventRecord } from '../../world/event-log.js';
import { badRequest, notFound } from '../../world/refusal.js';
import { slot, type World } from '../../world/world.js';
import { wants, webhookEndpoints } from './records.js';
import { attempt, isDelivered } from './send-webhook.js';

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

/** The wait after the first attempt; each further one is twice as long. */
const firstWaitMs = 2 * 60_000;
/** With the waits above, the last attempt comes 68 hours and 14 minutes after the first. */
const mostAttempts = 12;
/** Deliveries that are over and still in the log; beyond it the oldest go. */
const mostOver = 10_000;
/** Deliveries that are under way or to be tried again; beyond it the oldest are given up. */
const mostPending = 20_000;

/** A delivery as it is worked on. */
interface Job {
  readonly id: string;
  readonly endpointId: string;
  readonly event: EventRecord;
  /** The event as it is sent; let go when the delivery is over. */
  body: Body | undefined;
  readonly attempts: DeliveryAttempt[];
  /** Attempts made without being asked for. */
  tries: number;
  state: Delivery['state'];
  /** Calls off the next attempt, where one is scheduled. */
  cancel?: () => void;
}

/** An event as it is sent: written once, the same bytes for every endpoint and attempt. */
interface Body {
  bytes?: Uint8Array<ArrayBuffer>;
}

/** Sends the events of one world to its webhook endpoints: in the background, one after the other at each endpoint. */
export class Deliveries {
  readonly #world: World;
  readonly #jobs = new Map<string, Job>();
  /** Deliveries that are over, in the order in which they ended. */
  readonly #over = new Set<string>();
  /** Those that are not, oldest first. */
  readonly #pending = new Set<Job>();
  /** The last turn of each endpoint. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #running = new Set<AbortController>();
  readonly #waiting: (() => void)[] = [];
  #turnsToCome = 0;
  #isClosed = false;

  constructor(world: World) {
    this.#world = world;
    world.onEvent((event) => this.#announce(event));
    world.onClose(() => this.#close());
  }

  /** Every delivery, oldest first. */
  get log(): readonly Delivery[] {
    return [...this.#jobs.values()].map(deliveryView);
  }

  /** Resolve when no delivery is under way; what is due later by the clock is not waited for. */
  async waitForDeliveries(): Promise<void> {
    while (this.#turnsToCome > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Deliver an event once more, whatever came of it before. When it fails, nothing changes: neither the state nor the attempts
   * to come.
   *
   * @throws {Refusal} 404 for an unknown delivery or endpoint, 400 when the endpoint is disabled.
   */
  async redeliver(id: string): Promise<Delivery> {
    const job = this.#jobs.get(id);
    if (!job) throw notFound('delivery', id);
    const { status } = this.#world.of(webhookEndpoints).get(job.endpointId);
    if (status !== 'enabled')
      throw badRequest('endpoint_disabled', `The webhook endpoint ${job.endpointId} is disabled. Enable it first`);
    await this.#turn(job, async () => {
      await this.#try(job);
    });
    return deliveryView(job);
  }

  /** Give up what is still to be delivered to an endpoint. */
  stop(endpointId: string): void {
    for (const job of this.#pending) if (job.endpointId === endpointId) this.#end(job, 'failed');
  }

  #announce(event: EventRecord): void {
    const body: Body = {};
    for (const endpoint of this.#world.of(webhookEndpoints).values()) {
      if (!wants(endpoint, event.event)) continue;
      const { delayMs, copies } = this.#world.of(faults).ofWebhook(event.event);
      for (let copy = 0; copy < copies; copy++) {
        const job: Job = {
          id: this.#world.ids('delivery'),
          endpointId: endpoint.id,
          event,
          body,
          attempts: [],
          tries: 0,
          state: 'pending',
        };
        this.#jobs.set(job.id, job);
        this.#pending.add(job);
        this.#attemptAt(job, this.#world.clock.now() + delayMs);
      }
    }
    for (const oldest of this.#pending) {
      if (this.#pending.size <= mostPending) return;
      this.#end(oldest, 'failed');
      this.#world.dropped.note('deliveries');
    }
  }

  /** The next attempt of those that need not be asked for. */
  #next(job: Job): Promise<void> {
    return this.#turn(job, async () => {
      // Meanwhile it may have been given up, or delivered by hand.
      if (job.state !== 'pending') return;
      job.tries++;
      const startedAt = this.#world.clock.now();
      if ((await this.#try(job)) || job.state !== 'pending' || this.#isClosed) return;
      if (job.tries >= mostAttempts) this.#end(job, 'failed');
      else this.#attemptAt(job, startedAt + firstWaitMs * 2 ** (job.tries - 1));
    });
  }

  #attemptAt(job: Job, at: number): void {
    // The clock may have been moved on while the attempt was under way.
    if (at <= this.#world.clock.now()) void this.#next(job);
    // Whoever moves the clock waits for the attempt, so that the one after it is on time.
    else job.cancel = this.#world.schedule(at, () => this.#next(job));
  }

  /** Run a task after everything before it at the same endpoint; resolves when it is done. */
  #turn(job: Job, work: () => Promise<void>): Promise<void> {
    this.#turnsToCome++;
    const before = this.#turns.get(job.endpointId) ?? Promise.resolve();
    const turn = before.then(async () => {
      try {
        if (!this.#isClosed) await work();
      } finally {
        if (this.#turns.get(job.endpointId) === turn) this.#turns.delete(job.endpointId);
        if (--this.#turnsToCome === 0) for (const resolve of this.#waiting.splice(0)) resolve();
      }
    });
    this.#turns.set(job.endpointId, turn);
    return turn;
  }

  /** One attempt; whether it delivered. */
  async #try(job: Job): Promise<boolean> {
    const endpoint = this.#world.of(webhookEndpoints).find(job.endpointId);
    if (!endpoint) return false;
    const { clock, settings } = this.#world;
    const abort = new AbortController();
    this.#running.add(abort);
    const at = clock.iso();
    const outcome = await attempt(
      {
        url: endpoint.endpointUrl,
        body: this.#bytesOf(job),
        secret: endpoint.secret,
        signatureHeader: settings.dialect.signatureHeader,
        timestamp: clock.now(),
      },
      settings.deliver,
      abort,
    );
    this.#running.delete(abort);
    if (this.#isClosed) return false;
    job.attempts.push({ at, ...outcome });
    if (!isDelivered(outcome)) return false;
    this.#end(job, 'delivered');
    return true;
  }

  /** Exactly what listing the event gives. */
  #bytesOf({ event, body = {} }: Job): Uint8Array<ArrayBuffer> {
    body.bytes ??= utf8(JSON.stringify(project(this.#world.codec, descriptorOf(eventModel), event)));
    return body.bytes;
  }

  #end(job: Job, state: 'delivered' | 'failed'): void {
    job.state = state;
    job.body = undefined;
    job.cancel?.();
    this.#pending.delete(job);
    this.#over.add(job.id);
    for (const oldest of this.#over) {
      if (this.#over.size <= mostOver) return;
      this.#over.delete(oldest);
      this.#jobs.delete(oldest);
      this.#world.dropped.note('deliveries');
    }
  }

  #close(): void {
    this.#isClosed = true;
    for (const abort of this.#running) abort.abort(new Error('the emulator was closed or reset'));
  }
}

const deliveryView = ({ id, endpointId, event, attempts, state }: Job): Delivery => ({
  id,
  endpointId,
  eventId: event.id,
  event: event.event,
  attempts: [...attempts],
  state,
});

/** What is delivered in a world. */
export const deliveries = slot('deliveries', 'it is not saved so far', (world) => new Deliveries(world));
