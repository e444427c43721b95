import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator, rateLimits } from '../../../../src/emulator/index.js';
import { RateLimitError, Sallyport } from '../../../../src/index.js';
import type { RawAnswer } from '../../../servers/send.js';
import { stage } from '../../../stage.js';
import { hosted } from '../../hosted/hosted-browser.js';
import { apiKey, clientId, signingIn, urn } from '../../sign-in/signing-in.js';

const limited = { rateLimits: true };
const statuses = (answers: readonly RawAnswer[]): string => {
  const runs: string[] = [];
  let [last, count] = [0, 0];
  for (const { status } of [...answers, { status: 0 }]) {
    if (status !== last && count > 0) runs.push(`${count} x ${last}`);
    count = status === last ? count + 1 : 1;
    last = status;
  }
  return runs.join(', ');
};
async function times(count: number, act: (at: number) => Promise<RawAnswer>): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < count; at++) answers.push(await act(at));
  return answers;
}

test('the emulator has no rate limits by default', async () => {
  const { emulator, send } = await stage();

  const answers = await times(20, () => send('POST /user_management/magic_auth/send', { email: 'ada@acme.test' }));

  expect(statuses(answers)).toBe('20 x 200');
  expect(answers[0]!.headers.get('x-ratelimit-limit')).toBeNull();
  expect(emulator.inbox.to('ada@acme.test')).toHaveLength(20);
});

