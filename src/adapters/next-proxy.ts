import { cookiesOf } from '../session/cookie/set-cookie.js';
import { type Admission, chooseSessions, pathGuard } from '../session/guard/guard.js';
import { type Address, addressAt } from '../session/guard/paths.js';
import { checkedPolicy, type ProtectOptions, type SessionChoice } from '../session/guard/policy.js';
import { respondWithCookies } from '../session/guard/with-session.js';
import type { HandleResult } from '../session/refresh/results.js';
import type { RoutedRequest } from '../session/request/request.js';
import type { Sessions } from '../session/types.js';

/** The part of a request that is available in pages, actions and the proxy. */
export interface NextAsked {
  readonly headers: { get(name: string): string | null };
}

/** The request that the proxy receives. */
export interface NextProxyRequest extends Request {
  /** The URL without the base path. */
  readonly nextUrl?: NextPath;
}

/** The parts of `nextUrl` that we use. */
export interface NextPath {
  /** Without the base path, and usually without the locale. */
  readonly pathname: string;
  readonly basePath?: string | undefined;
  readonly locale?: string | undefined;
}

/** The second argument of the proxy. */
export interface NextProxyEvent {
  waitUntil(promise: Promise<unknown>): void;
}

/** Options of `proxy`. */
export interface NextProxyOptions<Incoming extends NextProxyRequest = NextProxyRequest> extends ProtectOptions {
  /**
   * Run another proxy, such as the middleware of next-intl, for each request that may pass. Its request already has the refreshed
   * cookie. Headers from the client that could control Next are removed. If it returns nothing, Next shows the page.
   *
   * `protect`, `permission` and `maxAgeMs` apply to the path of the request, and also to the path that the other proxy rewrites to.
   * Name the paths of all locales. The page gets our `cookie` and `x-sallyport-path`, even if the other proxy changes or removes them.
   * Its redirects and responses carry our cookies.
   *
   * If it rewrites to another host, Next sends the cookies of the browser there, as it does without this option. A refreshed cookie is
   * not sent there. The browser keeps its old cookie, and its next request gets the same tokens.
   */
  readonly then?:
    | ((request: Incoming, auth: HandleResult) => Response | undefined | void | Promise<Response | undefined | void>)
    | undefined;
}

/** Request header with the path of the page, set by the proxy. */
export const pathHeader = 'x-sallyport-path';

/** Response headers that control Next. */
const rewriteHeader = 'x-middleware-rewrite';
const overrideList = 'x-middleware-override-headers';
const overridePrefix = 'x-middleware-request-';

/** Headers that only the proxy may set. A proxy that copies the headers of the request to its response would obey the client. */
const internalHeader = /^x-(?:middleware-(?:next|override-headers|request-.*|rewrite|set-cookie)|sallyport-path)$/;

/** Create the proxy. */
export function proxyOf<Incoming extends NextProxyRequest>(
  sessions: SessionChoice<NextAsked, Sessions>,
  options: NextProxyOptions<Incoming>,
): (request: Incoming, event?: NextProxyEvent) => Promise<Response> {
  const guard = pathGuard(checkedPolicy<NextProxyOptions<Incoming>>('proxy', options, { then: 1 }));
  const { then } = options;
  return async (request, event) => {
    const requestSessions = await chooseSessions(sessions, request);
    const routed = withBasePath(request);
    const decide = async (checkCookie: () => Promise<HandleResult>, addresses: readonly Address[]) =>
      forNext(request, await guard(requestSessions, routed, checkCookie, addresses));
    const checkCookie = () =>
      requestSessions.handle(request, { waitUntil: event && ((promise) => event.waitUntil(promise)) });
    const { nextUrl } = request;
    const sent = new URL(request.url).pathname;
    const addresses = nextUrl ? [sentBy(nextUrl, sent), matchedBy(nextUrl)] : [{ path: sent }];
    const admitted = await decide(checkCookie, addresses);
    const { NextRequest, NextResponse } = await import('next/server');
    const response = await respondWithCookies(request, admitted, async (auth) => {
      const headers = headersForPage(request, auth);
      if (!then) return NextResponse.next({ request: { headers } });
      const passed = new NextRequest(request, { headers });
      // The base path and the locales are known only to the URL that Next created.
      if (request.nextUrl) Object.defineProperty(passed, 'nextUrl', { value: Object(request.nextUrl).clone() });
      const here = passed.nextUrl.clone();
      // NextRequest is the type of each request that Next passes to a proxy.
      const answer = await then(passed as unknown as Incoming, auth);
      if (!answer) return NextResponse.next({ request: { headers } });

      const rewrite = answer.headers.get(rewriteHeader);
      if (rewrite === null) return answer.headers.has('x-middleware-next') ? forPage(answer, headers) : answer;
      const target = here.clone();
      target.href = rewrite;
      const hosts = [here.host, request.headers.get('host'), request.headers.get('x-forwarded-host')];
      if (hosts.includes(target.host)) {
        const { refusal } = await decide(async () => auth, [matchedBy(target)]);
        if (refusal) return new Response(refusal.body, refusal);
      }
      if (target.origin === here.origin) return forPage(answer, headers);
      // Next sends the response headers of a proxy to the other host too.
      auth.headers.delete('set-cookie');
      return forOtherHost(answer, headers, request);
    });
    return withBodyForRouter(request, response);
  };
}

