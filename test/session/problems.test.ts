import { createSessionReader, createSessions, type SessionProblem, type SessionsOptions } from 'sallyport/session';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import { issuer } from './issuer.js';
import { password, type SignedIn, signedIn, tampered } from './signed-in.js';

captureWarnings();

const other = 'another-password-of-32-characters!';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Collect the problems of one request with the cookie of the browser. */
async function problemsOf(world: SignedIn, options: Partial<SessionsOptions>): Promise<readonly SessionProblem[]> {
  const problems: SessionProblem[] = [];
  const sessions = world.sessions({ ...options, onProblem: (problem) => void problems.push(problem) });
  await sessions.handle(world.jar.request);
  // Load the texts first.
  await vi.dynamicImportSettled();
  return problems;
}

describe('onProblem', () => {
  test.each<[string, Partial<SessionsOptions>, RegExp]>([
    [
      'unknown_password',
      { cookiePassword: [{ id: '2', secret: other }] },
      /could not be opened.* not in the list\. Use the same password/,
    ],
    ['forged', { cookiePassword: other }, /could not be opened.* another password.* Use the same password/],
    ['wrong_issuer', { issuer: 'https://elsewhere.test' }, /wrong issuer.*the issuer option/],
    ['wrong_audience', { audience: 'https://elsewhere.test' }, /wrong audience.*the audience option/],
    ['unknown_key', { keys: issuer('other').keys }, /does not publish.*Check baseUrl and clientId/],
  ])('gets the code %s with advice on what to change', async (code, options, message) => {
    const problems = await problemsOf(await signedIn(), options);

    expect(problems[0]).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('gets the clock offset if the local clock is wrong', async () => {
    const world = await signedIn();

    const [behind] = await problemsOf(world, { now: () => world.emulator.clock.now() - 60_000 });
    const [ahead] = await problemsOf(world, { now: () => world.emulator.clock.now() + 3_600_000 });

    expect(behind).toMatchObject({ code: 'not_yet_valid', message: expect.stringContaining('with NTP') });
    expect(ahead).toMatchObject({
      code: 'wrong_clock',
      message: expect.stringMatching(/3600 seconds ahead of the service\. .* with NTP\.$/),
    });
  });

  test('is not called for a wrong clock if the service caused the failure', async () => {
    const world = await signedIn();
    const options = { now: () => world.emulator.clock.now() + 600_000 };
    world.emulator.failNext('userManagement.authenticateWithRefreshToken', { times: 100 });

    expect(await problemsOf(world, options)).toEqual([]);
  });

  test('gets the URL of a key set that cannot be fetched', async () => {
    const world = await signedIn();
    const fetch: typeof globalThis.fetch = async () => new Response('not here', { status: 404 });

    const [problem] = await problemsOf(world, { fetch });

    expect(problem).toMatchObject({ code: 'keys_unavailable', cause: expect.any(Error) });
    expect(problem?.message).toMatch(
      /\/sso\/jwks\/client_\w+ answered with status 404\. Check baseUrl and clientId\.$/,
    );
  });

  test('gets no secret if the API key is wrong', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const fetch = tampered(world.emulator, async () => Response.json({ message: 'Unauthorized' }, { status: 401 }));

    const [problem] = await problemsOf(world, { fetch });

    expect(problem).toMatchObject({ code: 'service_refused', message: expect.stringContaining('Check apiKey') });
    const { inspect } = await import('node:util');
    for (const secret of [world.tokens.refreshToken, world.emulator.credentials.apiKey, password, world.jar.header])
      expect(inspect(problem, { depth: 9 })).not.toContain(secret);
  });

  test('is not called for a valid, missing or ended session', async () => {
    const world = await signedIn();
    const problems: SessionProblem[] = [];
    const sessions = world.sessions({ onProblem: (problem) => void problems.push(problem) });

    for (const cookie of [world.jar.header, '', 'sallyport-session=nonsense'])
      await sessions.handle({ headers: { cookie } });
    world.emulator.clock.advance('31d');
    await sessions.handle(world.jar.request);
    await vi.dynamicImportSettled();

    expect(problems).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('of the application');
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the application'))],
  ])('does not change the result of a reader if the callback %s', async (_, fail) => {
    const world = await signedIn();
    let calls = 0;
    const { clientId, baseUrl } = world.emulator.credentials;
    const reader = createSessionReader({
      clientId,
      baseUrl,
      cookiePassword: other,
      onProblem() {
        calls++;
        return fail();
      },
    });

    const result = await reader.read(world.jar.header);
    await vi.dynamicImportSettled();

    expect(result).toMatchObject({ status: 'signed_out', reason: 'forged' });
    expect(calls).toBe(1);
  });
});

describe('a session cookie that cannot be opened', () => {
  let service = 0;
  /** Return the warnings after two requests with a cookie that does not open. */
  async function warningsOf(mode: string, host: string): Promise<readonly unknown[]> {
    vi.stubEnv('NODE_ENV', mode);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const world = await signedIn();
    service++;
    const sessions = createSessions({ cookiePassword: other, clientId: 'client_1', baseUrl: `${host}/${service}` });
    for (let request = 0; request < 2; request++) await sessions.handle(world.jar.request);
    await vi.dynamicImportSettled();
    return warn.mock.calls.flat();
  }

  test.each([
    ['development', 'https://api.example.com'],
    ['development', 'http://127.0.0.1:4100'],
    ['', 'http://localhost:4100'],
    ['test', 'http://localhost:4100'],
  ])('causes one warning if NODE_ENV is "%s" and the service URL is %s', async (mode, host) => {
    expect(await warningsOf(mode, host)).toEqual([
      expect.stringMatching(/^sallyport: A session cookie could not be opened \(/),
    ]);
  });

  test.each([
    ['production', 'http://127.0.0.1:4100'],
    ['production', 'https://api.example.com'],
    ['', 'https://api.example.com'],
  ])('causes no warning if NODE_ENV is "%s" and the service URL is %s', async (mode, host) => {
    expect(await warningsOf(mode, host)).toEqual([]);
  });
});