describe('in an emulator with rate limits,', () => {
  test('a response contains the number of remaining requests and the reset time', async () => {
    const { emulator, send } = await stage(limited);
    const headersOf = ({ headers }: RawAnswer) =>
      ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map((name) =>
        headers.get(name),
      );
    const mail = () => send('POST /user_management/magic_auth/send', { email: 'ada@acme.test' });

    const first = await mail();
    await emulator.clock.advance('20s');
    const [, third, fourth] = [await mail(), await mail(), await mail()];

    // 2026-01-01T00:01:00Z in seconds.
    expect(headersOf(first)).toEqual(['3', '2', '1767225660', null]);
    expect(headersOf(third)).toEqual(['3', '0', '1767225660', null]);
    expect(headersOf(fourth)).toEqual(['3', '0', '1767225660', '40']);
    expect([fourth.status, fourth.body]).toEqual([
      429,
      {
        message:
          'Too many requests (/user_management/magic_auth/send, per email): 3 are allowed in 60 seconds. Wait 40 seconds.',
        code: 'rate_limit_exceeded',
      },
    ]);
    expect(fourth.headers.get('sallyport-emulator')).toBeNull();
  });

  test.each([
    ['GET /organizations', '6000'],
    ['GET /user_management/users', '1000'],
    ['POST /user_management/users', '500'],
    ['GET /sso/authorize?client_id=client_sallyport_emulator&connection=conn_okta', '1000'],
    ['GET /hosted/sign-in?authorization=x', '1000'],
    ['POST /hosted/sign-in', '500'],
  ])('the response to %s reports the limit that will be exhausted first (%s requests)', async (line, limit) => {
    const { emulator } = await stage({
      ...limited,
      seed: { connections: [{ id: 'conn_okta', name: 'Okta', connection_type: 'OktaSAML' }] },
    });
    const [method, path] = line.split(' ') as [string, string];

    const { headers } = await emulator.fetch(path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${apiKey}` },
    });

    expect(headers.get('x-ratelimit-limit')).toBe(limit);
    expect(headers.get('x-ratelimit-remaining')).toBe(String(Number(limit) - 1));
  });

  test('requests to controls and console pages do not count toward a limit', async () => {
    const { emulator, send } = await stage(limited);
    await emulator.setRateLimit('all_requests', { requests: 1 });

    const answers = await times(3, () => send('GET /_emulator/clock'));
    const inbox = await emulator.fetch('/_emulator/inbox', { headers: { accept: 'text/html' } });

    expect(statuses([...answers, await send('GET /organizations')])).toBe('4 x 200');
    expect(inbox.status).toBe(200);
    expect((await send('GET /organizations')).status).toBe(429);
  });
});

describe('a rate limit', () => {
  const mail = (email: string) => ['POST /user_management/magic_auth/send', { email }] as const;
  const reset = (email: string) =>
    ['POST /user_management/password_reset/send', { email, password_reset_url: 'https://app.test/reset' }] as const;
  const password = (email: string) =>
    [
      'POST /user_management/authenticate',
      { client_id: clientId, client_secret: apiKey, grant_type: 'password', email, password: 'a guess' },
    ] as const;
  const challenge = (id: string) =>
    [
      'POST /user_management/authenticate',
      {
        client_id: clientId,
        client_secret: apiKey,
        grant_type: urn('mfa-totp'),
        pending_authentication_token: 'unknown',
        authentication_challenge_id: id,
        code: '123456',
      },
    ] as const;

  test.each([
    ['email address', 3, mail('ada@acme.test'), mail('grace@acme.test'), 200],
    ['email address, ignoring case and spaces', 3, mail('ada@acme.test'), mail('ADA@acme.test '), 429],
    ['email address for password resets', 3, reset('ada@acme.test'), reset('grace@acme.test'), 200],
    ['email address for sign-in attempts', 10, password('ada@acme.test'), password('grace@acme.test'), 400],
    ['authentication challenge', 10, challenge('auth_challenge_1'), challenge('auth_challenge_2'), 400],
    [
      'user',
      3,
      ['POST /user_management/users/user_ada/email_verification/send'] as const,
      ['POST /user_management/users/user_grace/email_verification/send'] as const,
      200,
    ],
    [
      'directory',
      4,
      ['GET /directory_users?directory=directory_1'] as const,
      ['GET /directory_users?directory=directory_2'] as const,
      200,
    ],
    [
      'directory, including requests for a group of the directory',
      4,
      ['GET /directory_users?directory=directory_1'] as const,
      ['GET /directory_users?group=group_1'] as const,
      429,
    ],
    ['API key', 50, ['DELETE /organizations/org_none'] as const, ['GET /organizations/org_none'] as const, 404],
  ])('can apply per %s', async (_, allowed, [line, body], [otherLine, otherBody], other) => {
    const { send } = await stage({
      ...limited,
      seed: {
        users: [
          { id: 'user_ada', email: 'ada@acme.test' },
          { id: 'user_grace', email: 'grace@acme.test' },
        ],
        directories: [
          { id: 'directory_1', name: 'One', groups: [{ id: 'group_1', idp_id: 'docks', name: 'Docks' }] },
          { id: 'directory_2', name: 'Two' },
        ],
      },
    });
    const headers = body && 'client_id' in body ? { authorization: undefined } : {};

    const answers = await times(allowed + 1, () => send(line, body, headers));

    expect(answers.slice(0, allowed).map(({ status }) => status)).not.toContain(429);
    expect(answers.at(-1)!.status).toBe(429);
    expect((await send(otherLine, otherBody, headers)).status).toBe(other);
  });

  test('for an API key does not affect other API keys', async () => {
    const { send } = await stage({ ...limited, apiKeys: [{ value: 'sk_test_second' }] });
    await times(50, () => send('DELETE /organizations/org_none'));

    const own = await send('DELETE /organizations/org_none');
    const other = await send('DELETE /organizations/org_none', undefined, { authorization: 'Bearer sk_test_second' });

    expect([own.status, other.status]).toEqual([429, 404]);
  });

  test('for a connection counts requests to every sign-in URL that selects the connection', async () => {
    const { emulator, send } = await stage({
      seed: {
        organizations: [{ id: 'org_acme', name: 'Acme' }],
        connections: ['conn_okta', 'conn_other'].map((id) => ({
          id,
          name: id,
          connection_type: 'OktaSAML',
          ...(id === 'conn_okta' ? { organization_id: 'org_acme' } : {}),
        })),
      },
    });
    await emulator.setRateLimit('sso_authorize', { requests: 1 });
    const authorize = async (selector: string) => {
      const query = `client_id=${clientId}&response_type=code&redirect_uri=http://localhost:3000/cb&${selector}`;
      const { status } = await emulator.fetch(`/sso/authorize?${query}`, { redirect: 'manual' });
      return status;
    };

    const [first, same, other] = [
      await authorize('connection=conn_okta'),
      await authorize('organization=org_acme'),
      await authorize('connection=conn_other'),
    ];

    expect([first, same, other]).toEqual([302, 429, 302]);
    expect((await send('GET /organizations')).status).toBe(200);
  });

  test("allows requests again when the window has passed on the emulator's clock", async () => {
    const { emulator, send } = await stage(limited);
    const list = () => send('GET /directory_users?directory=directory_none');
    const before = await times(5, list);

    await emulator.clock.advance('1s');

    expect(statuses(before)).toBe('4 x 404, 1 x 429');
    expect(statuses(await times(5, list))).toBe('4 x 404, 1 x 429');
  });

  test('allows requests again after the emulator is reset', async () => {
    const { emulator, send } = await stage(limited);
    await times(4, () => send(...mail('ada@acme.test')));

    await emulator.reset();

    expect(statuses(await times(4, () => send(...mail('ada@acme.test'))))).toBe('3 x 200, 1 x 429');
  });

  test('does not count rejected requests, which can later be repeated with the same idempotency key', async () => {
    const { emulator, send } = await stage(limited);
    const key = { 'idempotency-key': 'k' };
    const [line, body] = mail('ada@acme.test');
    await times(3, () => send(line, body));
    const refused = await send(line, body, key);
    await emulator.clock.advance('1m');

    const later = await send(line, body, key);

    expect([refused.status, later.status]).toEqual([429, 200]);
    expect(later.headers.get('idempotency-replayed')).toBeNull();
    expect(later.headers.get('x-ratelimit-remaining')).toBe('2');
  });
});

