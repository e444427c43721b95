import { quotable, redact } from '../errors/index.js';
import { isText } from '../http/json.js';
import type { Config } from './config.js';

/** What there is to say of a call that got no answer. */
export interface SilenceWords {
  readonly why: string;
  readonly next: string;
  readonly cause?: unknown;
}

/** Codes that runtimes give a refused connection. */
const refused: readonly unknown[] = ['ECONNREFUSED', 'ConnectionRefused'];
/** Causes behind causes that are looked at; a chain may be a circle. */
const deepest = 8;

interface ErrorLike {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** A failure, its cause, the cause of that and so on; of several at once the first. */
function chainOf(thrown: unknown): ErrorLike[] {
  const chain: ErrorLike[] = [];
  for (let at = thrown; typeof at === 'object' && at !== null && chain.length < deepest; ) {
    const error: ErrorLike = at;
    chain.push(error);
    at = error.cause ?? (Array.isArray(error.errors) ? error.errors[0] : undefined);
  }
  return chain;
}

const codeOf = (thrown: unknown): string | undefined =>
  chainOf(thrown)
    .map(({ code }) => code)
    .find(isText);

/** Whether nothing listens at the address. */
export const isRefused = (thrown: unknown): boolean =>
  chainOf(thrown).some(
    // Deno says it in words only.
    ({ code, message }) => refused.includes(code) || (isText(message) && /\bconnection refused\b/i.test(message)),
  );

/** What to say of a call that got no answer, and the cause as it may be printed. */
export function wordsOfSilence(config: Config, thrown: unknown, secrets: readonly string[]): SilenceWords {
  const words = isText(thrown) ? [thrown] : chainOf(thrown).map(({ message }) => message);
  const why = [codeOf(thrown), ...words].filter(isText).join(': ');
  return {
    why: quotable(why, secrets),
    next:
      config.loopback && isRefused(thrown)
        ? 'Start the emulator with npx sallyport emulator, or correct baseUrl'
        : 'Check baseUrl, the network and the proxy',
    cause: printable(thrown, secrets) ?? undefined,
  };
}

/** What was thrown, as it is where it plainly holds no secret; else a copy of its words without them. */
function printable(thrown: unknown, secrets: readonly string[]): unknown {
  if (isHarmless(thrown, secrets, new Set())) return thrown;
  if (isText(thrown)) return redact(thrown, secrets);
  const clean = (text: unknown, otherwise = '') => (isText(text) ? redact(text, secrets) : otherwise);
  let copy: Error | undefined;
  for (const error of chainOf(thrown).reverse()) {
    copy = new Error(clean(error.message), copy && { cause: copy });
    copy.name = clean(error.name, 'Error');
    copy.stack = clean(error.stack, `${copy.name}: ${copy.message}`);
    if (isText(error.code)) Object.assign(copy, { code: clean(error.code) });
  }
  return copy;
}

/** Most parts of an error that are looked at. */
const mostParts = 200;

/** Whether everything in a value lies open and none of it is a secret. A request or a socket, say, does not lie open. */
function isHarmless(value: unknown, secrets: readonly string[], seen: Set<object>): boolean {
  if (typeof value === 'string') return redact(value, secrets) === value;
  if (typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null || seen.has(value)) return true;
  if (seen.add(value).size > mostParts) return false;
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(value);
  const isError = value instanceof Error;
  if (!isPlain && !isError) return false;
  // The words of some errors are not properties of their own.
  const keys = new Set([...Reflect.ownKeys(value), ...(isError ? ['name', 'message', 'stack'] : [])]);
  return [...keys].every(
    (key) => isHarmless(String(key), secrets, seen) && isHarmless(Reflect.get(value, key), secrets, seen),
  );
}
