import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import type { Sallyport, SallyportOptions } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { mask, quotable, redact } from '../../src/errors/index.js';
import { clientOf, type Received, type Script, say, serve } from '../servers/server.js';
import { wireOrganization, wireSession } from '../servers/wire.js';
import { findingsIn, planted } from './planted.js';

/** Print a value in every way that a program may use. */
function printed(value: unknown): string[] {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const all = { depth: 10, showHidden: true, getters: false, maxStringLength: null } as const;
  new Console(stream).log(value);
  new Console({ stdout: stream, inspectOptions: { depth: 10, showHidden: true } }).log('%o %O %j', value, value, value);
  lines.push(inspect(value, all), JSON.stringify(value) ?? '', String(value));
  if (value instanceof Error) lines.push(value.message, value.stack ?? '', inspect(value.cause, all));
  return lines;
}

type Call = (sallyport: Sallyport) => PromiseLike<unknown>;
const { oneTimeCode: code, pendingToken: pendingAuthenticationToken, invitationToken } = planted;
const email = 'ada@acme.test';
/** A call for every kind of secret that is sent. */
const calls: readonly Call[] = [
  (s) => s.organizations.getOrganization('org_01'),
  (s) => s.organizations.getOrganization('org_01', { headers: { cookie: `session=${planted.cookieValue}; a=b` } }),
  (s) => s.organizations.getOrganization('org_01', { headers: { 'x-gateway-token': planted.headerToken } }),
  (s) => s.organizations.createOrganization({ name: 'A' }, { extraBody: { totp_secret: planted.totpSeed } }),
  (s) => s.organizations.listOrganizations({}, { headers: { cookie: planted.sealedCookie } }).toArray({ max: 200 }),
  (s) => s.userManagement.createUser({ email, password: planted.password }),
  (s) => s.userManagement.createUser({ email, passwordHash: planted.passwordHash, passwordHashType: 'bcrypt' }),
  (s) => s.userManagement.verifyEmail({ userId: 'user_01', code }),
  (s) => s.userManagement.resetPassword({ token: planted.resetToken, newPassword: planted.newPassword }),
  (s) => s.userManagement.authenticateWithPassword({ email, password: planted.password, invitationToken }),
  (s) => s.userManagement.authenticateWithCode({ code: planted.authorizationCode, codeVerifier: planted.codeVerifier }),
  (s) => s.userManagement.authenticateWithRefreshToken({ refreshToken: planted.refreshToken }),
  (s) => s.userManagement.authenticateWithEmailVerification({ code, pendingAuthenticationToken }),
  (s) => s.sso.getProfileAndToken({ code: planted.authorizationCode }),
  (s) => s.sso.getProfile({ accessToken: planted.ssoToken }),
];

/** Everything visible while these calls are made, including their errors. */
async function seenOf(
  options: SallyportOptions & { url: string },
  made: readonly Call[],
): Promise<{ texts: string[]; errors: number }> {
  const texts: string[] = [];
  const see = (value: unknown) => void texts.push(...printed(value));
  const log = (line: string) => void texts.push(line);
  const { url, ...rest } = options;
  const sallyport = clientOf(
    { url },
    {
      apiKey: planted.apiKey,
      headers: { 'x-internal-token': planted.headerToken },
      hooks: { onRequest: see, onResponse: see, onRetry: see, onError: see },
      logger: { level: 'debug', to: { debug: log, info: log, warn: log, error: log } },
      maxRetries: 1,
      ...rest,
    },
  );
  let errors = 0;
  for (const call of made) {
    const pending = call(sallyport);
    see(pending);
    try {
      await pending;
    } catch (error) {
      errors += 1;
      see(error);
    }
  }
  see(sallyport);
  for (const room of Object.values(sallyport)) see(room);
  return { texts, errors };
}

/** The request as a service repeats it that returns everything it received. */
const echo = ({ headers, body, target }: Received): string => `${JSON.stringify(headers)} ${body} ${target}`;
const parroting: Script = (request, response) => {
  const words = echo(request);
  const errors = [words, { field: words, code: words, message: words }];
  const sent = request.body.startsWith('{')
    ? JSON.parse(request.body)
    : Object.fromEntries(new URLSearchParams(request.body));
  const status = request.method === 'GET' ? 503 : 422;
  say(response, {
    status,
    headers: { 'x-request-id': `req ${request.headers.authorization ?? ''}`, 'retry-after': '0' },
    body: { message: words, code: String(sent.code ?? sent.password ?? words), error_description: words, errors, sent },
  });
};

