import { checkNames } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { createStore } from './create-store.js';
import { checkErrorListener } from './error-listener.js';
import type { Store } from './store.js';

/** Sends one command to Redis and returns the reply. */
export type RedisCommand = (command: string[]) => Promise<unknown>;

/** The part of an `ioredis` or `iovalkey` client that the store uses. */
interface CallingClient {
  /** Send any command. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A Redis client: `ioredis`, `iovalkey`, `redis` (node-redis), Bun's client, or a function that sends a command. */
export type RedisClient =
  | RedisCommand
  | CallingClient
  | {
      /** Send any command with `redis`. */
      sendCommand(command: string[]): Promise<unknown>;
    }
  | {
      /** Send any command with Bun's client. */
      send(command: string, args: string[]): Promise<unknown>;
    };

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** Prefix of every key; default `sallyport:`. */
  readonly prefix?: string | undefined;
}

// Redis runs each script atomically.
const compareAndSet =
  "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end " +
  "if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end " +
  'return 1';
const deleteExpected = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])";
/**
 * Create a store in Redis or Valkey, through the client that your application uses. Each operation is one command, so it is atomic.
 *
 * Give the client short timeouts: requests wait while it reconnects or retries a command.
 *
 * @throws {InvalidArgumentError} The client is not a supported Redis client.
 * @throws {ConfigurationError} `invalid_option`: an option is unknown.
 * @example
 * const store = redisStore(new Redis(process.env.REDIS_URL));
 * const sessions = createSessions({ refresh: { store } });
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Store {
  checkNames('redisStore', options, { prefix: 1 });
  const { prefix = 'sallyport:' } = options;
  const send = commandOf(client);
  const withPrefix = (key: string): string => prefix + key;
  const evaluate = async (script: string, key: string, ...args: string[]): Promise<number> =>
    Number(await send(['EVAL', script, '1', withPrefix(key), ...args]));

  return createStore({
    async get(key) {
      const answer = await send(['GET', withPrefix(key)]);
      return answer === null || answer === undefined ? undefined : textOf(answer);
    },
    async set(key, value, ttlMs) {
      await send(['SET', withPrefix(key), value, ...(ttlMs === undefined ? [] : ['PX', wholeMs(ttlMs)])]);
    },
    async compareAndSet(key, expected, value, ttlMs) {
      const ttl = ttlMs === undefined ? '' : wholeMs(ttlMs);
      if (expected !== undefined) return (await evaluate(compareAndSet, key, expected, value, ttl)) === 1;
      const answer = await send(['SET', withPrefix(key), value, 'NX', ...(ttl ? ['PX', ttl] : [])]);
      return answer !== null && answer !== undefined;
    },
    async delete(key, expected) {
      if (expected === undefined) return Number(await send(['DEL', withPrefix(key)])) > 0;
      return (await evaluate(deleteExpected, key, expected)) > 0;
    },
  });
}

/** Round up to whole milliseconds, at least 1: Redis rejects fractions and 0. */
const wholeMs = (ms: number): string => `${Math.max(1, Math.ceil(ms))}`;

const textOf = (answer: unknown): string =>
  answer instanceof Uint8Array ? new TextDecoder().decode(answer) : String(answer);

const isFunction = (value: unknown): boolean => typeof value === 'function';

function commandOf(client: RedisClient): RedisCommand {
  // Check functions first: every function has a `call` method.
  if (typeof client === 'function') return client as RedisCommand;
  const { call, send, sendCommand, slots } = Object(client) as Record<string, unknown>;
  // `sendCommand` of a node-redis cluster takes other arguments. Only clusters have `slots`.
  const isCluster = slots !== undefined;
  if (isFunction(call)) return ([name, ...args]) => (client as CallingClient).call(name!, ...args);
  if (isFunction(sendCommand) && !isCluster)
    return (command) => {
      checkErrorListener(client);
      return (client as Extract<RedisClient, { sendCommand: unknown }>).sendCommand(command);
    };
  if (isFunction(send) && !isCluster)
    return ([name, ...args]) => (client as Extract<RedisClient, { send: unknown }>).send(name!, args);
  throw new InvalidArgumentError({
    what: 'redisStore needs a Redis client',
    why: isCluster
      ? 'This is a node-redis cluster, which needs the key of each command'
      : 'The value has none of the methods call, sendCommand and send',
    next: isCluster
      ? 'Pass a function: (command) => cluster.sendCommand(command[command[0] === "EVAL" ? 3 : 1], false, command)'
      : 'Pass a client of ioredis, iovalkey, redis or Bun, or a function that sends a command: (command) => …',
    argument: 'client',
  });
}
