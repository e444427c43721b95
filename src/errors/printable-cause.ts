import type { Redactor } from './redact.js';

/** Causes behind causes that are looked at. A chain may be a circle. */
const maxDepth = 8;
/** Parts of an error that are looked at. */
const maxParts = 200;

interface ErrorLike {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** An error, its cause, the cause of that and so on. Of several errors at once the first. */
export function chainOf(thrown: unknown): ErrorLike[] {
  const chain: ErrorLike[] = [];
  for (let at = thrown; typeof at === 'object' && at !== null && chain.length < maxDepth; ) {
    const error: ErrorLike = at;
    chain.push(error);
    at = error.cause ?? (Array.isArray(error.errors) ? error.errors[0] : undefined);
  }
  return chain;
}

/**
 * Something that was thrown, as it may be printed: itself if it plainly holds no secret, otherwise a copy of its words without
 * them. Undefined if there is nothing to print.
 *
 * @param redact Removes what was sent. The code that threw, a `fetch` for example, may repeat it in any property.
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

/** Whether every part of a value can be seen and none is a secret. The parts of a request or a socket cannot be seen. */
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
  // Some errors inherit these.
  const keys = new Set([...Reflect.ownKeys(value), ...(isError ? ['name', 'message', 'stack'] : [])]);
  return [...keys].every(
    (key) => isHarmless(String(key), redact, seen) && isHarmless(Reflect.get(value, key), redact, seen),
  );
}
