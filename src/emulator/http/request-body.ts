import type { Raw } from '../store/parser.js';
import { badRequest, EmulatorRefusal } from '../store/refusal.js';

const emptyBody: Raw = { value: undefined, texts: false };
/** Maximum nesting depth of JSON. */
const maxDepth = 64;

/** Read the whole body as text, up to a maximum size. @throws {EmulatorRefusal} 413 or 400. */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const contentLength = request.headers.get('content-length');
  if (Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
  // Over HTTP, a body cannot exceed its Content-Length. A request of this process can, so the size is checked again below.
  const bytes = contentLength === null ? await readUpTo(request, maxBytes) : await readWhole(request);
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('invalid_json', 'The request body is not valid UTF-8. Send JSON encoded as UTF-8');
  }
}

const readWhole = async (request: Request): Promise<Uint8Array> =>
  new Uint8Array(await request.arrayBuffer().catch(cutOff));

async function readUpTo(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(cutOff);
    if (done) break;
    size += value.byteLength;
    chunks.push(value);
    if (size <= maxBytes) continue;
    // Not awaited, because the sender may be slow to react.
    void reader.cancel().catch(() => undefined);
    throw tooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}

const cutOff = (): never => {
  throw badRequest('incomplete_body', 'The connection ended before the whole request body arrived');
};

const tooLarge = (maxBytes: number): EmulatorRefusal =>
  new EmulatorRefusal(
    413,
    'payload_too_large',
    `The request body is larger than ${maxBytes} bytes. Send a smaller body`,
  );

/** Parse a body by its content type. @throws {EmulatorRefusal} 400. */
export function parseBody(body: string, contentType: string | null): Raw {
  if (body.trim() === '') return emptyBody;
  const type = (contentType ?? 'application/json').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded')
    return { value: fieldTreeOf(new URLSearchParams(body)), texts: true };
  if (type !== 'application/json' && !type.endsWith('+json'))
    throw badRequest(
      'invalid_json',
      `The emulator cannot read a body of type ${JSON.stringify(type)}. Send application/json or application/x-www-form-urlencoded`,
    );
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // The parser's message would quote a part of the body, which may be secret.
    throw badRequest('invalid_json', 'The request body is not valid JSON. It may have been cut off on the way');
  }
  if (isDeeper(value, maxDepth))
    throw badRequest('invalid_json', `The request body is nested deeper than ${maxDepth} levels`);
  // UTF-8 cannot encode an unpaired surrogate: only an escape can contain one, and no response could repeat it.
  if (/\\u[dD][89a-fA-F]/.test(body) && hasUnpairedSurrogate(value))
    throw badRequest('invalid_json', 'The request body contains an unpaired surrogate');
  return { value, texts: false };
}

const hasUnpairedSurrogate = (value: unknown): boolean => {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => hasUnpairedSurrogate(key) || hasUnpairedSurrogate(item));
};

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const item of Object.values(value)) if (isDeeper(item, levels - 1)) return true;
  return false;
};

/** Parse the query of a URL. */
export const parseQuery = (url: string): URLSearchParams => {
  const from = url.indexOf('?');
  return new URLSearchParams(from < 0 ? '' : url.slice(from + 1).split('#', 1)[0]);
};

type FieldTree = { [key: string]: string | FieldTree };

/**
 * Nest the values of bracketed names: `a[b]=1&a[c][]=2` becomes `{ a: { b: '1', c: { 0: '2' } } }`.
 * A repeated name is numbered like `name[]`. The description decides later whether numbers are list indexes.
 */
export function fieldTreeOf(params: URLSearchParams): FieldTree {
  const tree: FieldTree = Object.create(null);
  for (const [name, text] of params) {
    const path = pathOf(name);
    if (path) put(tree, path, text);
  }
  return tree;
}

function pathOf(name: string): string[] | undefined {
  const bracket = name.indexOf('[');
  const path = bracket <= 0 ? [name] : [name.slice(0, bracket)];
  if (bracket > 0) {
    const rest = name.slice(bracket);
    if (!/^(?:\[[^[\]]*\])+$/.test(rest)) return [name];
    path.push(...rest.slice(1, -1).split(']['));
  }
  return path.length > 16 || path.includes('__proto__') ? undefined : path;
}

function put(tree: FieldTree, path: readonly string[], text: string): void {
  let at = tree;
  for (let i = 0; i < path.length; i++) {
    const key = path[i] === '' ? freeIndex(at) : path[i]!;
    const value = at[key];
    if (i === path.length - 1) {
      if (value === undefined) at[key] = text;
      else if (typeof value === 'string') at[key] = Object.assign(Object.create(null), { 0: value, 1: text });
      else value[freeIndex(value)] = text;
    } else if (typeof value === 'object') at = value;
    else {
      const inner: FieldTree = Object.create(null);
      if (value !== undefined) inner[0] = value;
      at[key] = inner;
      at = inner;
    }
  }
}

const counters = new WeakMap<FieldTree, number>();
const freeIndex = (at: FieldTree): string => {
  let index = counters.get(at) ?? 0;
  while (at[index] !== undefined) index++;
  counters.set(at, index + 1);
  return String(index);
};
