import { checkNames } from '../errors/known-options.js';
import { objectsOf } from '../event-objects.js';
import type { Event } from '../service/events.js';
import type { EventHandler } from './registry.js';

/** A queue of BullMQ, as far as it is needed here. */
export interface BullMQQueue {
  /** Adds a job. */
  add(name: string, data: never, options?: never): Promise<unknown>;
}

/** A pg-boss that was started, as far as it is needed here. */
export interface PgBossQueues {
  /** Adds a job. */
  send(queue: string, data: never, options: never): Promise<unknown>;
}

/** Options of a job, for all events or for each. */
export type JobOptions = Readonly<Record<string, unknown>> | ((event: Event) => Readonly<Record<string, unknown>>);

/** What `toBullMQ` takes. */
export interface ToBullMQOptions {
  /** Name of the job; default the type of the event. */
  readonly name?: ((event: Event) => string) | undefined;
  /** Hands over the group of a job, by the object that the event is about. BullMQ Pro knows groups, and BullMQ does not. */
  readonly group?: boolean | undefined;
  /** Further options of the job, such as `attempts`. */
  readonly options?: JobOptions | undefined;
}

/** What `toPgBoss` takes. */
export interface ToPgBossOptions {
  /** Further options of the job, such as `retryLimit`. */
  readonly options?: JobOptions | undefined;
}

/** Events live for 30 days; a queue knows for 35 which of them it has had. */
const knownForSeconds = 35 * 86_400;

/**
 * Hand events to a queue of BullMQ: the handler for a stream or for webhooks. The id of the job is that of the event, so an event
 * that comes again adds nothing, also after its job was done and removed. The job holds the event.
 *
 * @example
 * await follow(sallyport, { checkpoint }).run(toBullMQ(new Queue('identity', { connection })));
 */
export const toBullMQ = (queue: BullMQQueue, how: ToBullMQOptions = {}): EventHandler<unknown> => {
  checkNames('toBullMQ', how, { name: 1, group: 1, options: 1 });
  const { name = ({ event }) => event, group = false, options } = how;
  return handing(async (event) => {
    const [id] = group ? objectsOf(event) : [];
    const job = {
      ...optionsFor(event, options),
      ...(id !== undefined && { group: { id } }),
      jobId: event.id,
      // BullMQ forgets the id of a job with the job; this it remembers.
      deduplication: { id: event.id, ttl: knownForSeconds * 1000 },
    };
    await queue.add(name(event), event as never, job as never);
  });
};

/**
 * Hand events to a queue of pg-boss: the handler for a stream or for webhooks. The id of the job is made of that of the event, so
 * an event that comes again adds nothing. The job holds the event, and its group is the object that the event is about: a worker
 * with `localGroupConcurrency: 1` does one job of each object at a time. pg-boss has groups from version 12 on.
 *
 * @example
 * await boss.createQueue('identity');
 * await follow(sallyport, { checkpoint }).run(toPgBoss(boss, 'identity'));
 */
export const toPgBoss = (boss: PgBossQueues, queue: string, how: ToPgBossOptions = {}): EventHandler<unknown> => {
  checkNames('toPgBoss', how, { options: 1 });
  const { options } = how;
  return handing(async (event) => {
    const [id] = objectsOf(event);
    const job = {
      // A job that is forgotten could be added again.
      retentionSeconds: knownForSeconds,
      deleteAfterSeconds: knownForSeconds,
      ...(id !== undefined && { group: { id } }),
      ...optionsFor(event, options),
      id: await uuidOf(event.id),
    };
    await boss.send(queue, event as never, job as never);
  });
};

const handing = (hand: (event: Event) => Promise<void>): EventHandler<unknown> =>
  Object.assign((event: Event) => hand(event), { types: undefined });

const optionsFor = (event: Event, options: JobOptions | undefined): Readonly<Record<string, unknown>> =>
  typeof options === 'function' ? options(event) : (options ?? {});

/** The namespace of the ids of events, a random one. */
const namespace = '9c1f4f0e-6c5b-4d0a-9a53-2f8d0f7f6a11';

/** The UUID, version 5 of RFC 9562, that the id of an event stands for. */
export async function uuidOf(id: string): Promise<string> {
  const space = Uint8Array.from(namespace.replaceAll('-', '').match(/../g)!, (byte) => Number.parseInt(byte, 16));
  const digest = await crypto.subtle.digest('SHA-1', new Uint8Array([...space, ...new TextEncoder().encode(id)]));
  const bytes = new Uint8Array(digest).slice(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
