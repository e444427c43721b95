import { mask, redact } from '../../../errors/index.js';
import type { Codec } from '../../../service/describe/codec.js';
import { type IsSecret, secretNamesOf } from './secret-names.js';

/** Format of a body. */
interface BodyOptions {
  /** Whether the body is a form; default JSON. */
  readonly isForm?: boolean;
  /** Whether the body is an error response. Its `code` is not a secret. */
  readonly isRefusal?: boolean;
}

/** JSON strings within JSON strings beyond this depth are not shown. */
const maxNesting = 4;

/**
 * Hide the secrets in a path and its query.
 *
 * @param pattern The path of the operation, such as `/user_management/invitations/by_token/:token`, if there is one.
 */
export function pathWithoutSecrets(codec: Codec, path: string, pattern = ''): string {
  const isSecret = secretNamesOf(codec);
  const [before = '', ...queries] = path.split('?');
  const parameters = pattern.split('/').map((segment) => (segment.startsWith(':') ? segment.slice(1) : ''));
  const segments = before.split('/').map((segment, at) => (isSecret(parameters[at] ?? '') ? '…' : redact(segment)));
  const masked = withoutPlacedSecrets(segments.join('/'));
  const clean = (query: string): string =>
    query
      .split('&')
      .map((pair) => pairWithout(pair, isSecret))
      .join('&');
  return [masked, ...queries.map(clean)].join('?');
}

/** Matches the token in the path of an invitation, even if no operation has this path. */
const afterToken = /(\/by_token\/)[^/?#\s"\\]+/g;

/** Matches the user name and password in an address, such as `http://user:password@host`, also if it is percent-encoded. */
const credentials =
  /((?:https?(?::|%3A)|(?::|%3A)(?=\/\/|%2F%2F))(?:[/\\]|%2F|%5C)*)(?:(?!%2F|%5C|%3F|%23)[^\s/\\?#])*(@|%40)/gi;

/** Hide the secrets that are recognized by their place in a URL. */
const withoutPlacedSecrets = (text: string): string => text.replace(afterToken, '$1…').replace(credentials, '$1…$2');

/** Hide the secrets in a body. A body that cannot be parsed is replaced by its length. */
export function bodyWithoutSecrets(codec: Codec, text: string, { isForm, isRefusal }: BodyOptions = {}): string {
  const names = secretNamesOf(codec);
  const isSecret: IsSecret = (name) => names(name) && !(isRefusal && name === 'code');
  if (isForm) return formWithout(text, isSecret) ?? hiddenBody(text.length, 'not a form');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return JSON.stringify(hide(value, isSecret, 0));
  } catch {
    // Not JSON, or nested too deeply.
  }
  return hiddenBody(text.length, 'not a JSON object');
}

/** Hide the name of a field that may be a secret or contain one. Only plain names such as `event.targets[].color` are shown. */
export const nameWithoutSecrets = (name: string): string => (/^[\w.[\]-]{1,100}$/.test(name) ? redact(name) : '…');

/** Create the placeholder for a hidden body, with the body's length. */
export const hiddenBody = (length: number, why: string): string => `(${length} characters, ${why})`;

/** Whether a text is a body, not the replacement of a hidden body. */
export const isBodyVisible = (text: string): boolean => !text.startsWith('(');

/** Hide the values of secret fields at every depth of a JSON value. */
function hide(value: unknown, isSecret: IsSecret, nesting: number): unknown {
  if (typeof value === 'string') return textWithout(value, isSecret, nesting);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hide(item, isSecret, nesting));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      textWithout(name, isSecret, nesting),
      isSecret(name) ? maskValue(field) : hide(field, isSecret, nesting),
    ]),
  );
}

/** Hide a secret of any type. */
function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return '…';
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? value.map(maskValue)
    : Object.fromEntries(Object.entries(value).map(([name, field]) => [name, maskValue(field)]));
}

/** Matches the start of an object or a list, possibly within a JSON string: `{"`, `[{`, `"{\\"`. */
const looksLikeJson = /^[\s"\\]*(?:\{\s*["\\}]|\[\s*["\\[{\]])/;

/** Hide the secrets in a string, which may itself contain JSON, a form or a URL. */
function textWithout(text: string, isSecret: IsSecret, nesting: number): string {
  if (looksLikeJson.test(text)) {
    const value = nesting < maxNesting ? jsonIn(text) : undefined;
    return value === undefined
      ? hiddenBody(text.length, 'not JSON')
      : JSON.stringify(hide(value, isSecret, nesting + 1));
  }
  for (const [, name = ''] of text.matchAll(/[{,]\s*\\*["']?([\w-]{1,80})\\*["']?\s*:/g))
    if (isSecret(name)) return hiddenBody(text.length, 'with a secret');
  const clean = text
    .split('&')
    .map((piece) => assignmentWithout(piece, isSecret))
    .join('&');
  return withoutPlacedSecrets(redact(clean));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Hide what follows the first secret `name=`. */
function assignmentWithout(text: string, isSecret: IsSecret): string {
  for (const { 0: assignment, 1: name = '', index } of text.matchAll(/(?<![\w%.[\]+-])([\w%.[\]+-]+)=/g))
    if (isSecret(decodedName(name))) return `${text.slice(0, index)}${assignment}…`;
  return text;
}

/** Hide the secrets in a form; undefined if the text is not a form. */
function formWithout(text: string, isSecret: IsSecret): string | undefined {
  const pairs = text.replace(/^\?/, '').split('&');
  const isForm = pairs.every((pair) => pair === '' || /^[\w%.[\]*+~-]+=/.test(pair));
  return isForm ? pairs.map((pair) => pairWithout(pair, isSecret)).join('&') : undefined;
}

/** Hide the secret in a name-value pair of a form or a query. */
function pairWithout(pair: string, isSecret: IsSecret): string {
  const at = pair.indexOf('=');
  if (at < 0 || at === pair.length - 1) return redact(pair);
  const name = redact(pair.slice(0, at));
  if (isSecret(decodedName(name))) return `${name}=…`;
  const value = new URLSearchParams(`_=${pair.slice(at + 1)}`).get('_') ?? '';
  const clean = textWithout(value, isSecret, 0);
  return clean === value ? pair : `${name}=${encodeURIComponent(clean).replaceAll('%E2%80%A6', '…')}`;
}

/** Decode a name like the emulator's form parser, which tolerates invalid escapes. */
const decodedName = (name: string): string => new URLSearchParams(`${name}=`).keys().next().value ?? '';
