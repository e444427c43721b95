import { Queue } from '../../async/queue.js';
import { getOrCreate } from '../../http/process-cache.js';

const queues = new WeakMap<object, Queue>();

/** Run operations on a connection one after another, because a connection has one transaction at a time. */
export const serialize = <Result>(connection: object, run: () => Promise<Result>): Promise<Result> =>
  getOrCreate(queues, connection, () => new Queue()).run(run);
