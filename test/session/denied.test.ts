import {
  respond,
  type SessionProblem,
  type SessionsOptions,
  type SignedInTarget,
  type SignInProblem,
  withSession,
} from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { published } from '../diagnostics.js';
import { captureWarnings } from '../runner/warnings.js';
import { application } from './application.js';

captureWarnings();

const page = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
const email = { ada: 'ada@example.com', grace: 'grace@example.com' };

/** An application whose `onSignedIn` denies the users in `denied`. */
async function guarded(options: Partial<SessionsOptions> = {}) {
  const denied = new Set<string>();
  const problems: SessionProblem[] = [];
  const app = await application(
    {},
    {
      onProblem: (problem) => void problems.push(problem),
      onSignedIn: ({ session }) => (denied.has(session.user.email) ? { deny: 'left_the_company' } : undefined),
      ...options,
    },
  );
  const { userManagement } = app.sallyport;
  const ada = await userManagement.createUser({ email: email.ada, emailVerified: true });
  const grace = await userManagement.createUser({ email: email.grace, emailVerified: true });
  const statusesOf = async ({ id }: { readonly id: string }) =>
    (await userManagement.listSessions(id)).data.map(({ status }) => status);
  return { ...app, ada, grace, denied, problems, statusesOf };
}

describe('a user whom onSignedIn denies', () => {
  test('gets no cookie, and the new session is revoked', async () => {
    const { signIn, denied, browser, ada, statusesOf, problems } = await guarded();
    denied.add(email.ada);

    const result = await signIn({ returnTo: '/reports' });

    expect(result).toMatchObject({
      status: 'failed',
      reason: 'not_allowed',
      code: 'left_the_company',
      session: null,
      returnTo: '/reports',
    });
    expect(browser.names).toEqual([]);
    expect(await statusesOf(ada)).toEqual(['revoked']);
    expect(problems).toEqual([]);
  });

  test('loses the previous session, which is also revoked', async () => {
    const ended: unknown[] = [];
    const { signIn, denied, browser, ada, statusesOf } = await guarded({
      limits: { idleMs: 3_600_000 },
      onSignedOut: ({ signal, ...event }) => void ended.push(event),
    });
    const first = await signIn();
    const sessionId = first.status === 'signed_in' ? first.session.sessionId : '';
    denied.add(email.ada);

    await signIn();

    expect(browser.names).toEqual([]);
    expect(await statusesOf(ada)).toEqual(['revoked', 'revoked']);
    expect(ended).toEqual([{ userId: ada.id, sessionId, reason: 'not_allowed' }]);
  });

  test("does not end another user's session in the browser", async () => {
    const { signIn, denied, browser, sessions, grace, statusesOf } = await guarded();
    await signIn({ loginHint: email.grace });
    denied.add(email.ada);
    const before = browser.header;

    await signIn();

    expect(browser.header).toBe(before);
    expect((await sessions.handle(browser.request)).session?.userId).toBe(grace.id);
    expect(await statusesOf(grace)).toEqual(['active']);
  });

  test('loses an expired previous session even if the service is down', async () => {
    const { signIn, start, approve, denied, browser, finish, emulator, problems } = await guarded();
    await signIn();
    await emulator.clock.advance('6m');
    denied.add(email.ada);
    const url = await approve(await start());
    await emulator.faults.add({ operation: 'userManagement.logout', status: 503 });

    const result = await finish(url);

    expect([result.status, browser.names]).toEqual(['failed', []]);
    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['sign_out_failed']);
  });
});

