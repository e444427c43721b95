import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator, type EmulatorOptions, type Fault, type PlannedFailure } from '../../../src/emulator/index.js';
import { faults } from '../../../src/emulator/rooms/faults/faults.js';
import { RateLimitError, Sallyport, TimeoutError } from '../../../src/index.js';
import { sender } from '../../servers/send.js';
import { signedIn } from '../../session/signed-in.js';
import { stage } from '../../stage.js';
import { hosted } from '../hosted/hosted-browser.js';
import { emptyWorld } from '../world/empty-world.js';

/** An emulator with a stopped clock, and a client. */
async function startWithClient(options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: '2026-01-01T00:00:00.000Z', ...options });
  onTestFinished(() => emulator.close());
  return { emulator, sallyport: new Sallyport({ ...emulator.credentials, fetch: emulator.fetch }) };
}

/** The same with an application that receives every webhook and notes a text for each. */
async function startWithReceiver(
  note: (event: { readonly event: string; readonly data: { readonly name: string } }) => string,
) {
  const delivered: string[] = [];
  const parts = await startWithClient({
    deliver: async (request) => {
      delivered.push(note(await request.json()));
      return new Response();
    },
    seed: { webhook_endpoints: [{ endpoint_url: 'https://app.test/hook' }] },
  });
  return { ...parts, delivered };
}

const acme = { name: 'Acme' };
const once = { maxRetries: 0 };

describe('a planned failure', () => {
  test('occurs the planned number of times, and the client retries the request', async () => {
    const { emulator, sallyport } = await startWithClient();
    await emulator.failNext('organizations.list', { status: 502, retryAfterMs: 0, times: 2 });

    const { response } = await sallyport.organizations.listOrganizations().withResponse();

    expect(response).toMatchObject({ status: 200, attempts: 3 });
  });

  test('returns the planned error code and Retry-After time', async () => {
    const { emulator, sallyport } = await startWithClient();
    await emulator.failNext('users.list', { status: 429, code: 'slow_down', retryAfterMs: 7_000 });

    const error = await sallyport.userManagement.listUsers({}, once).then(undefined, (refusal) => refusal);

    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ serviceCode: 'slow_down', retryAfterMs: 7_000 });
    await expect(sallyport.userManagement.listUsers({}, once)).resolves.toMatchObject({ data: [] });
  });

  test('has status 503 by default', async () => {
    const { emulator, send } = await stage();
    await emulator.failNext('organizations.create');

    const failed = await send('POST /organizations', acme);

    expect([failed.status, failed.body]).toEqual([
      503,
      { message: 'A planned fault made organizations.create fail.', code: 'planned_failure' },
    ]);
    expect(failed.headers.get('sallyport-emulator')).toBeNull();
    expect(failed.headers.get('x-request-id')).toMatch(/^req_/);
    expect((await send('POST /organizations', acme)).status).toBe(200);
  });

  test('can be set for a client method by name', async () => {
    const { emulator, sallyport } = await startWithClient();
    await emulator.failNext('userManagement.listUsers');
    await emulator.faults.add({ operation: 'organizations.listOrganizations', status: 502, times: 1 });

    const [users, organizations] = await Promise.allSettled([
      sallyport.userManagement.listUsers({}, once),
      sallyport.organizations.listOrganizations({}, once),
    ]);

    expect(users).toMatchObject({ reason: { status: 503 } });
    expect(organizations).toMatchObject({ reason: { status: 502 } });
    await expect(sallyport.userManagement.listUsers({}, once)).resolves.toMatchObject({ data: [] });
  });

  test('is rejected if the operation is not a string', async () => {
    const { emulator } = await startWithClient();
    const failNext = emulator.failNext as (operation: unknown) => Promise<void>;

    await expect(failNext({ operation: 'users.list' })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('operation must be a string'),
    });
  });

  test('affects only the named operation, even if two operations share a path', async () => {
    const { emulator, sallyport } = await startWithClient();
    const email = 'ada@acme.test';
    await sallyport.userManagement.createUser({ email, password: 'correct horse', emailVerified: true });
    await emulator.failNext('userManagement.authenticateWithMagicAuth', { times: 10 });

    const byPassword = await sallyport.userManagement.authenticateWithPassword({ email, password: 'correct horse' });
    const byCode = sallyport.userManagement.authenticateWithMagicAuth({ email, code: '123456' }, once);

    expect(byPassword.user.email).toBe(email);
    await expect(byCode).rejects.toMatchObject({ status: 503 });
  });

  test('affects the next request to any operation if the planned operation is *', async () => {
    const { emulator, send } = await stage();
    await emulator.failNext('*', { status: 500 });
    await emulator.failNext('organizations.list', { status: 504 });

    const answers = [
      await send('GET /organizations'),
      await send('GET /user_management/users'),
      await send('GET /organizations'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([500, 200, 504]);
  });

  test.each(['reset', 'faults.clear'] as const)('can be removed with emulator.%s()', async (forget) => {
    const { emulator, send } = await stage();
    await emulator.failNext('*', { times: 1000 });
    const before = await send('GET /organizations');

    await (forget === 'reset' ? emulator.reset() : emulator.faults.clear());

    expect(before.status).toBe(503);
    expect((await send('GET /organizations')).status).toBe(200);
  });
});

