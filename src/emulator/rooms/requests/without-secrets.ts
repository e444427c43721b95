import { mask, redact } from '../../../errors/index.js';
import type { Codec } from '../../../service/describe/codec.js';
import { redactNamed } from '../../store/redact-secrets.js';
import { type IsSecret, secretNamesOf } from './secret-names.js';

/** Format of a body. */
interface BodyOptions {
  /** Whether the body is a form; default JSON. */
  readonly isForm?: boolean;
  /** Whether the body is an error response. Its `code` is not a secret. */
  readonly isRefusal?: boolean;
}

/**
 * Hide the secrets in a path and its query.
 *
 * @param pattern The path of the operation, such as `/user_management/invitations/by_token/:token`, if there is one.
 */
export function pathWithoutSecrets(codec: Codec, path: string, pattern = ''): string {
  const isSecret = secretNamesOf(codec);
  const [before = '', ...queries] = path.split('?');
  const parameters = pattern.split('/').map((segment) => (segment.startsWith(':') ? segment.slice(1) : ''));
  const segments = before.split('/').map((segment, at) => (isSecret(parameters[at] ?? '') ? '…' : segment));
  return [masked(segments.join('/')), ...queries.map((query) => pairsWithout(query, isSecret))].join('?');
}

/** What a user name and password in an address cannot contain, percent-encoded or not. */
const outside = /\s|[/\\?#]|%2F|%5C|%3F|%23/gi;
/** Matches the start of an address, up to the user name. */
const addressStart = /(?:https?(?::|%3A)(?:[/\\]|%2F|%5C)+|(?::|%3A)(?:\/\/|%2F%2F)(?:[/\\]|%2F|%5C)*)$/i;

/** Hide the user name and password in addresses such as `http://user:password@host`, also if they are percent-encoded. */
function withoutCredentials(text: string): string {
  const pieces = text.split(/(@|%40)/i);
  let clean = '';
  let isHidden = false;
  for (let at = 0; at < pieces.length - 1; at += 2) {
    const piece = pieces[at]!;
    const last = [...piece.matchAll(outside)].at(-1);
    const from = last ? last.index + last[0].length : 0;
    // A password may contain an @.
    if (isHidden && from === 0) continue;
    const user = piece.slice(from);
    const scheme = /https?(?::|%3A)/i.exec(user);
    isHidden = scheme !== null || addressStart.test(piece.slice(0, from).slice(-40));
    const hiddenFrom = from + (scheme ? scheme.index + scheme[0].length : 0);
    clean += isHidden ? `${piece.slice(0, hiddenFrom)}…${pieces[at + 1]}` : `${piece}${pieces[at + 1]}`;
  }
  return clean + pieces.at(-1);
}

/** Hide the secrets that a text has by their form or their place. */
const masked = (text: string): string => withoutCredentials(redactNamed(text));

/** Hide the secrets in a body. A body that cannot be parsed is replaced by its length. */
export function bodyWithoutSecrets(codec: Codec, text: string, { isForm, isRefusal }: BodyOptions = {}): string {
  const names = secretNamesOf(codec);
  const isSecret: IsSecret = (name) => names(name) && !(isRefusal && name === 'code');
  if (isForm)
    return /^\??(?:[\w%.[\]*+~-]+=[^&]*(?:&|$))+$/.test(text)
      ? pairsWithout(text.replace(/^\?/, ''), isSecret)
      : hiddenBody(text.length, 'not a form');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return JSON.stringify(hide(value, isSecret));
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
function hide(value: unknown, isSecret: IsSecret): unknown {
  if (typeof value === 'string') return masked(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hide(item, isSecret));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      masked(name),
      isSecret(name) ? hidden(field) : hide(field, isSecret),
    ]),
  );
}

/** Hide a secret. A flag or null is not one. */
function hidden(value: unknown): unknown {
  if (typeof value === 'boolean' || value === null) return value;
  return typeof value === 'string' ? mask(value) : '…';
}

/** Hide the secrets in the pairs of a form or a query. */
function pairsWithout(text: string, isSecret: IsSecret): string {
  return text
    .split('&')
    .map((pair) => {
      const name = pair.slice(0, pair.indexOf('='));
      return isSecret(decodedName(name)) ? `${name}=…` : masked(pair);
    })
    .join('&');
}

/** Decode a name like the emulator's form parser, which tolerates invalid escapes. */
const decodedName = (name: string): string => new URLSearchParams(`${name}=`).keys().next().value ?? '';