describe('no secret appears in', () => {
  test('an error if the service echoes the request', async () => {
    const server = await serve(parroting);

    const { texts, errors } = await seenOf({ url: server.url }, calls);

    expect(errors).toBe(calls.length);
    // The service is quoted, so something had to be left out.
    expect(texts.some((text) => text.includes('The service says: {') && text.includes('…'))).toBe(true);
    expect(findingsIn(texts)).toEqual([]);
  });

  test('an error if the service echoes the request in a header, a field name or plain text', async () => {
    const scripts: Script[] = [
      ({ headers }, response) => {
        const message = `Unknown: ${headers.cookie?.split(/[=;]/)[1]} and ${headers.authorization?.split(' ')[1]}`;
        say(response, { status: 400, body: { message } });
      },
      (request, response) =>
        say(response, { headers: { 'content-type': echo(request).replace(/[^\x20-\x7e]/g, '') }, body: 'x' }),
      (request, response) => say(response, { body: wireOrganization({ metadata: { [echo(request)]: 5 } }) }),
      (request, response) => say(response, { body: echo(request) }),
      (request, response) =>
        say(response, { status: 400, body: { error: echo(request), error_description: [echo(request)] } }),
      (request, response) =>
        say(response, { status: 302, headers: { location: `/?${encodeURIComponent(echo(request))}` } }),
      (request, response) =>
        say(response, { status: 500, headers: { 'content-type': 'text/plain' }, body: echo(request) }),
    ];
    for (const script of scripts) {
      const server = await serve(script);

      expect(findingsIn((await seenOf({ url: server.url, maxRetries: 0 }, calls)).texts)).toEqual([]);
    }
  });

  test('an error if a connection error contains the API key', async () => {
    const everything = Object.values(planted).join(' ');
    const request = () =>
      new Request('https://api.acme.test', { headers: { authorization: `Bearer ${planted.apiKey}` } });
    class ClientError extends Error {
      readonly config = { headers: { authorization: `Bearer ${planted.apiKey}` }, body: everything };
    }
    const circle = new Error(`circle ${planted.apiKey}`) as Error & { cause?: unknown };
    circle.cause = new Error('inner', { cause: circle });
    const thrown: unknown[] = [
      new TypeError(`fetch failed for ${everything}`),
      new TypeError('fetch failed', { cause: new Error(everything) }),
      new AggregateError([new Error(everything)], 'all failed'),
      Object.assign(new Error('with a request'), { request: request() }),
      Object.assign(new Error('with headers'), { headers: new Headers({ cookie: planted.cookieValue }) }),
      Object.assign(new Error('with a code'), { code: planted.apiKey, name: planted.apiKey }),
      Object.defineProperty(new Error('hidden'), 'hidden', { value: planted.apiKey, enumerable: false }),
      Object.assign(new Error('by symbol'), { [Symbol('request')]: { key: planted.apiKey } }),
      Object.assign(new Error('in a map'), { map: new Map([['key', planted.apiKey]]) }),
      Object.assign(new Error('in a key'), { [planted.apiKey]: 1 }),
      new ClientError('of a custom class'),
      circle,
      everything,
      { message: everything, request: request() },
    ];
    for (const [i, error] of thrown.entries()) {
      const fetch = async () => {
        throw error;
      };
      // Only the calls with a one-time code or a similar value know that it is a secret.
      const texts = (await seenOf({ url: 'https://api.acme.test', fetch, maxRetries: 0 }, calls)).texts;
      const ofOthers = findingsIn(texts).filter((found) =>
        /^(?:apiKey|sealedCookie|accessToken|webhookSecret|headerToken)/.test(found),
      );

      expect({ i, ofOthers }).toEqual({ i, ofOthers: [] });
    }
  });

  test('an error if a connection error echoes the request', async () => {
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, init);
      const words = `${JSON.stringify([...request.headers])} ${await request.text()}`;
      throw new TypeError(`fetch failed: ${words}`, { cause: Object.assign(new Error(words), { words: { words } }) });
    };

    const { texts, errors } = await seenOf({ url: 'https://api.acme.test', fetch, maxRetries: 0 }, calls);

    expect(errors).toBe(calls.length);
    expect(findingsIn(texts)).toEqual([]);
  });

  test('an error about an invalid argument', async () => {
    const broken = (secret: string) => `${secret}\n`;
    const refused: Call[] = [
      (s) => s.userManagement.createUser({ email, password: [planted.password] as never }),
      (s) => s.userManagement.authenticateWithPassword({ email, password: { is: planted.password } as never }),
      (s) => s.sso.getProfile({ accessToken: broken(planted.ssoToken) }),
      (s) => s.organizations.getOrganization('o', { headers: { cookie: broken(planted.cookieValue) } }),
      (s) => s.organizations.getOrganization('o', { headers: { [`Bearer ${planted.apiKey}`]: 'x' } }),
      (s) => s.organizations.getOrganization('o', { idempotencyKey: broken(planted.headerToken) }),
      (s) => s.organizations.createOrganization({ name: 'A', metadata: { [planted.apiKey]: 5 } as never }),
      (s) => s.organizations.getOrganization({ key: planted.apiKey } as never),
      (s) => s.organizations.listOrganizations({ limit: planted.apiKey as never }).toArray({ max: 1 }),
    ];
    const server = await serve({ body: {} });

    const { texts, errors } = await seenOf({ url: server.url }, refused);

    expect(errors).toBe(refused.length);
    expect(server.requests).toEqual([]);
    expect(findingsIn(texts)).toEqual([]);
  });

  test('an error about an invalid response that contains secrets', async () => {
    const { accessToken: access_token, refreshToken: refresh_token } = planted;
    const factor = {
      object: 'authentication_factor',
      id: 'f',
      totp: { secret: planted.totpSeed, uri: planted.totpSeed },
    };
    const bodies: unknown[] = [
      wireSession({ access_token: [access_token], refresh_token }),
      wireSession({ access_token, refresh_token, user: planted.password }),
      { code: 'mfa_challenge', pending_authentication_token: [planted.pendingToken] },
      { authentication_factor: factor, secret: planted.webhookSecret },
      JSON.stringify(wireSession({ access_token, refresh_token })).slice(0, -3),
      Object.values(planted).join(' '),
    ];
    for (const body of bodies)
      for (const status of [200, 400]) {
        const server = await serve({ status, body, headers: { 'set-cookie': planted.sealedCookie } });
        const made: Call[] = [
          (s) => s.userManagement.authenticateWithMagicAuth({ code, email }),
          (s) => s.userManagement.enrollAuthFactor({ userId: 'user_01', type: 'totp' }),
        ];

        const { texts, errors } = await seenOf({ url: server.url }, made);

        expect(errors).toBe(2);
        expect(findingsIn(texts)).toEqual([]);
      }
  });

  test('the printed form of a client', () => {
    const sallyport = clientOf(
      { url: 'https://api.acme.test' },
      { apiKey: planted.apiKey, headers: { cookie: planted.cookieValue } },
    );

    expect(findingsIn(printed(sallyport))).toEqual([]);
    expect(findingsIn(printed({ deep: { within: [sallyport] } }))).toEqual([]);
    expect(findingsIn(printed(sallyport.organizations.listOrganizations()))).toEqual([]);
  });

  test('an error, except a secret leaked deliberately to test the detection', async () => {
    const server = await serve(parroting);
    class Leaky extends Error {
      constructor(readonly received: string) {
        super('leaky');
      }
    }
    const leak: Call = async () => {
      throw new Leaky(Object.values(planted).join(' '));
    };

    const found = findingsIn((await seenOf({ url: server.url }, [leak])).texts);

    for (const name of Object.keys(planted)) expect(found.some((finding) => finding.startsWith(name))).toBe(true);
  });
});