describe('the response to a denied user', () => {
  test('is a page with a link to sign in with another account', async () => {
    const { sessions, start, approve, browser, denied } = await guarded();
    denied.add(email.ada);
    const site = withSession(sessions, () => new Response(), { protect: ['/reports'], routes: true });
    const url = await approve(await start({ returnTo: '/reports?q=1' }));

    const response = await site(new Request(url, { headers: { ...page, ...browser.headers } }));
    const [, link = ''] = /<a href="([^"]+)"/.exec(await response.text()) ?? [];

    expect(response.status).toBe(403);
    expect(link).toBe('/sign-in?prompt=login&#38;return_to=%2Freports%3Fq%3D1');
    const again = await site(new Request(new URL(link.replace('&#38;', '&'), url), { headers: page }));
    const { searchParams } = new URL(again.headers.get('location') ?? '');
    expect([searchParams.get('prompt'), searchParams.get('login_hint')]).toEqual(['login', null]);
  });

  test.each([
    ['/sign-in', '/', {}],
    ['/en/sign-in', '/en', {}],
    ['/en/log-in', '/en', { signIn: '/en/log-in' }],
    ['/log-in', '', { signIn: '/log-in' }],
  ])('has a link to %s if basePath is %j and routes is %j', async (path, basePath, routes) => {
    const { sessions, start, approve, browser, denied } = await guarded();
    denied.add(email.ada);
    const url = await approve(await start());

    const result = await sessions.route({ url, basePath, headers: browser.headers }, routes);

    expect(result).toMatchObject({ status: 'failed', returnTo: expect.stringMatching(`^${path}\\?prompt=login&`) });
  });

  test('can be rendered by the application from the denial code', async () => {
    const { signIn, denied } = await guarded();
    denied.add(email.ada);
    const seen: SignInProblem[] = [];
    const result = await signIn();

    const response = respond({ ...result, forPerson: true } as typeof result, {
      page: (problem) => String(seen.push(problem)),
    });

    expect(response.status).toBe(403);
    expect(seen).toEqual([
      {
        status: 403,
        reason: 'not_allowed',
        code: 'left_the_company',
        sentence: 'You may not sign in with this account.',
        tryAgain: '/',
      },
    ]);
  });

  test('is JSON with the code if a script sent the request', async () => {
    const { signIn, denied } = await guarded();
    denied.add(email.ada);

    const response = respond(await signIn());

    expect([response.status, await response.json()]).toEqual([403, { error: 'not_allowed', code: 'left_the_company' }]);
  });

  test('is reported on the diagnostics channel with the denial code', async () => {
    const { signIn, denied } = await guarded();
    denied.add(email.ada);
    const messages = published('sallyport:session:callback');

    await signIn();

    expect(messages.map(([, message]) => message)).toEqual([
      { status: 'failed', reason: 'not_allowed', code: 'left_the_company' },
    ]);
  });
});

