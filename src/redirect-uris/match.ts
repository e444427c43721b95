import { parsedUrl } from '../http/parsed-url.js';
import { type RedirectUriOptions, redirectUriProblem } from './rules.js';

/** Matches what a wildcard can replace: at least one character of one label. */
const labelPart = /^[A-Za-z0-9_-]+$/;

/** Matches a loopback URL without a port: its origin and the rest. */
const portlessLoopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?=[/?]|$)(.*)$/s;

/**
 * Check whether the registered redirect URI `registered` allows `uri`. A `registered` that breaks a rule allows nothing.
 *
 * The URIs are compared as strings, because parsers may differ. There are two exceptions: a wildcard matches one label of the
 * host or a part of it, and a loopback URI registered without a port, such as `http://127.0.0.1/callback`, matches every port,
 * because native clients cannot choose theirs beforehand (RFC 8252 section 7.3).
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

/** Return the text between a prefix and a suffix. Empty if the text does not have both. */
const between = (text: string, before: string, after: string): string =>
  text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after)
    ? text.slice(before.length, text.length - after.length)
    : '';