describe('a request with a planned failure', () => {
  test('has no effect and sends no webhook', async () => {
    const { emulator, sallyport, delivered } = await startWithReceiver((event) => event.event);
    await emulator.failNext('organizations.create', { status: 500 });

    const call = sallyport.organizations.createOrganization(acme, once);

    await expect(call).rejects.toMatchObject({ status: 500 });
    await emulator.waitForDeliveries();
    expect((await sallyport.organizations.listOrganizations()).data).toEqual([]);
    expect(delivered).toEqual([]);
  });

  test('takes effect only once if the response is lost and the client retries', async () => {
    const { emulator, sallyport, delivered } = await startWithReceiver((event) => event.event);
    await emulator.failNext('organizations.create', { status: 500, retryAfterMs: 0, carriedOut: true, times: 2 });

    const { data, response } = await sallyport.organizations.createOrganization(acme).withResponse();

    await emulator.waitForDeliveries();
    expect(response.attempts).toBe(3);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    const { data: all } = await sallyport.organizations.listOrganizations();
    expect(all.map(({ id }) => id)).toEqual([data.id]);
    expect(delivered).toEqual(['organization.created']);
  });

  test('does not end the session if the request is a refresh', async () => {
    const { emulator, sessions, jar } = await signedIn();
    await emulator.clock.advance('6m');
    await emulator.failNext('userManagement.authenticateWithRefreshToken', { status: 429, retryAfterMs: 9_000 });
    const own = sessions();

    const limited = await own.handle({ headers: jar.headers });
    await emulator.clock.advance('10s');
    const after = await own.handle({ headers: jar.headers });

    expect(limited).toMatchObject({ status: 'retry_later', reason: 'rate_limited', retryAfterMs: 9_000 });
    expect(after.status).toBe('refreshed');
  });
});

describe('a delayed response', () => {
  test("arrives only when the emulator's clock reaches the end of the delay", async () => {
    const { emulator, sallyport } = await startWithClient();
    await emulator.failNext('organizations.create', { delay: '5s' });
    const made = new Promise((resolve) => emulator.onEvent(resolve));
    let name: string | undefined;
    const arrival = sallyport.organizations.createOrganization(acme).then((organization) => {
      name = organization.name;
    });
    await made;
    await emulator.clock.advance('4s');
    const early = name;

    await emulator.clock.advance('1s');
    await arrival;

    expect([early, name]).toEqual([undefined, 'Acme']);
  });

  test('with an error status leaves the data unchanged', async () => {
    const { emulator, sallyport } = await startWithClient();
    await emulator.failNext('organizations.create', { delay: 250, status: 500 });

    const call = sallyport.organizations.createOrganization(acme, once);
    const outcome = call.catch((error) => error);
    // The test cannot see when the response starts to wait, so the clock moves until it arrives.
    let hasArrived = false;
    void outcome.then(() => {
      hasArrived = true;
    });
    while (!hasArrived) {
      await emulator.clock.advance('250ms');
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await outcome).toMatchObject({ status: 500 });
    expect((await sallyport.organizations.listOrganizations()).data).toEqual([]);
  });
});

