import { requireSession, type Sessions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { leaks, type Published, published } from '../diagnostics.js';
import { captureWarnings } from '../runner/warnings.js';
import { application } from './application.js';
import { ada, password, signedIn, tampered } from './signed-in.js';

captureWarnings();

const refresh = 'sallyport:session:refresh';
const result = 'sallyport:session:result';
const refusal = 'sallyport:session:refusal';
const callback = 'sallyport:session:callback';
const durationMs = expect.any(Number);
const messagesOf = (all: readonly Published[]) => all.map(([, message]) => message);
/** Make the service reject every request for tokens with this body. */
const rejecting = (code: string, message: string) => async () => Response.json({ code, message }, { status: 400 });

describe('the sallyport:session:refresh channel', () => {
  test('receives one message for each request that starts or shares a refresh', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const application = sessions();
    const messages = published(refresh);
    emulator.clock.advance('6m');

    await Promise.all([1, 2, 3].map(() => application.handle({ headers: jar.headers })));

    expect(rotations()).toBe(1);
    const message = { durationMs, outcome: 'ok', reason: undefined };
    // Threads that open cookies may finish in any order.
    expect(messagesOf(messages).sort((a, b) => Number(a.shared) - Number(b.shared))).toEqual([
      { ...message, shared: false },
      { ...message, shared: true },
      { ...message, shared: true },
    ]);
  });

  test('reports that the service has ended the session', async () => {
    const { sessions, jar, emulator, sallyport } = await signedIn();
    const { session } = await sessions().handle(jar.request);
    await sallyport.userManagement.revokeSession({ sessionId: session?.sessionId ?? '' });
    emulator.clock.advance('6m');
    const messages = published(refresh);

    await sessions().handle(jar.request);

    expect(messagesOf(messages)).toEqual([{ durationMs, outcome: 'ended', reason: 'invalid_grant', shared: false }]);
  });

  test('reports that the service is not available', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    await emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });
    const messages = published(refresh);

    await sessions({ refresh: { maxRetries: 0 } }).handle(jar.request);

    const reason = 'service_unavailable';
    expect(messagesOf(messages)).toEqual([{ durationMs, outcome: 'retry_later', reason, shared: false }]);
  });

  test("reports service_refused instead of the service's own error code", async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const messages = published(refresh);

    await sessions({ fetch: tampered(emulator, rejecting('words_of_the_service', 'more')) }).handle(jar.request);

    const reason = 'service_refused';
    expect(messagesOf(messages)).toEqual([{ durationMs, outcome: 'misconfigured', reason, shared: false }]);
  });
});

describe('the sallyport:session:result channel', () => {
  test('receives the status and reason of each result without a session', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const messages = published(result);

    await sessions().handle({ headers: {} });
    await sessions({ cookiePassword: 'another-password-of-32-characters' }).handle(jar.request);
    emulator.clock.advance('6m');
    await emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });
    await sessions({ refresh: { maxRetries: 0 } }).handle(jar.request);

    expect(messagesOf(messages)).toEqual([
      { status: 'signed_out', reason: 'no_cookie' },
      { status: 'signed_out', reason: 'forged' },
      { status: 'retry_later', reason: 'service_unavailable' },
    ]);
  });

  test('receives no message about a signed-in user', async () => {
    const { sessions, jar } = await signedIn();
    const messages = published(refresh, result, refusal, callback);

    await sessions().handle(jar.request);

    expect(messages).toEqual([]);
  });
});

describe('the sallyport:session:refusal channel', () => {
  const pages = (sessions: Sessions) =>
    withSession(sessions, () => new Response('done'), {
      protect: ['/Account'],
      open: ['/account/help'],
      permission: { '/reports': 'reports:read' },
      maxAgeMs: { '/password': 60_000 },
    });

  test('receives the reason for a refusal and the path in the matching option', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const messages = published(refusal);
    const open = pages(sessions());
    const asAda = { headers: jar.headers };
    emulator.clock.advance('2m');

    await open(new Request('https://app.test/account/42?token=1'));
    await open(new Request('https://app.test/reports/2026', asAda));
    await open(new Request('https://app.test/password', asAda));
    await open(new Request('https://app.test/account%252f..%252fhelp'));

    expect(messagesOf(messages)).toEqual([
      { reason: 'no_cookie', path: '/account' },
      { reason: 'forbidden', path: '/reports' },
      { reason: 'insufficient_user_authentication', path: '/password' },
      { reason: 'bad_path', path: undefined },
    ]);
  });

  test('receives no message about an allowed request', async () => {
    const { sessions, jar } = await signedIn();
    const messages = published(refusal);
    const open = pages(sessions());

    await open(new Request('https://app.test/account', { headers: jar.headers }));
    await open(new Request('https://app.test/account/help'));
    await open(new Request('https://app.test/'));

    expect(messages).toEqual([]);
  });

  test('receives no path if requireSession denies a request', async () => {
    const { sessions } = await signedIn();
    const messages = published(refusal);
    const api = requireSession(sessions(), () => new Response('done'), { bearer: true });

    await api(new Request('https://app.test/api/42', { headers: { authorization: 'Bearer nonsense' } }));

    expect(messagesOf(messages)).toEqual([{ reason: 'invalid_token', path: undefined }]);
  });
});

