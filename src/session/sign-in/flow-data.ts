import { utf8 } from '../../crypto/encoding.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { parsedJson } from '../../http/json.js';

/** Limits of the data of a flow. */
const maxBytes = 1_024;
const maxDepth = 16;

/** Return the data of a flow as JSON would keep it. @throws {InvalidArgumentError} It cannot be JSON, or it is too large or too deep. */
export function flowData(data: unknown): unknown {
  if (data === undefined) return undefined;
  const text = jsonOf(data);
  const plain = text !== undefined && utf8(text).length <= maxBytes ? parsedJson(text) : undefined;
  if (plain !== undefined && depthOf(plain) <= maxDepth) return plain;
  throw new InvalidArgumentError({
    argument: 'data',
    what: `data of startSignIn must be JSON of at most ${maxBytes} bytes and ${maxDepth} levels`,
    next: 'Pass an id, and keep the rest in your database',
  });
}

function jsonOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