describe('a fault with `never: true`', () => {
  const never: PlannedFailure = { never: true };

  test('makes the client time out', async () => {
    const { emulator, sallyport } = await startWithClient();
    await emulator.failNext('organizations.list', never);

    const call = sallyport.organizations.listOrganizations({}, { ...once, timeoutMs: 20 });

    await expect(call).rejects.toBeInstanceOf(TimeoutError);
    expect((await sallyport.organizations.listOrganizations()).data).toEqual([]);
  });

  test.each(['in process', 'over HTTP'])('lets the caller abort a request that is sent %s', async (way) => {
    const { emulator, sallyport } = await startWithClient();
    if (way === 'over HTTP') await emulator.listen();
    const client = way === 'over HTTP' ? new Sallyport({ ...emulator.credentials }) : sallyport;
    await emulator.failNext('organizations.list', never);
    const reason = new Error('the person has left');
    const controller = new AbortController();

    const call = client.organizations.listOrganizations({}, { ...once, signal: controller.signal });
    setImmediate(() => controller.abort(reason));

    await expect(call).rejects.toBe(reason);
  });

  test.each(['close', 'reset'] as const)(
    'holds requests until emulator.%s(), and then responds with status 503',
    async (end) => {
      const { emulator } = await startWithClient();
      const send = sender(fetch, await emulator.listen(), emulator.credentials.apiKey);
      const local = sender(emulator.fetch, emulator.url, emulator.credentials.apiKey);
      // The requests are carried out, so that the test can see when both have arrived.
      await emulator.failNext('organizations.list', { never: true, carriedOut: true, times: 2 });
      const calls = Promise.all([send('GET /organizations'), local('GET /organizations')]);
      while (emulator.served.get('organizations.list') !== 2) await new Promise((resolve) => setImmediate(resolve));

      await emulator[end]();

      expect((await calls).map(({ status, body }) => [status, body.code])).toEqual([
        [503, 'closed'],
        [503, 'closed'],
      ]);
    },
  );

  test('cannot have a status', async () => {
    const { emulator } = await startWithClient();

    const planned = emulator.failNext('organizations.list', { never: true, status: 500 });

    await expect(planned).rejects.toMatchObject({ status: 422, code: 'mutually_exclusive' });
  });
});

test.each([
  ['organizations.creat', {}, /must be the id of an operation.*did you mean organizations.create\?/],
  ['userManagement.listUser', {}, /or a method of the client.*did you mean userManagement.listUsers\?/],
  ['organizations.create', { status: 200 }, /status must be/],
  ['organizations.create', { times: 0 }, /times must be/],
  ['organizations.create', { delay: 'soon' as '1s' }, /delay must be milliseconds/],
])('the invalid call failNext("%s", %j) is rejected', async (operation, failure, message) => {
  const { emulator } = await startWithClient();

  await expect(emulator.failNext(operation, failure)).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(message),
  });
});

