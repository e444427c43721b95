import { type RoutedRequest, respond, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { headerOf, hostOf } from '../../src/session/request/request.js';
import { requestKind } from '../../src/session/request/request-kind.js';
import { application } from './application.js';

const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const fetchMetadata = (mode: string, dest: string, more: Record<string, string> = {}) => ({
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
  accept: mode === 'navigate' ? html : '*/*',
  ...more,
});
const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'x',
};

/** A request, its kind, headers and method. */
type Sent = [request: string, kind: string, headers: Record<string, string>, method?: string];
const requests: Sent[] = [
  // Chromium, Firefox and Safari 16.4 and later send the same metadata.
  [
    'a navigation from a link or a typed address',
    'navigation',
    fetchMetadata('navigate', 'document', { 'sec-fetch-user': '?1' }),
  ],
  ['a POST form submission', 'navigation', fetchMetadata('navigate', 'document'), 'POST'],
  ['a GET form submission', 'navigation', fetchMetadata('navigate', 'document')],
  ['a request for an iframe', 'navigation', fetchMetadata('navigate', 'iframe')],
  ['a request for a frame', 'navigation', fetchMetadata('navigate', 'frame')],
  ['a request for a fenced frame in Chromium', 'navigation', fetchMetadata('navigate', 'fencedframe')],
  ['a page request through a service worker in Chromium', 'navigation', fetchMetadata('navigate', 'empty')],
  [
    'a POST form submission through a service worker in Chromium',
    'navigation',
    fetchMetadata('navigate', 'empty'),
    'POST',
  ],
  [
    'a navigation preload',
    'navigation',
    fetchMetadata('navigate', 'document', { 'service-worker-navigation-preload': 'true' }),
  ],
  ['a request from an object element', 'part', fetchMetadata('navigate', 'object')],
  ['a request from an embed element', 'part', fetchMetadata('navigate', 'embed')],
  ['a fetch request', 'script', fetchMetadata('cors', 'empty')],
  ['a same-origin fetch request', 'script', fetchMetadata('same-origin', 'empty')],
  ['a no-cors fetch request or beacon', 'script', fetchMetadata('no-cors', 'empty'), 'POST'],
  ['a fetch request for HTML', 'script', fetchMetadata('cors', 'empty', { accept: html })],
  ['a request from an event source', 'script', fetchMetadata('cors', 'empty', { accept: 'text/event-stream' })],
  ['a request for an image', 'part', fetchMetadata('no-cors', 'image')],
  ['a request for a style sheet', 'part', fetchMetadata('no-cors', 'style')],
  ['a request for a script file', 'part', fetchMetadata('no-cors', 'script')],
  ['a request for a script module', 'part', fetchMetadata('cors', 'script')],
  ['a request for a font', 'part', fetchMetadata('cors', 'font')],
  ['a request for a video', 'part', fetchMetadata('no-cors', 'video')],
  ['a request for a manifest', 'part', fetchMetadata('cors', 'manifest')],
  ['a request for a worker', 'part', fetchMetadata('same-origin', 'worker')],
  ['a request for a shared worker', 'part', fetchMetadata('same-origin', 'sharedworker')],
  [
    'a request for a service worker file',
    'part',
    fetchMetadata('same-origin', 'serviceworker', { 'service-worker': 'script' }),
  ],
  ['a preload of a style sheet', 'part', fetchMetadata('no-cors', 'style')],
  ['a preload of data with as=fetch', 'script', fetchMetadata('cors', 'empty')],
  ['a request that sends a report', 'part', fetchMetadata('no-cors', 'report'), 'POST'],
  ['a WebSocket request in Chromium or Firefox', 'part', { ...webSocket, ...fetchMetadata('websocket', 'websocket') }],
  [
    'a WebSocket request with an empty destination in Firefox',
    'part',
    { ...webSocket, ...fetchMetadata('websocket', 'empty') },
  ],
  ['a WebSocket request without metadata', 'part', webSocket],
  ['a WebSocket request over HTTP/2', 'part', { 'sec-websocket-version': '13' }, 'CONNECT'],
  ['a prefetch in Chromium', 'prefetch', fetchMetadata('no-cors', 'empty', { 'sec-purpose': 'prefetch' })],
  [
    'a prefetch triggered by speculation rules',
    'prefetch',
    fetchMetadata('navigate', 'document', { 'sec-purpose': 'prefetch' }),
  ],
  ['a prerender', 'prefetch', fetchMetadata('navigate', 'document', { 'sec-purpose': 'prefetch;prerender' })],
  [
    'a prerender request through a service worker',
    'prefetch',
    fetchMetadata('navigate', 'empty', { 'sec-purpose': 'prefetch;prerender' }),
  ],
  ['a prefetch in Safari', 'prefetch', fetchMetadata('no-cors', 'empty', { purpose: 'prefetch' })],
  ['a page preview request from Safari', 'prefetch', fetchMetadata('navigate', 'document', { 'x-purpose': 'preview' })],
  ['a prefetch in Firefox', 'prefetch', fetchMetadata('no-cors', 'empty', { 'x-moz': 'prefetch' })],
  ['a Next prefetch', 'prefetch', fetchMetadata('cors', 'empty', { 'next-url': '/orders', rsc: '1' })],
  ['a HEAD request from a browser', 'part', fetchMetadata('navigate', 'document'), 'HEAD'],
  ['a HEAD request from a program', 'part', {}, 'HEAD'],
  ['a page request from a browser without fetch metadata', 'navigation', { accept: html }],
  ['a page request from an Android app', 'navigation', { accept: html, 'x-requested-with': 'com.example.app' }],
  ['an image request from a browser without fetch metadata', 'unknown', { accept: 'image/avif,image/webp,*/*;q=0.8' }],
  [
    'an XMLHttpRequest from a browser without fetch metadata',
    'script',
    { accept: html, 'x-requested-with': 'XMLHttpRequest' },
  ],
  ['a fetch request from a browser without fetch metadata', 'unknown', { accept: '*/*' }],
  ['a request from curl', 'unknown', { accept: '*/*' }],
  ["a request from Node's fetch", 'script', { accept: '*/*', 'sec-fetch-mode': 'cors' }],
];

