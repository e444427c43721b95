import { mask, redact } from '../../errors/index.js';
import type { Codec } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { descriptorOf } from '../../service/describe/operation.js';
import { operations } from '../../service/operations.js';

/** What forms of hosted pages and addresses call secrets that no operation describes. */
const furtherNames = ['authorization', 'confirmation', 'form_token', 'new_password', 'password', 'ticket', 'token'];

/** The wire names of all secrets in descriptions, gathered when somebody first looks. */
const namesByCodec = new WeakMap<Codec, ReadonlySet<string>>();
function secretNames(codec: Codec): ReadonlySet<string> {
  const known = namesByCodec.get(codec);
  if (known) return known;
  const names = new Set(furtherNames);
  const seen = new Set<object>();
  const gather = (key: string, field: Descriptor): void => {
    if (field.secret) for (const name of codec.wireNames(key, field)) names.add(name);
    if (field.element) gather(key, field.element);
    const { model } = field;
    if (!model || seen.has(model)) return;
    seen.add(model);
    for (const [inner, own] of Object.entries(model.shape)) gather(inner, own);
  };
  for (const { io } of Object.values(operations))
    for (const described of [io.body, io.query, io.returns]) if (described) gather('', descriptorOf(described));
  namesByCodec.set(codec, names);
  return names;
}

/** Hides the values of secret fields, at every depth of a JSON value. */
const hide = (value: unknown, isSecret: (name: string) => boolean): unknown => {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hide(item, isSecret));
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name, isSecret(name) ? masked(own) : hide(own, isSecret)]),
  );
};

/** What stands in a secret field: a text, or texts. */
const masked = (value: unknown): unknown =>
  typeof value === 'string' ? mask(value) : Array.isArray(value) ? value.map(masked) : value;

const pairsWithout = (pairs: string, isSecret: (name: string) => boolean): string =>
  pairs
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split('=');
      return value && isSecret(decoded(name)) ? `${name}=…` : redact(pair);
    })
    .join('&');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

/**
 * A path with its query as it may be shown: secrets in it are hidden, and whatever looks like one.
 *
 * @param pattern The path of the operation, `/user_management/invitations/by_token/:token`, where it is known.
 */
export function pathWithoutSecrets(codec: Codec, path: string, pattern = ''): string {
  const [before = '', ...query] = path.split('?');
  const names = secretNames(codec);
  const parameters = pattern.split('/').map((segment) => (segment.startsWith(':') ? segment.slice(1) : ''));
  const segments = before.split('/').map((segment, at) => (names.has(parameters[at] ?? '') ? '…' : redact(segment)));
  return [segments.join('/'), ...query.map((pairs) => pairsWithout(pairs, (name) => names.has(name)))].join('?');
}

/** A body, JSON or form, as it may be shown. What cannot be read is shown without whatever looks like a secret. */
export function bodyWithoutSecrets(codec: Codec, text: string, { isForm = false, isRefusal = false } = {}): string {
  const names = secretNames(codec);
  // The code of a refusal is a word for what went wrong.
  const isSecret = (name: string): boolean => names.has(name) && !(isRefusal && name === 'code');
  if (isForm) return pairsWithout(text, isSecret);
  try {
    return JSON.stringify(hide(JSON.parse(text), isSecret));
  } catch {
    return redact(text);
  }
}