describe('a new code does not reset the rate limit', () => {
  test('for sign-ins with a code', async () => {
    const { emulator, grant, send } = await signingIn(limited);
    const email = 'ada@acme.test';
    const guess = () => grant(urn('magic-auth:code'), { email, code: 'no' });
    const mail = () => send('POST /user_management/magic_auth/send', { email });

    await mail();
    const first = await times(5, guess);
    await mail();
    const second = await times(5, guess);
    await mail();
    const { code } = emulator.inbox.latest(email)!;
    const third = await grant(urn('magic-auth:code'), { email, code });

    expect(statuses([...first, ...second])).toBe('10 x 400');
    expect(third.status).toBe(429);
    expect((await mail()).status).toBe(429);
  });

  test('for email verifications, even in a new sign-in', async () => {
    const { byPassword, grant, user, emulator } = await signingIn(limited);
    await user('ada@acme.test', { email_verified: false });
    const guesses: RawAnswer[] = [];
    for (let round = 0; round < 2; round++) {
      await emulator.setRateLimit('authenticate', { requests: 1_000 });
      const { body } = await byPassword('ada@acme.test');
      await emulator.setRateLimit('authenticate');
      const token = body.pending_authentication_token;
      guesses.push(
        ...(await times(5, () =>
          grant(urn('email-verification:code'), { pending_authentication_token: token, code: 'no' }),
        )),
      );
    }

    // Two sign-ins with a password and eight guesses are allowed.
    expect(statuses(guesses)).toBe('8 x 400, 2 x 429');
  });

  test('for the hosted pages, even in a new sign-in', async () => {
    const { browser, authorize } = await hosted(limited);
    const begin = async () => {
      await authorize({ login_hint: 'ada@example.com' });
      await browser.press('Continue');
      await browser.press('Email me a code');
    };
    const shown: number[] = [];
    for (let round = 0; round < 3; round++) {
      await begin();
      for (let at = 0; at < 4; at++) {
        await browser.press('Continue', { code: '000000' });
        shown.push(browser.status);
        if (browser.status === 429) break;
      }
    }

    expect(shown).toEqual([422, 422, 422, 422, 422, 422, 422, 422, 422, 422, 429]);
    expect([browser.title, browser.headers.get('retry-after')]).toEqual(['Too many requests', '60']);
    expect(browser.text).toContain('10 are allowed in 60 seconds. Wait 60 seconds.');
  });
});