describe('a fault', () => {
  test('can affect a share of the requests to a path until the fault is removed', async () => {
    const { emulator, send } = await stage();
    const { id } = await emulator.faults.add({ path: '/organizations/*', share: 0.25, status: 502 });

    const ask = async (path: string): Promise<number> => (await send(`GET ${path}`)).status;
    const statuses: number[] = [];
    for (let at = 0; at < 8; at++) statuses.push(await ask('/organizations/org_none'));

    expect(statuses).toEqual([404, 404, 404, 502, 404, 404, 404, 502]);
    expect(await ask('/organizations')).toBe(200);
    await emulator.faults.remove(id);
    for (let at = 0; at < 4; at++) expect(await ask('/organizations/org_none')).toBe(404);
  });

  test('can be set in a header for a single request', async () => {
    const { send } = await stage();

    const asked = await send('GET /organizations', undefined, {
      'sallyport-fault': 'status=429, retry_after_ms=7000',
    });
    const next = await send('GET /organizations');

    expect([asked.status, asked.headers.get('retry-after'), next.status]).toEqual([429, '7', 200]);
  });

  test('in a header is rejected if the fault is invalid or the request has no API key', async () => {
    const { send } = await stage();

    const unknown = await send('GET /organizations', undefined, { 'sallyport-fault': 'colour=red' });
    const impossible = await send('GET /organizations', undefined, { 'sallyport-fault': 'never, status=500' });
    const keyless = await send('GET /sso/jwks/client_sallyport_emulator', undefined, {
      authorization: undefined,
      'sallyport-fault': 'status=503',
    });

    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, 'colour']);
    expect([impossible.status, impossible.body.errors[0].field]).toEqual([422, 'never']);
    expect([keyless.status, keyless.body.code]).toEqual([401, 'missing_api_key']);
  });

  test('can be part of a seed', async () => {
    const { emulator, send } = await stage({ seed: { faults: [{ operation: 'organizations.list', times: 1 }] } });

    const statuses = [(await send('GET /organizations')).status, (await send('GET /organizations')).status];
    await emulator.reset();

    expect(statuses).toEqual([503, 200]);
    expect((await send('GET /organizations')).status).toBe(503);
  });

  test('can be set by the faults option, which is validated', async () => {
    const { emulator, send } = await stage({ faults: [{ operation: 'organizations.list', status: 502, times: 1 }] });

    expect((await send('GET /organizations')).status).toBe(502);
    expect((await send('GET /organizations')).status).toBe(200);
    await emulator.reset();
    expect((await send('GET /organizations')).status).toBe(502);
    await expect(stage({ faults: [{ share: 2 }] })).rejects.toThrow(
      /faults\[0\] of createEmulator is not valid.*share must be above 0 and at most 1/,
    );
  });

  test('can affect the key set for access tokens', async () => {
    const { emulator, send } = await stage();
    await emulator.faults.add({ operation: 'jwks.get', status: 503 });

    expect((await send('GET /sso/jwks/client_sallyport_emulator')).status).toBe(503);
  });
});