/** The base path. Next replaces the variable when it builds the application, and omits the path itself for some data of `i18n`. */
const basePathOf = ({ basePath }: NextPath): string => basePath || process.env.__NEXT_ROUTER_BASEPATH || '';

/** The address as sent. Rules and open paths may be written without the base path and the locale. */
function sentBy(url: NextPath, path: string): Address {
  const mount = basePathOf(url);
  const { locale = '' } = url;
  const isLocale = locale !== '' && `${path}/`.startsWith(`${mount}/${locale}/`);
  return addressAt(path, isLocale ? `${mount}/${locale}` : mount, 'fixed');
}

/** The address that decides the page, without its locale. */
function matchedBy(url: NextPath): Address {
  const mount = basePathOf(url);
  const { pathname, locale = '' } = url;
  const withoutLocale = (path: string) =>
    locale !== '' && `${path}/`.startsWith(`/${locale}/`) ? path.slice(locale.length + 1) || '/' : path;
  // With `i18n` or `skipProxyUrlNormalize`, Next leaves the base path, the locale and the address of data in some paths.
  const isWhole = !url.basePath && mount !== '' && `${pathname}/`.startsWith(`${mount}/`);
  const path = isWhole ? withoutLocale(pathname.slice(mount.length) || '/') : pathname;
  const [before = '', data] = path.split(/\/_next\/data\/[^/]+(?=\/)/);
  const isData = data?.endsWith('.json') === true && withoutLocale(before || '/') === '/';
  const page = isData && data ? withoutLocale(data.slice(0, -'.json'.length)).replace(/^\/index$/, '/') : path;
  return addressAt(mount + page, mount, 'fixed');
}

/** Tell the sessions the base path of the application. */
export const withBasePath = (request: Request & { readonly nextUrl?: NextProxyRequest['nextUrl'] }): RoutedRequest =>
  Object.assign(request, { basePath: request.nextUrl && basePathOf(request.nextUrl) });

/** Add to a refusal what Next requires. */
function forNext(request: Request, admission: Admission): Admission {
  const { headers } = admission.refusal ?? {};
  const location = headers?.get('location');
  // Next accepts only absolute URLs from a proxy.
  if (location) headers?.set('location', new URL(location, request.url).href);
  // Without this header, Next shows its error page for an action that was refused.
  if (request.headers.has('next-action')) headers?.set('x-action-redirect', `${pathOf(request)};replace`);
  return admission;
}

/** Create the headers of the request for the page: with the cookie that the browser will have, and its path. */
function headersForPage(request: Request, auth: HandleResult): Headers {
  const headers = withoutInternal(request.headers);
  headers.set(pathHeader, pathOf(request));
  headers.set('cookie', cookiesAfter(headers.get('cookie') ?? '', auth.headers));
  return headers;
}

const pathOf = ({ url }: Request): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

const withoutInternal = (headers: Headers): Headers =>
  new Headers([...headers].filter(([name]) => !internalHeader.test(name)));

/** Override the headers of the page's request in the response of another proxy. Its other overrides are kept. */
function forPage(response: Response, ours: Headers): Response {
  const headers = withoutInternal(overridesIn(response) ?? ours);
  for (const name of ['cookie', pathHeader]) headers.set(name, ours.get(name) ?? '');
  return withOverrides(response, headers);
}

/** Remove our overrides from a response that rewrites to another host. */
function forOtherHost(response: Response, ours: Headers, request: Request): Response {
  const headers = overridesIn(response);
  if (!headers) return response;
  headers.delete(pathHeader);
  if (headers.get('cookie') === ours.get('cookie')) {
    const sent = request.headers.get('cookie');
    if (sent === null) headers.delete('cookie');
    else headers.set('cookie', sent);
  }
  return withOverrides(response, headers);
}

/** Get the request headers that a response of a proxy sets, or undefined if it leaves them as they are. */
function overridesIn({ headers }: Response): Headers | undefined {
  const names =
    headers
      .get(overrideList)
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  const overrides = names.flatMap((name): [string, string][] => {
    const value = headers.get(overridePrefix + name);
    return value === null ? [] : [[name, value]];
  });
  return names.length > 0 ? new Headers(overrides) : undefined;
}

function withOverrides(response: Response, overrides: Headers): Response {
  const copy = new Response(response.body, response);
  for (const name of response.headers.keys()) if (name.startsWith(overridePrefix)) copy.headers.delete(name);
  for (const [name, value] of overrides) copy.headers.set(overridePrefix + name, value);
  copy.headers.set(overrideList, [...overrides.keys()].join(','));
  return copy;
}

/** Replace status 204 with an empty 200, because Next's router reports 204 as an error. The router then loads the page. */
export const withBodyForRouter = (request: Request, response: Response): Response =>
  response.status === 204 && ['next-url', 'rsc'].some((name) => request.headers.has(name))
    ? new Response('', { headers: response.headers })
    : response;

/** Return the `Cookie` header that the browser will send after it has stored the cookies in these headers. */
export function cookiesAfter(header: string, headers: Headers): string {
  const set = cookiesOf(headers);
  const names = new Set(set.map(({ name }) => name));
  const others = header.split(/; */).filter((pair) => pair && !names.has(pair.split('=', 1)[0]!.trim()));
  const fresh = set.filter(({ attributes }) => attributes.maxAge !== 0).map(({ name, value }) => `${name}=${value}`);
  return [...others, ...fresh].join('; ');
}
