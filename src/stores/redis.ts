import { checkNames } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { createStore } from './create-store.js';
import type { Store } from './store.js';

/** Sends one command to Redis and gives its answer. */
export type RedisCommand = (command: string[]) => Promise<unknown>;

/** A client of `ioredis` or `iovalkey`, as far as it is needed here. */
interface CallingClient {
  /** Sends any command. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** A client of Redis: of `ioredis` or `iovalkey`, of `redis` (node-redis), of Bun, or a function that sends a command. */
export type RedisClient =
  | RedisCommand
  | CallingClient
  | {
      /** What `redis` sends any command by. */
      sendCommand(command: string[]): Promise<unknown>;
    }
  | {
      /** What Bun's client sends any command by. */
      send(command: string, args: string[]): Promise<unknown>;
    };

/** What `redisStore` takes beside the client. */
export interface RedisStoreOptions {
  /** What every key begins with; default `sallyport:`. */
  readonly prefix?: string | undefined;
}

// Each runs as one step, during which Redis does nothing else.
const compareAndSet =
  "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end " +
  "if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end " +
  'return 1';
const deleteExpected = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])";
const increment =
  "local sum = redis.call('INCRBY', KEYS[1], ARGV[1]) " +
  "if redis.call('PTTL', KEYS[1]) == -1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end " +
  'return sum';

/**
 * Create a store in Redis or Valkey, by the client that the application has. Each operation is one command, and so one step there.
 *
 * A client that waits for a connection, or repeats commands for long, makes whoever uses the store wait: give it short time limits.
 *
 * @throws {InvalidArgumentError} The client is none that is known here.
 * @throws {ConfigurationError} `invalid_option`: an option is unknown.
 * @example
 * const store = redisStore(new Redis(process.env.REDIS_URL));
 * const sessions = createSessions({ refresh: { store } });
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Store {
  checkNames('redisStore', options, { prefix: 1 });
  const { prefix = 'sallyport:' } = options;
  const send = commandOf(client);
  const named = (key: string): string => prefix + key;
  const evaluate = async (script: string, key: string, ...args: string[]): Promise<number> =>
    Number(await send(['EVAL', script, '1', named(key), ...args]));

  return createStore({
    async get(key) {
      const answer = await send(['GET', named(key)]);
      return answer === null || answer === undefined ? undefined : textOf(answer);
    },
    async set(key, value, ttlMs) {
      await send(['SET', named(key), value, ...(ttlMs === undefined ? [] : ['PX', wholeMs(ttlMs)])]);
    },
    async compareAndSet(key, expected, value, ttlMs) {
      const ttl = ttlMs === undefined ? '' : wholeMs(ttlMs);
      if (expected !== undefined) return (await evaluate(compareAndSet, key, expected, value, ttl)) === 1;
      const answer = await send(['SET', named(key), value, 'NX', ...(ttl ? ['PX', ttl] : [])]);
      return answer !== null && answer !== undefined;
    },
    async delete(key, expected) {
      if (expected === undefined) return Number(await send(['DEL', named(key)])) > 0;
      return (await evaluate(deleteExpected, key, expected)) > 0;
    },
    increment: (key, by, ttlMs) => evaluate(increment, key, `${by}`, wholeMs(ttlMs)),
  });
}

/** Redis takes whole milliseconds, and refuses 0. */
const wholeMs = (ms: number): string => `${Math.max(1, Math.ceil(ms))}`;

const textOf = (answer: unknown): string =>
  answer instanceof Uint8Array ? new TextDecoder().decode(answer) : String(answer);

const isFunction = (value: unknown): boolean => typeof value === 'function';

function commandOf(client: RedisClient): RedisCommand {
  // Every function has a `call`, which sends nothing.
  if (typeof client === 'function') return client as RedisCommand;
  const { call, send, sendCommand, slots } = Object(client) as Record<string, unknown>;
  // A cluster of node-redis has `sendCommand` too, with other arguments; only clusters know of slots.
  const isCluster = slots !== undefined;
  if (isFunction(call)) return ([name, ...args]) => (client as CallingClient).call(name!, ...args);
  if (isFunction(sendCommand) && !isCluster)
    return (command) => (client as Extract<RedisClient, { sendCommand: unknown }>).sendCommand(command);
  if (isFunction(send) && !isCluster)
    return ([name, ...args]) => (client as Extract<RedisClient, { send: unknown }>).send(name!, args);
  throw new InvalidArgumentError({
    what: 'redisStore needs a client of Redis',
    why: isCluster
      ? 'This is a cluster of node-redis, which wants to know the key of each command'
      : 'What was passed has none of call, sendCommand and send',
    next: isCluster
      ? 'Pass a function: (command) => cluster.sendCommand(command[command[0] === "EVAL" ? 3 : 1], false, command)'
      : 'Pass a client of ioredis, iovalkey, redis or Bun, or a function that sends a command: (command) => …',
    argument: 'client',
  });
}