describe('the hosted pages', () => {
  test('send at most three codes a minute', async () => {
    const { browser, authorize, emulator } = await hosted(limited);
    await authorize({ login_hint: 'ada@example.com' });
    await browser.press('Continue');
    await browser.press('Email me a code');
    await browser.press('Send a new code');
    await browser.press('Send a new code');
    const page = browser.copy();

    await page.press('Send a new code');
    await emulator.clock.advance('1m');
    await browser.press('Send a new code');

    expect([page.status, browser.status]).toEqual([429, 200]);
    expect(emulator.inbox.to('ada@example.com')).toHaveLength(4);
  });

  test('allow at most ten password attempts a minute', async () => {
    const { browser, authorize } = await hosted(limited);
    await authorize({ login_hint: 'ada@example.com' });
    await browser.press('Continue');
    for (let at = 0; at < 10; at++) await browser.press('Sign in', { password: 'a guess' });
    const before = browser.status;

    await browser.press('Sign in', { password: 'correct horse' });

    expect([before, browser.status, browser.title]).toEqual([422, 429, 'Too many requests']);
  });

  test('allow at most three SSO sign-ins a minute', async () => {
    const { browser, authorize, emulator } = await hosted(limited);
    const { id } = await emulator.createConnection({ name: 'Okta', connectionType: 'OktaSAML' });
    const signInWithSso = async () => {
      await authorize({ connection: id }, '/sso/authorize');
      await browser.press('Sign in', { email: 'ada@example.com' });
      return browser.left === undefined ? browser.status : 'at the application';
    };

    const results = [await signInWithSso(), await signInWithSso(), await signInWithSso(), await signInWithSso()];

    expect(results).toEqual(['at the application', 'at the application', 'at the application', 429]);
  });
});

test('the hosted pages allow a total of ten password and second-factor attempts a minute across all sign-ins', async () => {
  const { browser, authorize, send, ada } = await hosted(limited);
  await send(`POST /user_management/users/${ada.id}/auth_factors`, {
    type: 'totp',
    totp_issuer: 'Acme',
    totp_user: 'Ada',
  });
  const tried: number[] = [];
  for (let round = 0; round < 3 && tried.at(-1) !== 429; round++) {
    await authorize({ login_hint: 'ada@example.com' });
    await browser.press('Continue');
    await browser.press('Sign in', { password: 'correct horse' });
    for (let at = 0; at < 4 && browser.title === 'Verify your identity'; at++) {
      await browser.press('Continue', { code: '000000' });
      tried.push(browser.status);
    }
  }

  // Two passwords and eight codes; the third password is one too many.
  expect(tried).toEqual([422, 422, 422, 422, 422, 422, 422, 422]);
  expect([browser.status, browser.title]).toEqual([429, 'Too many requests']);
});

describe('a named rate limit', () => {
  test('can be set to the published default or to a chosen number, and cleared', async () => {
    const { emulator, send } = await stage();
    const mail = () => send('POST /user_management/magic_auth/send', { email: 'ada@acme.test' });

    await emulator.setRateLimit('magic_auth_send');
    const published = await times(4, mail);
    await emulator.setRateLimit('magic_auth_send', { requests: 5 });
    const own = await times(3, mail);
    await emulator.clearRateLimit('magic_auth_send');

    expect(statuses(published)).toBe('3 x 200, 1 x 429');
    expect(statuses(own)).toBe('2 x 200, 1 x 429');
    expect(statuses(await times(10, mail))).toBe('10 x 200');
  });

  test('must have one of the sixteen known names', async () => {
    const { emulator } = await stage();

    for (const { name } of rateLimits) await emulator.setRateLimit(name);

    await expect(emulator.setRateLimit('magic_auth_sent')).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('did you mean magic_auth_send?'),
    });
    expect(rateLimits).toHaveLength(16);
  });
});

test('the client does not retry a rate-limited sign-in, and throws a RateLimitError with the wait time', async () => {
  const emulator = await createEmulator(limited);
  onTestFinished(() => emulator.close());
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const email = 'ada@acme.test';
  const guess = () => sallyport.userManagement.authenticateWithPassword({ email, password: 'a guess' });
  for (let at = 0; at < 10; at++) await expect(guess()).rejects.toMatchObject({ status: 400 });

  const error: unknown = await guess().catch((refusal: unknown) => refusal);

  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ serviceCode: 'rate_limit_exceeded', attempts: 1 });
  expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(50_000);
});
