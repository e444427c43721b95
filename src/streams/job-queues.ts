import { checkNames } from '../errors/known-options.js';
import { objectsOf } from '../service/events/objects.js';
import type { Event } from '../service/events.js';
import type { EventHandler } from './registry.js';

/** The part of a BullMQ queue that is used here. */
export interface BullMQQueue {
  /** Add a job. */
  add(name: string, data: never, options?: never): Promise<unknown>;
}

/** The part of a started pg-boss instance that is used here. */
export interface PgBossQueues {
  /** Add a job. */
  send(queue: string, data: never, options: never): Promise<unknown>;
}

/** Job options: the same for all events, or a function of the event. */
export type JobOptions = Readonly<Record<string, unknown>> | ((event: Event) => Readonly<Record<string, unknown>>);

/** Options of `toBullMQ`. */
export interface ToBullMQOptions {
  /** Name of the job; default: the type of the event. */
  readonly name?: ((event: Event) => string) | undefined;
  /** Whether to set the job's group to the object of the event; default false. Groups need BullMQ Pro. */
  readonly group?: boolean | undefined;
  /** More job options, such as `attempts`. */
  readonly options?: JobOptions | undefined;
}

/** Options of `toPgBoss`. */
export interface ToPgBossOptions {
  /** More job options, such as `retryLimit`. */
  readonly options?: JobOptions | undefined;
}

/** How long a queue remembers events: 35 days. The service keeps them for 30. */
const rememberSeconds = 35 * 86_400;

/**
 * Create a handler, for a stream or for webhooks, that adds events to a BullMQ queue. The job id is the event id, so a repeated
 * event adds no second job, even after its job was finished and removed. The job data is the event.
 *
 * @example
 * await follow(sallyport, { checkpoint }).run(toBullMQ(new Queue('identity', { connection })));
 */
export const toBullMQ = (queue: BullMQQueue, settings: ToBullMQOptions = {}): EventHandler<unknown> => {
  checkNames('toBullMQ', settings, { name: 1, group: 1, options: 1 });
  const { name = ({ event }) => event, group = false, options } = settings;
  return queueHandler(async (event) => {
    const [id] = group ? objectsOf(event) : [];
    const job = {
      ...optionsFor(event, options),
      ...(id !== undefined && { group: { id } }),
      jobId: event.id,
      // BullMQ forgets the id of a removed job, but remembers its deduplication id.
      deduplication: { id: event.id, ttl: rememberSeconds * 1000 },
    };
    await queue.add(name(event), event as never, job as never);
  });
};

/**
 * Create a handler, for a stream or for webhooks, that adds events to a pg-boss queue. The job id is derived from the event id,
 * so a repeated event adds no second job. The job data is the event, and its group is the object of the event: a worker with
 * `localGroupConcurrency: 1` runs one job per object at a time. Groups need pg-boss 12 or later.
 *
 * @example
 * await boss.createQueue('identity');
 * await follow(sallyport, { checkpoint }).run(toPgBoss(boss, 'identity'));
 */
export const toPgBoss = (boss: PgBossQueues, queue: string, settings: ToPgBossOptions = {}): EventHandler<unknown> => {
  checkNames('toPgBoss', settings, { options: 1 });
  const { options } = settings;
  return queueHandler(async (event) => {
    const [id] = objectsOf(event);
    const job = {
      // After pg-boss deletes a job, the same event could add it again.
      retentionSeconds: rememberSeconds,
      deleteAfterSeconds: rememberSeconds,
      ...(id !== undefined && { group: { id } }),
      ...optionsFor(event, options),
      id: await uuidOf(event.id),
    };
    await boss.send(queue, event as never, job as never);
  });
};

const queueHandler = (enqueue: (event: Event) => Promise<void>): EventHandler<unknown> =>
  Object.assign((event: Event) => enqueue(event), { events: undefined });

const optionsFor = (event: Event, options: JobOptions | undefined): Readonly<Record<string, unknown>> =>
  typeof options === 'function' ? options(event) : (options ?? {});

/** A random namespace for event ids. */
const namespace = '9c1f4f0e-6c5b-4d0a-9a53-2f8d0f7f6a11';

/** Derive a UUID (version 5, RFC 9562) from an event id. */
export async function uuidOf(id: string): Promise<string> {
  const space = Uint8Array.from(namespace.replaceAll('-', '').match(/../g)!, (byte) => Number.parseInt(byte, 16));
  const digest = await crypto.subtle.digest('SHA-1', new Uint8Array([...space, ...new TextEncoder().encode(id)]));
  const bytes = new Uint8Array(digest).slice(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
