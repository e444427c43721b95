import { messageOf } from './problem.js';
import { quotable, type Redactor } from './redact.js';

/** Maximum number of errors in a chain of causes, which may be circular. */
const maxDepth = 8;
/** Maximum number of objects to inspect in an error. */
const maxParts = 200;

interface ErrorLike {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Return an error and its chain of causes. Follows the first error of an aggregate. */
export function chainOf(thrown: unknown): ErrorLike[] {
  const chain: ErrorLike[] = [];
  for (let at = thrown; typeof at === 'object' && at !== null && chain.length < maxDepth; ) {
    const error: ErrorLike = at;
    chain.push(error);
    at = error.cause ?? (Array.isArray(error.errors) ? error.errors[0] : undefined);
  }
  return chain;
}

/** Say in one line why something failed: the messages of the error and its causes, and the code. */
export function reasonOf(thrown: unknown): string {
  const chain = chainOf(thrown);
  const messages = chain
    .map(({ message }) => message)
    .filter((message) => typeof message === 'string' && message !== '');
  const text = messages.length > 0 ? messages.join(': ') : messageOf(thrown);
  const code = chain.map((error) => error.code).find((one) => typeof one === 'string' && !text.includes(one));
  return quotable(code === undefined ? text : `${text} (${code})`);
}

/**
 * Return a thrown value unchanged if no part of it is a secret. Otherwise return a copy of its messages without secrets, or
 * undefined if there is nothing to print.
 *
 * @param redact Removes the secrets that were sent. The code that threw, such as a `fetch`, may repeat them in any property.
 */
export function printableCause(thrown: unknown, redact: Redactor): unknown {
  if (isHarmless(thrown, redact, new Set())) return thrown ?? undefined;
  const clean = (text: unknown, otherwise = '') => (typeof text === 'string' ? redact(text) : otherwise);
  if (typeof thrown !== 'object') return clean(String(thrown));
  let copy: Error | undefined;
  for (const error of chainOf(thrown).reverse()) {
    copy = new Error(clean(error.message), copy && { cause: copy });
    copy.name = clean(error.name, 'Error');
    copy.stack = clean(error.stack, `${copy.name}: ${copy.message}`);
    if (typeof error.code === 'string') Object.assign(copy, { code: clean(error.code) });
  }
  return copy;
}

/** Whether all parts of a value can be inspected and none is a secret. Requests and sockets cannot be inspected. */
function isHarmless(value: unknown, redact: Redactor, seen: Set<object>): boolean {
  if (typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null) {
    const text = String(value);
    return redact(text) === text;
  }
  if (seen.has(value)) return true;
  if (seen.add(value).size > maxParts) return false;
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || prototype === Object.prototype || Array.isArray(value);
  const isError = value instanceof Error;
  if (!isPlain && !isError) return false;
  // Some errors inherit these properties.
  const keys = new Set([...Reflect.ownKeys(value), ...(isError ? ['name', 'message', 'stack'] : [])]);
  return [...keys].every(
    (key) => isHarmless(String(key), redact, seen) && isHarmless(Reflect.get(value, key), redact, seen),
  );
}