describe('the sallyport:session:callback channel', () => {
  test('receives the status of each sign-in that finishSignIn or a route has finished', async () => {
    const { signIn, start, approve, sessions, browser } = await application();
    const messages = published(callback);

    await signIn();
    await sessions.route({ url: await approve(await start()), headers: browser.headers });

    expect(messagesOf(messages)).toEqual([
      { status: 'signed_in', reason: undefined },
      { status: 'signed_in', reason: undefined },
    ]);
  });

  test('receives the reason of a failed sign-in', async () => {
    const { start, approve, finish, sessions, tamper } = await application();
    const messages = published(callback);

    await sessions.finishSignIn({ url: 'https://app.test/callback?code=1&state=2', headers: {} });
    tamper(rejecting('words_of_the_service', 'more'));
    await finish(await approve(await start()));

    expect(messagesOf(messages)).toEqual([
      { status: 'failed', reason: 'no_pending_flow' },
      { status: 'failed', reason: 'rejected' },
    ]);
  });
});

test('diagnostics messages contain no user data, secrets, URLs or error messages of the service', async () => {
  const messages = published(refresh, result, refusal, callback);
  const { sessions, jar, emulator, sallyport, tokens } = await signedIn();
  const company = await sallyport.organizations.createOrganization({ name: 'canary-company' });
  await sallyport.organizations.getOrganization(company.id);
  await sallyport.organizations.getOrganization('org_canary').catch(() => {});
  const { session } = await sessions().handle(jar.request);
  const url = 'https://app.test/account/canary-path?query=canary-query';
  const open = (more: Parameters<typeof sessions>[0], cookie = jar.header) =>
    withSession(sessions(more), () => new Response('done'), { protect: ['/account'] })(
      new Request(url, { headers: { cookie } }),
    );

  await open({}, `sallyport-session=canary-cookie`);
  emulator.clock.advance('6m');
  await emulator.failNext('userManagement.authenticateWithRefreshToken', { status: 503 });
  await open({ refresh: { maxRetries: 0 } });
  await open({ fetch: tampered(emulator, rejecting('canary_code', 'canary-message')) });
  await sallyport.userManagement.revokeSession({ sessionId: session?.sessionId ?? '' });
  await open({});
  const { start, approve, finish, tamper } = await application();
  tamper(rejecting('canary_code', 'canary-message'));
  const location = await approve(await start());
  await finish(location);
  await finish(`${location}&error=canary_error&error_description=canary-description`);

  expect([...new Set(messages.map(([channel]) => channel))].sort()).toEqual(
    [callback, refresh, refusal, result].sort(),
  );
  const ids = [tokens.user.id, company.id, session?.sessionId ?? '', emulator.credentials.clientId];
  const secrets = [tokens.accessToken, tokens.refreshToken, emulator.credentials.apiKey, password, ada.password];
  const code = new URL(location).searchParams.get('code') ?? '';
  const canaries = ['canary', ada.email, jar.header.split('=')[1]!, 'app.test', emulator.url, code, ...ids, ...secrets];
  expect(canaries.every((canary) => canary.length > 5)).toBe(true);
  expect(leaks(messages, canaries)).toEqual([]);
  expect(leaks([['own', { email: ada.email, nested: { id: tokens.user.id } }]], canaries)).toHaveLength(2);
});

test('diagnostics channels are disabled in a runtime without Node modules', async () => {
  const { subscribed } = await import('../../src/async/diagnostics.js');
  const { process } = globalThis;
  const edge = Object.defineProperty({}, 'getBuiltinModule', {
    get() {
      throw new Error('A Node.js API is used which is not supported in the Edge Runtime');
    },
  });
  Object.assign(globalThis, { process: edge });
  try {
    expect(subscribed('test:edge')).toBeUndefined();
  } finally {
    Object.assign(globalThis, { process });
  }
});