describe('a fault with a path', () => {
  test('makes a hosted page fail with a readable error', async () => {
    const { emulator, browser, authorize } = await hosted();
    await emulator.faults.add({ path: '/hosted/sign-in', status: 503, retryAfterMs: 7_000, times: 2 });

    await authorize();
    const shown = [browser.status, browser.title, browser.headers.get('retry-after')];
    const says = browser.text;
    await authorize();
    await authorize();

    expect(shown).toEqual([503, 'Something went wrong', '7']);
    expect(says).toContain('A planned fault made /hosted/sign-in fail.');
    expect(browser.title).toBe('Sign in');
  });

  test('lets a form take effect only once if the response is lost and the form is sent again', async () => {
    const { emulator, browser, authorize, send } = await hosted();
    await authorize();
    await browser.press('Continue', { email: 'ada@example.com' });
    const again = browser.copy();
    await emulator.faults.add({ path: '/hosted/authentication-methods', status: 502, carriedOut: true, times: 1 });

    await browser.press('Sign in', { password: 'correct horse' });
    await again.press('Sign in', { password: 'correct horse' });

    expect(browser.status).toBe(502);
    expect(again.left?.searchParams.get('code')).toMatch(/./);
    expect((await send('GET /events?events=authentication.password_succeeded')).body.data).toHaveLength(1);
  });

  test('can make the authorization URL fail with an error page or a lost connection', async () => {
    const { emulator, browser, authorize } = await hosted();
    await emulator.faults.add({ path: '/user_management/authorize', status: 500, times: 1 });
    await emulator.faults.add({ path: '/hosted/*', connection: 'cut', times: 1 });

    await authorize();
    const failed = [browser.status, browser.title];
    const cut = authorize();

    expect(failed).toEqual([500, 'Something went wrong']);
    await expect(cut).rejects.toThrow();
  });

  test('can replace the key set for access tokens with HTML', async () => {
    const { emulator, send } = await stage();
    await emulator.faults.add({ path: '/sso/jwks/*', body: 'html', times: 1 });
    const jwks = () => emulator.fetch(`/sso/jwks/${emulator.credentials.clientId}`);

    expect((await jwks()).headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await send(`GET /sso/jwks/${emulator.credentials.clientId}`)).body.keys).toHaveLength(1);
  });

  test('affects hosted pages, but not console pages', async () => {
    const { emulator, browser, authorize } = await hosted();
    await authorize();
    const signIn = browser.url;
    await emulator.faults.add({ status: 500 });
    await emulator.faults.add({ path: '*', status: 501 });

    const statuses: number[] = [];
    for (const page of ['/', '/_emulator/inbox', '/_emulator/console/faults', signIn]) {
      await browser.open(`${new URL(page, emulator.url)}`);
      statuses.push(browser.status);
    }

    expect(statuses).toEqual([200, 200, 200, 501]);
  });
});

describe('a fault', () => {
  const seed = { organizations: [{ id: 'org_acme', name: 'Acme' }] };

  describe.each(['over HTTP', 'in process'] as const)('%s', (how) => {
    const at = async () => {
      const emulator = await createEmulator({ seed });
      onTestFinished(() => emulator.close());
      if (how === 'over HTTP') await emulator.listen();
      const fetch = how === 'over HTTP' ? globalThis.fetch : emulator.fetch;
      const headers = { authorization: `Bearer ${emulator.credentials.apiKey}` };
      return { emulator, ask: () => fetch(`${emulator.url}/organizations/org_acme`, { headers }) };
    };

    test('can reset the connection of a single request', async () => {
      const { emulator, ask } = await at();
      await emulator.faults.add({ connection: 'reset', times: 1 });

      await expect(ask()).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
      expect((await ask()).status).toBe(200);
    });

    test('can close the connection in the middle of the body', async () => {
      const { emulator, ask } = await at();
      await emulator.faults.add({ connection: 'cut', times: 1 });

      const response = await ask();

      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    });

    test('can truncate, replace or remove the body, or change the content type', async () => {
      const { emulator, ask } = await at();
      const whole = await (await ask()).text();
      for (const body of ['truncated', 'html', 'empty'] as const) await emulator.faults.add({ body, times: 1 });
      await emulator.faults.add({ contentType: 'text/plain', times: 1 });

      const [half, page, none, plain] = [await ask(), await ask(), await ask(), await ask()];

      expect(await half.text()).toBe(whole.slice(0, Math.floor(whole.length / 2)));
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await page.text()).toContain('502 Bad Gateway');
      expect(await none.text()).toBe('');
      expect([plain.headers.get('content-type'), await plain.text()]).toEqual(['text/plain', whole]);
    });
  });

  test("can send the response slowly, as the emulator's clock advances", async () => {
    const { emulator } = await stage({ seed });
    onTestFinished(() => emulator.close());
    await emulator.faults.add({ drip: '9s', times: 1 });

    const response = await emulator.fetch('/organizations/org_acme', {
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
    });
    const reader = response.body!.getReader();
    const first = await reader.read();
    let rest = 0;
    const reading = (async () => {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value.length;
    })();
    const early = rest;
    for (let second = 0; second < 9; second++) await emulator.clock.advance('1s');
    await reading;

    expect(early).toBe(0);
    expect(first.value!.length + rest).toBeGreaterThan(100);
  });

  test('makes the client retry if the connection closes, and throw if the response is HTML', async () => {
    const { emulator, sallyport } = await startWithClient({ seed });
    await emulator.faults.add({ connection: 'cut', times: 1 });

    const { response } = await sallyport.organizations.getOrganization('org_acme').withResponse();
    await emulator.faults.add({ body: 'html', times: 1 });
    const refused = sallyport.organizations.getOrganization('org_acme', once);

    expect(response.attempts).toBe(2);
    await expect(refused).rejects.toThrow(/unexpected response/);
  });
});

