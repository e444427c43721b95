import { once as emitted } from 'node:events';
import { objectsOf, toBullMQ, toPgBoss } from 'sallyport/streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { deferred } from '../deferred.js';
import { requires } from '../runner/requirements.js';
import { queueModule, queues } from './once/drivers.js';
import { eventAt, userEvent } from './once/events.js';

interface Job {
  readonly id: string;
  readonly name: string;
  readonly data: { readonly id: string };
  readonly opts: { readonly group?: { readonly id: string }; readonly attempts?: number };
}

requires('redis-server', queues)('events handed to BullMQ', () => {
  interface Queue {
    add(name: string, data: never, options?: never): Promise<unknown>;
    getJobs(): Promise<Job[]>;
    getJobCounts(): Promise<Record<string, number>>;
    close(): Promise<void>;
  }
  type Worker = import('node:events').EventEmitter & { close(): Promise<void> };
  const { Queue, Worker } = queueModule<{
    Queue: new (name: string, options: object) => Queue;
    Worker: new (name: string, work: (job: Job) => Promise<void>, options: object) => Worker;
  }>('bullmq');
  const { Redis } = queueModule<{ Redis: new (url: string, options: object) => { disconnect(): void } }>('ioredis');

  let server: Service;
  let connection: { disconnect(): void };
  beforeAll(async () => {
    server = await startRedis();
    connection = new Redis(server.url, { maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    connection?.disconnect();
    await server?.close();
  });

  test('are one job each, with the id of the event, however often they come', async () => {
    const queue = new Queue('plain', { connection });
    const handle = toBullMQ(queue, { options: { attempts: 5 } });

    for (const second of [1, 2, 1, 1]) await handle(userEvent(second, 'updated', 'ada@acme.test'), {});

    const jobs = await queue.getJobs();
    await queue.close();
    expect(jobs.map(({ id, name, data }) => [id, name, data.id]).toSorted()).toEqual([
      ['event_0001', 'user.updated', 'event_0001'],
      ['event_0002', 'user.updated', 'event_0002'],
    ]);
    expect(jobs[0]?.opts).toMatchObject({ attempts: 5 });
    expect(jobs[0]?.opts.group).toBeUndefined();
  });

  test('add nothing when they come again after their job was done and removed', async () => {
    const queue = new Queue('removed', { connection, defaultJobOptions: { removeOnComplete: true } });
    const handle = toBullMQ(queue);
    const done: string[] = [];
    const worker = new Worker('removed', async ({ id }) => void done.push(id), { connection });
    const event = userEvent(1, 'created', 'ada@acme.test');
    const completed = emitted(worker, 'completed');
    await handle(event, {});
    await completed;

    await handle(event, {});

    expect(await queue.getJobs()).toEqual([]);
    await worker.close();
    await queue.close();
    expect(done).toEqual(['event_0001']);
  });

  test('have a custom name and a group if the options ask for them', async () => {
    const queue = new Queue('grouped', { connection });
    await toBullMQ(queue, { name: () => 'identity', group: true })(userEvent(1, 'created', 'ada@acme.test'), {});

    const [job] = await queue.getJobs();
    await queue.close();
    expect([job?.name, job?.opts.group]).toEqual(['identity', { id: 'user_ada' }]);
  });
});

requires('postgresql', queues)('events handed to pg-boss', () => {
  interface Boss {
    start(): Promise<unknown>;
    stop(options: object): Promise<void>;
    createQueue(name: string, options?: object): Promise<void>;
    send(queue: string, data: never, options: never): Promise<unknown>;
    on(event: 'error', listener: (error: unknown) => void): void;
    work(queue: string, options: object, work: (jobs: Job[]) => Promise<void>): Promise<unknown>;
    findJobs(
      queue: string,
    ): Promise<{ id: string; data: { id: string }; groupId: string | null; deleteAfterSeconds: number }[]>;
  }
  const { PgBoss } = queueModule<{ PgBoss: new (url: string) => Boss }>('pg-boss');

  let server: Service;
  let boss: Boss;
  beforeAll(async () => {
    server = await startPostgres();
    boss = new PgBoss(server.url);
    boss.on('error', () => {});
    await boss.start();
  });
  afterAll(async () => {
    await boss?.stop({ graceful: false });
    await server?.close();
  });

  test('are one job each, with a UUID made of the id of the event, in the group of their object', async () => {
    await boss.createQueue('plain');
    const handle = toPgBoss(boss, 'plain');

    for (const second of [1, 2, 1, 1]) await handle(userEvent(second, 'updated', 'ada@acme.test'), {});
    await handle(eventAt(3, 'session.created', {}), {});

    const jobs = await boss.findJobs('plain');
    expect(jobs.map(({ data, groupId }) => [data.id, groupId]).toSorted()).toEqual([
      ['event_0001', 'user_ada'],
      ['event_0002', 'user_ada'],
      ['event_0003', null],
    ]);
    // As Python's uuid5 makes it.
    expect(jobs.find(({ data }) => data.id === 'event_0001')?.id).toBe('6252f85a-a923-5a59-bfc6-1e8059c96a79');
    expect(jobs[0]?.deleteAfterSeconds).toBe(35 * 86_400);
  });

  test('add nothing when they come again after their job was done', async () => {
    await boss.createQueue('done');
    const handle = toPgBoss(boss, 'done', { options: { retryLimit: 5 } });
    const event = userEvent(1, 'created', 'ada@acme.test');
    const done: string[] = [];
    const worked = new Promise<void>((resolve) => {
      void boss.work('done', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
        done.push(job!.data.id);
        resolve();
      });
    });
    await handle(event, {});
    await worked;

    await handle(event, {});

    expect(await boss.findJobs('done')).toHaveLength(1);
    expect(done).toEqual(['event_0001']);
  });

  test('of one object are worked on one at a time, and events of other objects at the same time', async () => {
    await boss.createQueue('groups');
    const handle = toPgBoss(boss, 'groups');
    for (const second of [1, 2, 3]) await handle(userEvent(second, 'updated', 'ada@acme.test', 'user_1'), {});
    await handle(userEvent(4, 'updated', 'bo@acme.test', 'user_2'), {});
    const order: string[] = [];
    const { promise: bothBegan, resolve: others } = deferred<void>();
    const all = new Promise<void>((resolve) => {
      const options = { pollingIntervalSeconds: 0.5, localConcurrency: 4, localGroupConcurrency: 1 };
      void boss.work('groups', options, async ([job]) => {
        const { id } = job!.data;
        order.push(`begin ${id}`);
        if (id === 'event_0004') others();
        // The first of one object goes on until that of the other has begun.
        else await bothBegan;
        order.push(`end ${id}`);
        if (order.length === 8) resolve();
      });
    });

    await all;

    const ofOne = order.filter((line) => !line.endsWith('4'));
    // Which of those that wait is next is up to pg-boss.
    expect(ofOne.map((line, at) => (at % 2 ? line.replace('end', 'begin') : line))).toEqual(
      ofOne.flatMap((line, at) => (at % 2 ? [] : [line, line])),
    );
    expect(new Set(ofOne).size).toBe(6);
  });

  test('of one object are worked on in their order by a queue with the policy key_strict_fifo', async () => {
    await boss.createQueue('ordered', { policy: 'key_strict_fifo' });
    const handle = toPgBoss(boss, 'ordered', {
      options: (event) => ({ singletonKey: objectsOf(event)[0] ?? event.id, retryDelay: 0 }),
    });
    for (const second of [1, 2, 3]) await handle(userEvent(second, 'updated', 'ada@acme.test'), {});
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      void boss.work('ordered', { pollingIntervalSeconds: 0.5, localConcurrency: 4 }, async ([job]) => {
        const { id } = job!.data;
        order.push(id);
        // Later jobs wait while an earlier job is tried again.
        if (order.length === 1) throw new Error('no');
        if (order.length === 4) resolve();
      });
    });

    expect(order).toEqual(['event_0001', 'event_0001', 'event_0002', 'event_0003']);
  });
});