describe('onSignedIn', () => {
  const returning = async (target: unknown) => {
    const app = await guarded({ onSignedIn: () => target as SignedInTarget });
    return { ...app, result: await app.signIn({ returnTo: '/reports' }) };
  };

  test.each([[undefined], [null]])('does not affect the sign-in if the returned value is %s', async (target) => {
    const { result } = await returning(target);

    expect(result).toMatchObject({ status: 'signed_in', returnTo: '/reports' });
  });

  test.each([['A'], ['not_a_member'], ['E_42'], ['_'.repeat(64)]])(
    'can deny the user with the code %s',
    async (deny) => {
      const { result } = await returning({ deny });

      expect(result).toMatchObject({ status: 'failed', reason: 'not_allowed', code: deny });
    },
  );

  test.each(['https://shop.test/', 'https://shop.test/cart', 'HTTPS://SHOP.TEST:443'])(
    'can redirect to a page on https://shop.test if allow contains %s',
    async (entry) => {
      const { result } = await returning({ redirectTo: 'https://shop.test/a?b=1', allow: [entry] });

      expect(result).toMatchObject({ status: 'signed_in', returnTo: 'https://shop.test/a?b=1' });
    },
  );

  test.each([
    ['https://app.company.test/', ['https://app.company.test.evil.test']],
    ['https://app.co/', ['https://app.company.test']],
    ['https://app.company.test:8443/', ['https://app.company.test']],
    ['http://app.company.test/', ['https://app.company.test']],
    ['https://app.company.test@evil.test/', ['https://app.company.test']],
  ])('cannot redirect to %s if allow is %j', async (redirectTo, allow) => {
    const { result } = await returning({ redirectTo, allow });

    expect(result).toMatchObject({ status: 'signed_in', returnTo: '/' });
  });

  test.each<[unknown, RegExp]>([
    [{ deny: '' }, /deny must be a code of 1 to 64 letters/],
    [{ deny: undefined }, /deny must be a code/],
    [{ deny: true }, /deny must be a code/],
    [{ deny: 'not-a-member' }, /deny must be a code/],
    [{ deny: 'a\n' }, /deny must be a code/],
    [{ deny: 'é' }, /deny must be a code/],
    [{ deny: 'a'.repeat(65) }, /deny must be a code/],
    [{ deny: 'a', redirectTo: '/' }, /either deny or redirectTo/],
    [
      { redirectTo: 'https://app.co/', allow: 'https://app.company.test' },
      /allow must be a list of origins, not string/,
    ],
    [{ redirectTo: 'https://app.co/', allow: null }, /allow must be a list of origins, not null/],
    [{ redirectTo: 'https://app.co/', allow: ['app.co'] }, /allow must contain origins/],
    [{ redirectTo: 'https://app.co/', allow: ['https://app.co', undefined] }, /allow must contain origins/],
    [{ redirectTo: 'https://app.co/', allow: ['javascript:alert(1)'] }, /allow must contain origins/],
    [{ redirectTo: new URL('https://app.co/'), allow: [] }, /redirectTo must be a path .* not URL/],
    [{ redirectTo: null, allow: [] }, /redirectTo must be a path .* not null/],
    [{ redirect: '/' }, /does not know the option redirect\b.*redirectTo/],
    [{}, /redirectTo must be a path .* not undefined/],
    [['/'], /must return a path, an object or nothing, not a list/],
    [false, /must return a path, an object or nothing, not boolean/],
    [0, /must return a path, an object or nothing, not 0/],
    [new Response(), /must return a path, an object or nothing, not Response/],
  ])('fails with hook_failed if the returned value is %j', async (target, message) => {
    const { result, problems, ada, statusesOf, browser } = await returning(target);

    expect(result).toMatchObject({ status: 'failed', reason: 'hook_failed' });
    expect(browser.names).toEqual([]);
    expect(await statusesOf(ada)).toEqual(['revoked']);
    await expect.poll(() => problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: 'hook_failed', message: expect.stringMatching(message) });
  });
});

test('a denied user loses the previous session even if the session cookie is SameSite=Strict', async () => {
  const { start, approve, sessions, browser, ada, denied, statusesOf, signIn } = await guarded({
    cookie: { sameSite: 'strict' },
  });
  await signIn({ loginHint: email.ada });
  const url = await approve(await start({ loginHint: email.ada, prompt: 'login' }));
  denied.add(email.ada);
  const cookie = browser.header.split('; ').filter((pair) => pair.includes('-flow-'));

  const finished = await sessions.finishSignIn({ url, headers: { ...page, cookie: cookie.join('; ') } });
  browser.keep(finished.headers);

  expect(finished).toMatchObject({ status: 'failed', reason: 'not_allowed', code: 'left_the_company' });
  expect(browser.names).toEqual([]);
  expect(await statusesOf(ada)).toEqual(['revoked', 'revoked']);
});

test("denying a user does not clear another user's SameSite=Strict cookie", async () => {
  const { start, approve, sessions, browser, grace, denied, statusesOf, signIn } = await guarded({
    cookie: { sameSite: 'strict' },
  });
  await signIn({ loginHint: email.grace });
  denied.add(email.ada);
  const url = await approve(await start({ loginHint: email.ada, prompt: 'login' }));
  const cookie = browser.header.split('; ').filter((pair) => pair.includes('-flow-'));

  const finished = await sessions.finishSignIn({ url, headers: { ...page, cookie: cookie.join('; ') } });
  browser.keep(finished.headers);

  expect(await sessions.handle(browser.request)).toMatchObject({ session: { user: { email: email.grace } } });
  expect(await statusesOf(grace)).toEqual(['active']);
});
