import { once as emitted } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTo } from '../../examples/queues/bullmq.js';
import { sendTo } from '../../examples/queues/pg-boss.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { queueModule, queues } from './once/drivers.js';
import { userEvent } from './once/events.js';

interface Job {
  readonly id: string;
  readonly name: string;
  readonly data: { readonly id: string };
}

requires('redis-server', queues)('the example for BullMQ', () => {
  interface Queue {
    add(name: string, data: object, options: object): Promise<unknown>;
    getJobs(): Promise<Job[]>;
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

  test('adds only one job for an event that arrives twice', async () => {
    const queue = new Queue('twice', { connection });
    const handle = addTo(queue);

    for (const second of [1, 2, 1, 2]) await handle(userEvent(second, 'updated', 'ada@acme.test'));

    const jobs = await queue.getJobs();
    await queue.close();
    expect(jobs.map(({ id, name, data }) => [id, name, data.id]).toSorted()).toEqual([
      ['event_0001', 'user.updated', 'event_0001'],
      ['event_0002', 'user.updated', 'event_0002'],
    ]);
  });

  test('adds no second job for a repeated event after the first job is completed and deleted', async () => {
    const queue = new Queue('removed', { connection, defaultJobOptions: { removeOnComplete: true } });
    const handle = addTo(queue);
    const done: string[] = [];
    const worker = new Worker('removed', async ({ id }) => void done.push(id), { connection });
    const event = userEvent(1, 'created', 'ada@acme.test');
    const completed = emitted(worker, 'completed');
    await handle(event);
    await completed;

    await handle(event);

    expect(await queue.getJobs()).toEqual([]);
    await worker.close();
    await queue.close();
    expect(done).toEqual(['event_0001']);
  });
});

requires('postgresql', queues)('the example for pg-boss', () => {
  interface Boss {
    start(): Promise<unknown>;
    stop(options: object): Promise<void>;
    createQueue(name: string): Promise<void>;
    send(queue: string, data: object, options: object): Promise<unknown>;
    on(event: 'error', listener: (error: unknown) => void): void;
    work(queue: string, options: object, work: (jobs: Job[]) => Promise<void>): Promise<unknown>;
    findJobs(queue: string): Promise<(Job & { readonly deleteAfterSeconds: number })[]>;
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

  test('adds only one job for an event that arrives twice', async () => {
    await boss.createQueue('twice');
    const handle = sendTo(boss, 'twice');

    for (const second of [1, 2, 1, 2]) await handle(userEvent(second, 'updated', 'ada@acme.test'));

    const jobs = await boss.findJobs('twice');
    expect(jobs.map(({ id, data, deleteAfterSeconds }) => [data.id, id, deleteAfterSeconds]).toSorted()).toEqual([
      // printf event_0001 | sha256sum
      ['event_0001', '1b7c7957-f385-3940-54db-e03286dfef3f', 3_024_000],
      ['event_0002', '5f239bcc-32c1-21f1-6775-2c2efd260af6', 3_024_000],
    ]);
  });

  test('adds no second job for a repeated event after the first job is completed', async () => {
    await boss.createQueue('done');
    const handle = sendTo(boss, 'done');
    const event = userEvent(1, 'created', 'ada@acme.test');
    const done: string[] = [];
    const worked = new Promise<void>((resolve) => {
      void boss.work('done', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
        done.push(job!.data.id);
        resolve();
      });
    });
    await handle(event);
    await worked;

    await handle(event);

    expect(await boss.findJobs('done')).toHaveLength(1);
    expect(done).toEqual(['event_0001']);
  });
});
