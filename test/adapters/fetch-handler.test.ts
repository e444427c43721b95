import { type HandleResult, requireSession, respond, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { conformance } from './conformance.js';
import { listeningFetch } from './hosts.js';
import { knowing, signedOut } from './knowing.js';

const refusal = (auth: HandleResult): Response =>
  auth.status === 'retry_later'
    ? Response.json(
        { error: 'temporarily_unavailable' },
        { status: 503, headers: { 'retry-after': `${Math.ceil(auth.retryAfterMs / 1000)}` } },
      )
    : Response.json({ error: 'unauthorized' }, { status: 401, headers: { 'cache-control': 'no-store' } });

describe('in a fetch handler,', () => {
  conformance(async (sessions, gate) => {
    const opensPage = (request: Request) =>
      request.headers.get('sec-fetch-mode') === 'navigate' ||
      (!request.headers.has('sec-fetch-mode') && request.headers.get('accept')?.includes('text/html'));
    const handler = withSession(sessions, async (request, auth) => {
      const { pathname, search, searchParams } = new URL(request.url);
      if (pathname === '/who' || pathname === '/twice')
        return Response.json(
          { status: auth.status, email: auth.session?.user.email ?? null },
          { headers: { 'set-cookie': 'theme=dark' } },
        );
      if (pathname === '/news')
        return new Response('news', { headers: { 'cache-control': searchParams.get('caching') ?? 'max-age=60' } });
      if (pathname === '/sign-out') return respond(await sessions.signOut(request));
      if (pathname === '/callback') return respond(await sessions.finishSignIn(request));
      if (pathname === '/stream') return new Response(chunks(gate).pipeThrough(new TextEncoderStream()));
      if (auth.session)
        return pathname === '/private'
          ? Response.json({ email: auth.session.user.email })
          : new Response(`for ${auth.session.user.email}`);
      if (auth.status === 'signed_out' && pathname !== '/private' && opensPage(request)) {
        const started = await sessions.startSignIn(request, { returnTo: pathname + search });
        if (started.status === 'redirect') return respond(started);
      }
      return refusal(auth);
    });
    const api = requireSession(sessions, (_, { userId }) => Response.json({ userId }), { bearer: true, signIn: true });
    const recent = requireSession(sessions, (_, { userId }) => Response.json({ userId }), {
      maxAgeMs: 300_000,
      signIn: true,
    });
    const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
      '/api': api,
      '/recent': recent,
    };
    const all = (request: Request) => (routes[new URL(request.url).pathname] ?? handler)(request);
    return listeningFetch(all);
  });
});

const chunks = (gate: { passed(): Promise<void> }) =>
  new ReadableStream<string>({
    async start(controller) {
      for (const chunk of ['one', 'two', 'three']) {
        controller.enqueue(chunk);
        await gate.passed();
      }
      controller.close();
    },
  });

test("withSession passes the platform's arguments to the handler, and returns the handler's response unchanged", async () => {
  const answer = Response.redirect('https://app.test/');
  const sessions = knowing(signedOut());
  const handler = withSession(sessions, (_, auth, platform: { readonly country: string }, count: number) => {
    expect([auth.status, platform.country, count]).toEqual(['signed_out', 'CH', 2]);
    return answer;
  });

  expect(await handler(new Request('https://app.test/login'), { country: 'CH' }, 2)).toBe(answer);
});

test('withSession adds session cookies to a response with immutable headers', async () => {
  const sessions = knowing(signedOut(['set-cookie', 'sallyport-session=; Max-Age=0']));
  const handler = withSession(sessions, () => Response.redirect('https://app.test/login', 303));

  const response = await handler(new Request('https://app.test/'));

  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('https://app.test/login');
  expect(response.headers.getSetCookie()).toEqual(['sallyport-session=; Max-Age=0']);
});

test('withSession returns Response.error() unchanged', async () => {
  const answer = Response.error();
  const sessions = knowing(signedOut(['set-cookie', 'sallyport-session=; Max-Age=0']));

  expect(await withSession(sessions, () => answer)(new Request('https://app.test/'))).toBe(answer);
});

