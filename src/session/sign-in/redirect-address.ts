import { checkOption } from '../../errors/known-options.js';
import { isLike } from '../../http/json.js';
import { parsedUrl } from '../../http/parsed-url.js';
import type { SessionContext } from '../handle/session-context.js';
import { headerOf, hostOf, type RequestLike } from '../request/request.js';

type AddressContext = Pick<SessionContext, 'redirectUris' | 'redirectUri' | 'trustProxy' | 'cookie'>;

/**
 * Choose the redirect URI for a request: the first of `redirectUris` with its origin, otherwise `redirectUri`.
 *
 * A client may send any `Host`, but cannot lead a code elsewhere. Only listed addresses match, and the service accepts only registered
 * ones. The address is sealed when the sign-in starts, and the user must return to it.
 *
 * @throws {ConfigurationError} `invalid_option`: an address is wrong, or the cookie covers several hosts.
 */
export function redirectUriFor(context: AddressContext, request: RequestLike): string | undefined {
  const { redirectUris, redirectUri } = context;
  checkAddresses(context);
  const forwarded = (name: string) => forwardedHeader(context, request, name);
  const url = parsedUrl(request.url ?? '');
  // Node gives only a path and `Host`. The protocol is then that of the listed address.
  const protocol = (forwarded('x-forwarded-proto') ?? url?.protocol.slice(0, -1))?.toLowerCase();
  const sentHost = forwarded('x-forwarded-host') ?? url?.host ?? hostOf(request) ?? '';
  for (const listed of redirectUris) {
    const [, scheme = '', listedHost = '', path = ''] = /^(\w+):\/\/([^/]+)(.*)/.exec(listed) ?? [];
    const host = plainHost(sentHost, scheme);
    if ((protocol ?? scheme) === scheme && matchesHost(listedHost, host)) return `${scheme}://${host}${path}`;
  }
  return redirectUri;
}

/** The first value of a header that a proxy set. Undefined if it is empty, and unless `trustProxy` is set. */
export const forwardedHeader = (
  { trustProxy }: Pick<AddressContext, 'trustProxy'>,
  request: RequestLike,
  name: string,
): string | undefined => (trustProxy && headerOf(request, name)?.split(',')[0]?.trim()) || undefined;

/** The page where users arrive by default: the path of the cookie, or the path of the application. */
export const homePath = ({ cookie }: Pick<AddressContext, 'cookie'>, { basePath }: Pick<RequestLike, 'basePath'>) =>
  cookie.path === '/' ? basePath || '/' : cookie.path;

/** Return a host in the spelling of `redirectUris`: in lower case, without a final dot and the default port of the scheme. */
function plainHost(host: string, scheme: string): string {
  const port = scheme === 'https' ? ':443' : ':80';
  return withoutFinalDot((host.endsWith(port) ? host.slice(0, -port.length) : host).toLowerCase());
}

/** Remove the final dot of the name in a host or an origin. `app.example.com.` is the full name of `app.example.com`. */
export const withoutFinalDot = (host: string): string => host.replace(/\.(?=(?::\d+)?$)/, '');

/** Whether a host, with its port, is the listed one. A `*` stands for letters, digits and hyphens of one label. */
function matchesHost(listed: string, host: string): boolean {
  const [before = '', after] = listed.split('*');
  if (after === undefined) return host === listed;
  return (
    host.startsWith(before) &&
    host.endsWith(after) &&
    /^[a-z\d-]{1,63}$/.test(host.slice(before.length, host.length - after.length))
  );
}

/** Matches an address with at most one `*` in its host, before the last two labels. */
const listedAddress =
  /^(?:https:\/\/[a-z\d.-]*(?:\*[a-z\d-]*(?:\.[a-z\d-]+){2,})?|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?<!\.)(?::\d+)?\/[^*?#]*$/;

/** Check the redirect URIs, at a sign-in rather than in `createSessions`, to keep the check out of the main bundle. */
function checkAddresses({ redirectUris, redirectUri, cookie }: AddressContext): void {
  for (const address of redirectUris) {
    // Hosts are compared as browsers send them: in lower case, as ASCII, without the default port.
    const example = isLike(address, listedAddress) ? address.replace('*', 'a') : '';
    checkOption(
      parsedUrl(example)?.href === example,
      'redirectUris',
      'must contain addresses with https:// and a path, and at most one * before the last two labels of the host',
      'Use addresses such as https://app-*-team.example.com/callback',
    );
  }
  const hosts = new Set([redirectUri ?? [], redirectUris].flat().map((address) => parsedUrl(address)?.hostname));
  // The hosts could otherwise read and replace the sessions of each other.
  checkOption(
    !cookie.attributes.includes('; Domain=') ||
      redirectUris.length === 0 ||
      (hosts.size === 1 && ![...hosts].join().includes('*')),
    'cookie.domain',
    'must not be set if redirectUris have several hosts',
    'Leave it out, so that each host has its own cookie',
  );
}
