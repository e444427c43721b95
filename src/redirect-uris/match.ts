import { parsedUrl } from '../http/parsed-url.js';
import { type RedirectUriOptions, redirectUriProblem } from './rules.js';

/** What a wildcard stands for: at least one character of one label. */
const labelPart = /^[A-Za-z0-9_-]+$/;

/** A loopback address without a port, and what follows it. */
const portlessLoopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?=[/?]|$)(.*)$/s;

/**
 * Whether a user may be sent to `uri` because `registered` is a redirect URI; what breaks a rule allows nothing.
 *
 * Scheme, host, port, path and query are compared letter by letter, so nothing that two parsers read differently can
 * pass. Two things vary: a wildcard stands for one label of the host or a part of it, and a loopback address that is
 * registered without a port, `http://127.0.0.1/callback`, stands for every port, since native clients cannot choose
 * theirs beforehand (RFC 8252 section 7.3).
 *
 * @example
 * matchesRedirectUri('https://*.acme.test/callback', 'https://eu.acme.test/callback'); // true
 * matchesRedirectUri('https://*.acme.test/callback', 'https://a.b.acme.test/callback'); // false
 */
export function matchesRedirectUri(registered: string, uri: string, options: RedirectUriOptions = {}): boolean {
  if (redirectUriProblem(registered, options)) return false;
  if (registered === uri) return !registered.includes('*');
  const [before = '', after] = registered.split('*', 2);
  if (after !== undefined) return labelPart.test(between(uri, before, after)) && parsedUrl(uri) !== undefined;
  const [, origin, rest] = portlessLoopback.exec(registered) ?? [];
  if (origin === undefined || rest === undefined) return false;
  return /^:[1-9]\d{0,4}$/.test(between(uri, origin, rest)) && parsedUrl(uri) !== undefined;
}

/** What stands between a beginning and an end; nothing where the text has another beginning or end. */
const between = (text: string, before: string, after: string): string =>
  text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after)
    ? text.slice(before.length, text.length - after.length)
    : '';
