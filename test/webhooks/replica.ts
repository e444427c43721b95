// One of several processes of an application that receives webhooks: `node replica.mjs redis URL SECRET`. It sends its parent its port
// and each effect.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { postgresStore, redisStore, type Store } from 'sallyport/stores';
import { receive } from 'sallyport/webhooks';

/** A message of a replica to its parent. */
export type Told =
  | { readonly port: number }
  /** The replica handled an event. */
  | { readonly handled: string }
  /** The replica handled an event, but the store did not record it. */
  | { readonly unnoted: string };

const load = createRequire(resolve('test/stores/drivers/package.json'));
const storeOf = (kind: string | undefined, url: string | undefined): Store => {
  if (kind === 'redis') {
    const { Redis } = load('ioredis');
    const client = new Redis(url, { maxRetriesPerRequest: 0, connectTimeout: 500 });
    // Every error of the connection is also an error of the failing command.
    client.on('error', () => undefined);
    return redisStore(client);
  }
  const { Pool } = load('pg');
  const pool = new Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 500 });
  pool.on('error', () => undefined);
  return postgresStore(pool);
};

const tell = (told: Told): void => void process.send?.(told);
const [, , kind, url, secret = ''] = process.argv;
const once = storeOf(kind, url);
const tried = new Set<string>();
const handled = new Set<string>();
const server = createServer(async (request, response) => {
  const { httpStatus, text } = await receive(request, {
    secret,
    store: once,
    leaseMs: 3_000,
    onProblem({ code, id = '' }) {
      if (code === 'store_failed' && handled.has(id)) tell({ unnoted: id });
    },
    async handler(_event, { id }) {
      await new Promise(setImmediate);
      // Every fifth event fails at its first attempt here.
      const isFirst = !tried.has(id);
      tried.add(id);
      if (isFirst && Number(id.split('_')[1]) % 5 === 0) throw new Error('not today');
      handled.add(id);
      tell({ handled: id });
    },
  });
  response.writeHead(httpStatus).end(text);
});
// A server that listens on a port has an address with a port.
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