describe('a fault for events or webhooks', () => {
  test('can delay some events while newer events arrive', async () => {
    const { emulator, sallyport, names } = await feed();
    await emulator.faults.add({ of: 'events', delay: '5s', share: 0.5 });
    for (const name of ['one', 'two', 'three']) await sallyport.organizations.createOrganization({ name });

    const early = await names();
    await emulator.clock.advance('5s');

    expect(early).toEqual(['one', 'three']);
    expect(await names()).toEqual(['one', 'two', 'three']);
  });

  test('can delay at most 20,000 events at a time by default', () => {
    const memory = emptyWorld();
    const held = memory.of(faults);
    held.add({ of: 'events', delay: '1d' });

    // The content of the events does not matter here.
    for (let at = 0; at <= 20_000; at++) memory.emit('session.created', {} as never);

    expect(memory.save()['late event']).toHaveLength(20_000);
    expect(held.isVisible(memory.events.records.first!.id)).toBe(false);
  });

  test('can make webhooks arrive twice, late and out of order', async () => {
    const { emulator, sallyport, delivered } = await feed();
    await emulator.faults.add({ of: 'webhooks', copies: 2, times: 1 });
    await emulator.faults.add({ of: 'webhooks', delay: '5s', times: 1 });
    for (const name of ['one', 'two', 'three']) await sallyport.organizations.createOrganization({ name });
    await emulator.waitForDeliveries();
    const early = [...delivered];

    await emulator.clock.advance('5s');
    await emulator.waitForDeliveries();

    expect(early).toEqual(['one', 'one', 'three']);
    expect(delivered).toEqual(['one', 'one', 'three', 'two']);
  });

  const feed = async () => {
    const { emulator, sallyport, delivered } = await startWithReceiver((event) => event.data.name);
    const names = async (): Promise<readonly unknown[]> => {
      const { data } = await sallyport.events.listEvents({ events: ['organization.created'] });
      return data.map((event) => (event.data as { readonly name: string }).name);
    };
    return { emulator, sallyport, delivered, names };
  };
});

test.each([
  [{ path: 'organizations', status: 500 }, /path must begin with a slash or a star/],
  [{ contentType: 'text/html\r\nset-cookie: a=b' }, /content_type must be a content type/],
  [{ of: 'events', event: 'user.creatd', delay: '1s' }, /event must be the type.*did you mean user\.created\?/],
  [{ stauts: 500 }, /stauts is not a known field; did you mean status\?/],
] as [Fault, RegExp][])('the invalid fault %o is rejected', async (fault, message) => {
  const { emulator } = await startWithClient();

  await expect(emulator.faults.add(fault)).rejects.toThrow(message);
  expect(emulator.faults.list()).toEqual([]);
});

test('a control rejects an unknown field over HTTP, but an API operation ignores unknown fields', async () => {
  const { send } = await stage();

  const control = await send('POST /_emulator/clock/advance', { by: '1d', byy: '2d' });
  const operation = await send('POST /organizations', { name: 'Acme', nmae: 'Acne' });

  expect(control).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'byy', code: 'unknown_field', message: 'is not a known field; did you mean by?' }] },
  });
  expect(operation.status).toBe(200);
});