describe('the redactor', () => {
  test.each([
    ['sk_live_0123456789abcdef9f2c', 'sk_…9f2c'],
    ['whsec_0123456789abcdef', 'whsec_…cdef'],
    ['0123456789abcdef', '…'],
    ['correct horse battery staple', '…'],
    ['sk_12345678901', 'sk_…'],
    ['sk_123456789012', 'sk_…9012'],
    ['short', '…'],
    ['sk_short', 'sk_…'],
  ])('masks the secret "%s" as "%s"', (secret, shown) => {
    expect(mask(secret)).toBe(shown);
    expect(redact(`key ${secret}, then`, [secret])).toBe(`key ${shown}, then`);
  });

  test.each([
    ['the key sk_test_0123456789abcdef is', 'the key sk_…cdef is'],
    ['{"key":"sk_test_0123456789abcdef"}', '{"key":"sk_…cdef"}'],
    ['%22sk_test_0123456789abcdef%22', '%22sk_…cdef%22'],
    ['Authorization: Bearer abcdefghijklmnop', 'Authorization: Bearer …'],
    ['a risk_level of task_force_one', 'a risk_level of task_force_one'],
    ['org_0123456789abcdef', 'org_0123456789abcdef'],
  ])('returns the text "%s" as "%s"', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  test('removes a secret completely if it contains another secret', () => {
    expect(redact('abcd-and-abcd', ['abcd', 'abcd-and-abcd'])).toBe('…');
  });

  test('recognizes a short secret only as a whole word', () => {
    expect(redact('is 42, not 1421', ['42'])).toBe('is …, not 1421');
  });

  test('quotes text from a response as one line of limited length', () => {
    expect(quotable(' a\r\n\tb\0c ')).toBe('a b c');
    expect(quotable('a\u009b\u202e\u2066b\u2028\u061cc')).toBe('a b c');
    expect(quotable('x'.repeat(9_000))).toBe(`${'x'.repeat(500)}…`);
  });
});
