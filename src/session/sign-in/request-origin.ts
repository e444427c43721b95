import { parsedUrl } from '../../http/parsed-url.js';
import { hasCookie } from '../cookie/cookies.js';
import type { SessionContext } from '../handle/session-context.js';
import { bearerToken, headerOf, hostOf, mayChange, type RequestLike } from '../request/request.js';
import { forwardedHeader, redirectUriFor, withoutFinalDot } from './redirect-address.js';

/** Options of `isCrossOrigin`. */
export interface CrossOriginOptions {
  /** Further origins whose pages may send requests with the session cookie, such as `https://admin.example.com`; default: none. */
  readonly origins?: readonly string[] | undefined;
}

/** Implement `Sessions.isCrossOrigin`. */
export const isCrossOrigin = (
  context: SessionContext,
  request: RequestLike,
  { origins }: CrossOriginOptions = {},
): boolean =>
  mayChange(request) &&
  hasCookie(headerOf(request, 'cookie'), context.cookie) &&
  // Browsers add no bearer token by themselves, so a page that sends one has it.
  !bearerToken(request) &&
  senderOf(context, request, origins) === 'other_origin';

/**
 * Find out who sent a request: a page of the same origin, a user who typed the address, a page of another origin, or a program. Only
 * browsers set `Sec-Fetch-Site`; older ones set `Origin` alone.
 */
export function senderOf(
  context: SessionContext,
  request: RequestLike,
  origins: readonly string[] = [],
): 'same_origin' | 'user' | 'other_origin' | 'program' {
  const site = headerOf(request, 'sec-fetch-site');
  const origin = headerOf(request, 'origin');
  if (origin !== undefined && origins.includes(origin)) return 'same_origin';
  if (site === 'none') return 'user';
  if (site !== undefined) return site === 'same-origin' ? 'same_origin' : 'other_origin';
  if (origin === undefined) return 'program';
  return originsOf(context, request, origin).includes(withoutFinalDot(origin)) ? 'same_origin' : 'other_origin';
}

/** The origins of this application for a request that a page of `origin` sent. */
function originsOf(context: SessionContext, request: RequestLike, origin: string): readonly (string | undefined)[] {
  const { url = '' } = request;
  // Node has only the path, which may look like `//host/path`.
  const target = url.startsWith('/') ? undefined : parsedUrl(url);
  const host = forwardedHeader(context, request, 'x-forwarded-host') ?? target?.host ?? hostOf(request);
  // Without a protocol, because a server behind a proxy that ends TLS sees `http:` where the page sees `https:`.
  const own = parsedUrl(redirectUriFor(context, { headers: { host } }) ?? '')?.origin;
  // With `redirectUris`, only the hosts of the list are those of the application.
  if (context.redirectUris.length > 0 || !host) return [own];
  const protocol = forwardedHeader(context, request, 'x-forwarded-proto') ?? target?.protocol.slice(0, -1);
  // An attacker in the network can forge an unencrypted page of the same host.
  const isPlain = origin.startsWith('http:') && protocol !== 'https' && !own?.startsWith('https:');
  const sent = parsedUrl(`${isPlain ? 'http' : 'https'}://${host}`)?.origin;
  return [own, sent && withoutFinalDot(sent)];
}