describe('withSession', () => {
  const cookie = 'sallyport-session=; Path=/; Max-Age=0';
  const sessions = knowing(signedOut(['set-cookie', cookie], ['cache-control', 'private, no-store']));
  const request = new Request('https://app.test/');
  /** The result of the handler, returned or thrown. */
  const outcome = (handler: (request: Request) => Promise<Response | void>) =>
    handler(request).then(
      (returned) => ({ returned, thrown: undefined }),
      (thrown: unknown) => ({ returned: undefined, thrown }),
    );

  test('adds the session cookie to a response that the handler throws, and rethrows the response', async () => {
    const { thrown } = await outcome(
      withSession(sessions, () => {
        throw new Response('gone', { status: 410, headers: { 'set-cookie': 'theme=dark', 'cache-control': 'public' } });
      }),
    );

    if (!(thrown instanceof Response)) throw new Error('no response was thrown');
    expect([thrown.status, await thrown.text()]).toEqual([410, 'gone']);
    expect(thrown.headers.getSetCookie()).toEqual([cookie, 'theme=dark']);
    expect(thrown.headers.get('cache-control')).toBe('private, no-store');
  });

  test.each([
    ['Next', Object.assign(new Error('NEXT_REDIRECT'), { digest: 'NEXT_REDIRECT;replace;/login?a=b;c;307;' }), 307],
    ['SvelteKit', { status: 303, location: '/login?a=b;c' }, 303],
  ])('adds the session cookie to a redirect that %s throws', async (_, redirect, status) => {
    const { returned } = await outcome(
      withSession(sessions, () => {
        throw redirect;
      }),
    );

    expect([returned?.status, returned?.headers.get('location')]).toEqual([status, '/login?a=b;c']);
    expect(returned?.headers.getSetCookie()).toEqual([cookie]);
  });

  test("passes the error and the session status to onError, and adds the session cookie to onError's response", async () => {
    const error = new Error('the database is gone');
    const handler = withSession(
      sessions,
      () => {
        throw error;
      },
      {
        onError: (thrown, auth, { url }) =>
          Response.json({ same: thrown === error, status: auth.status, url }, { status: 500 }),
      },
    );

    const { returned } = await outcome(handler);

    expect(returned?.status).toBe(500);
    expect(returned?.headers.getSetCookie()).toEqual([cookie]);
    expect(await returned?.json()).toEqual({ same: true, status: 'signed_out', url: 'https://app.test/' });
  });

  test.each([
    ['an error', new Error('the database is gone')],
    ['an error with the digest NEXT_NOT_FOUND', Object.assign(new Error(), { digest: 'NEXT_NOT_FOUND' })],
    ['an error with status 404', Object.assign(new Error(), { status: 404 })],
    ['the value undefined', undefined],
  ])('rethrows %s if onError returns no response', async (_, error) => {
    const handler = withSession(
      sessions,
      () => {
        throw error;
      },
      { onError: () => undefined },
    );

    expect(await outcome(handler)).toEqual({ returned: undefined, thrown: error });
  });

  test('returns undefined if the handler returns no response', async () => {
    const handler = withSession(sessions, (): Response | undefined => undefined);

    expect(await handler(request)).toBeUndefined();
  });

  test('provides the session cookie in auth.headers to a handler that returns no response', async () => {
    const set: string[] = [];
    const handler = withSession(sessions, (_, auth) => {
      set.push(...auth.headers.getSetCookie());
    });

    expect(await handler(request)).toBeUndefined();
    expect(set).toEqual([expect.stringContaining('sallyport-session=')]);
  });

  test('does not restore a session cookie that the handler clears', async () => {
    const cleared = 'sallyport-session=; Max-Age=0; Path=/; SameSite=Lax';
    const handler = withSession(sessions, () => new Response('', { headers: { 'set-cookie': cleared } }));

    expect((await handler(request)).headers.getSetCookie()).toEqual([cleared]);
  });

  test('prevents shared caching of a response with the session cookie, even if the handler allows caching', async () => {
    const handler = withSession(
      sessions,
      () => new Response('', { headers: { 'cdn-cache-control': 'max-age=600', 'cache-control': 'max-age=60' } }),
    );

    const { headers } = await handler(request);

    expect([headers.get('cdn-cache-control'), headers.get('cache-control')]).toEqual([null, 'private, no-store']);
  });
});