test.each<Sent>(requests)('requestKind() classifies %s as "%s"', (_, kind, headers, method = 'GET') => {
  expect(requestKind({ headers, method })).toBe(kind);
  const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value.toUpperCase()]);
  expect(requestKind({ headers: new Headers(Object.fromEntries(shouted)), method })).toBe(kind);
});

/** The status of the response by kind, without a session. */
const statuses: Readonly<Record<string, number>> = {
  navigation: 302,
  script: 401,
  part: 401,
  prefetch: 204,
  unknown: 401,
};

/** The status of a request for a protected page. A posted form cannot start a sign-in. */
const statusOf = (kind: string, method = 'GET') => (kind === 'navigation' && method === 'POST' ? 401 : statuses[kind]);

describe('without a session,', () => {
  test.each(
    requests.map(
      ([request, kind, headers, method]) => [request, statusOf(kind, method), kind, headers, method] as const,
    ),
  )('%s gets status %s', async (_request, status, kind, headers, method = 'GET') => {
    const { sessions } = await application();
    const handler = withSession<[], Response, RoutedRequest>(sessions, () => new Response('page'), {
      protect: ['/account'],
      routes: true,
    });
    // `Request` does not allow CONNECT.
    const request = { url: '/account', method, headers };
    const isForm = method === 'POST' && kind === 'navigation';

    const response = await handler(request);

    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.getSetCookie().length).toBe(response.status === 302 ? 1 : 0);
    if (isForm) expect(await response.text()).toContain('You are no longer signed in.');
  });

  test.each(
    requests
      .filter(([, , , method]) => method === undefined)
      .map(([request, kind, headers]) => [kind === 'unknown' ? 302 : statuses[kind], request, headers] as const),
  )('startSignIn returns status %s for %s', async (status, _request, headers) => {
    const { sessions } = await application();

    const response = respond(await sessions.startSignIn({ headers }));

    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('a session with an idle limit', () => {
  const minute = 60_000;

  const rows = requests.map(([request, kind, headers, method = 'GET']) => {
    const isActivity = kind === 'navigation' || (method === 'POST' && kind === 'script');
    return [isActivity ? 'is extended' : 'is not extended', request, { headers, method, isActivity }] as const;
  });

  test.each(rows)('%s by %s', async (_outcome, _request, { headers, method, isActivity }) => {
    const app = await application({}, { limits: { idleMs: 10 * minute } });
    await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
    await app.signIn();
    await app.emulator.clock.advance('2m');

    const { headers: set } = await app.sessions.handle({ headers: { ...headers, ...app.browser.headers }, method });

    const isNoted = set.getSetCookie().some((line) => line.includes('-activity'));
    expect(isNoted).toBe(isActivity);
  });
});

test('header lookup ignores case and joins repeated headers', () => {
  const headers = { Cookie: ['a=1', 'b=2'], 'X-Forwarded-For': ['::1', '::2'], HOST: 'app.acme.test' };

  expect(headerOf({ headers }, 'cookie')).toBe('a=1; b=2');
  expect(headerOf({ headers }, 'x-forwarded-for')).toBe('::1, ::2');
  expect(hostOf({ headers })).toBe('app.acme.test');
  expect(headerOf({ headers }, 'hosts')).toBeUndefined();
  expect(headerOf({ headers: { cookie: 'a=1', Cookie: 'b=2' } }, 'cookie')).toBe('a=1');
});
