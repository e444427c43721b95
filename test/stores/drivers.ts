import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { PostgresQueryable, RedisClient } from 'sallyport/stores';

/** A client of a driver, and a function that closes it. */
export interface Connection<Client> {
  readonly client: Client;
  close(): Promise<unknown>;
}

const load = createRequire(resolve('test/stores/drivers/package.json'));
const quiet = <Emitter extends { on(name: 'error', listener: () => void): unknown }>(emitter: Emitter): Emitter => {
  // Every error of the connection is also an error of the failing command.
  emitter.on('error', () => {});
  return emitter;
};

/** Connects with each Redis driver. */
export const redisDrivers: Readonly<Record<string, (url: string) => Promise<Connection<RedisClient>>>> = {
  async ioredis(url) {
    const { Redis } = load('ioredis');
    const client = quiet(new Redis(url, { maxRetriesPerRequest: 0, connectTimeout: 500 }));
    return { client, close: async () => client.disconnect() };
  },
  async iovalkey(url) {
    const { Redis } = load('iovalkey');
    const client = quiet(new Redis(url, { maxRetriesPerRequest: 0, connectTimeout: 500 }));
    return { client, close: async () => client.disconnect() };
  },
  async 'the redis package'(url) {
    const { createClient } = load('redis');
    const client = quiet(createClient({ url, disableOfflineQueue: true }));
    await client.connect();
    return { client, close: async () => client.destroy() };
  },
  async 'a command function'(url) {
    const { client, close } = await redisDrivers.ioredis!(url);
    const { call } = client as { call: (name: string, ...args: string[]) => Promise<unknown> };
    return { client: ([name, ...args]) => call.call(client, name!, ...args), close };
  },
};

/** Connects with each PostgreSQL driver. */
export const postgresDrivers: Readonly<Record<string, (url: string) => Promise<Connection<PostgresQueryable>>>> = {
  async 'a pg pool'(url) {
    const { Pool } = load('pg');
    const client = quiet(new Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 10_000 }));
    return { client, close: () => client.end() };
  },
  async 'a pg client'(url) {
    const { Client } = load('pg');
    const client = quiet(new Client({ connectionString: url }));
    await client.connect();
    return { client, close: () => client.end() };
  },
  async 'the postgres package'(url) {
    const client = load('postgres')(url, { max: 10, onnotice: () => {} });
    return { client, close: () => client.end() };
  },
  async 'a query function'(url) {
    const { client, close } = await postgresDrivers['a pg pool']!(url);
    const pool = client as { query: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }> };
    return { client: (text, values) => pool.query(text, values), close };
  },
};
