import { describe, expect, test } from 'vitest';
import { checked, deployment, freeUrl } from './deployment.js';

describe('sallyport check prints no secret', () => {
  const secretNames = /^(?:access_token|refresh_token|secret|client_secret|password|link|qr_code|uri)$/;
  function* secretsIn(value: unknown): Generator<string> {
    for (const [name, one] of Object.entries(Object(value)))
      if (typeof one === 'string') {
        if (secretNames.test(name)) yield one;
      } else yield* secretsIn(one);
  }

  test.each([
    ['JSON', true],
    ['text', false],
  ])('in the %s report, even if the service echoes secrets in an error', async (_, json) => {
    const secrets = new Set<string>();
    const service = await deployment({
      request({ body }) {
        for (const one of secretsIn(body)) secrets.add(one);
        return undefined;
      },
      answer(_, { status, body }) {
        for (const one of secretsIn(body)) secrets.add(one);
        // A refused sign-in is answered after secrets of all kinds have passed.
        return status === 400 ? { body: { ...body, code: [...secrets].join(' '), error: undefined } } : undefined;
      },
    });

    const { out, err } = await checked(service, { json, webhookUrl: await freeUrl() });

    expect(out).toContain('A wrong password is refused');
    expect(secrets.size).toBeGreaterThan(15);
    expect([...secrets, service.env.SALLYPORT_API_KEY].filter((one) => `${out}${err}`.includes(one))).toEqual([]);
  });

  test('and sends no further request if the service rejects the API key', async () => {
    const service = await deployment({ answer: () => ({ status: 401, body: { message: 'Unauthorized' } }) });

    const failure = await checked(service).catch((error: Error) => error.message);

    expect(failure).toBe(
      `${new URL(service.url).host} does not accept the API key. Check that SALLYPORT_API_KEY belongs to this environment.`,
    );
    expect(service.requests).toEqual(['GET /organizations?limit=1']);
  });
});

describe('sallyport check', () => {
  test('rejects an API key without the prefix sk_test_ before sending a request', async () => {
    const service = await deployment();
    const env = { ...service.env, SALLYPORT_API_KEY: 'sk_live_a1b2c3d4e5f6' };

    const failure = await checked({ ...service, env }).catch((error: Error) => error.message);

    expect(failure).toBe(
      'The API key does not begin with sk_test_, so it may be one of production. Use the key of a staging environment, or pass --allow-production.',
    );
    expect(service.requests).toEqual([]);
  });

  test('accepts a production API key with --allow-production, and prints a warning', async () => {
    const service = await deployment();
    const { apiKey, clientId } = service.emulator.production.credentials;
    const env = { ...service.env, SALLYPORT_API_KEY: apiKey, SALLYPORT_CLIENT_ID: clientId };

    const { code, err } = await checked({ ...service, env }, { allowProduction: true });

    expect(err).toContain('the API key does not begin with sk_test_: this may be production');
    expect(code).toBe(0);
  });

  test('lists records that cannot be deleted, and deletes the records later with --clean', async () => {
    let isBroken = true;
    const service = await deployment({
      answer: ({ method, path }) =>
        isBroken && method === 'DELETE' && path.startsWith('/user_management/users/')
          ? { status: 500, body: {} }
          : undefined,
    });

    const { code, err } = await checked(service);
    expect(code).toBe(1);
    expect(err).toMatch(
      /Run sallyport check --clean to remove them:\n {2}users sallyport-check-\S+@example\.com \(user_\w+\)\n$/,
    );
    isBroken = false;
    const cleaned = await checked(service, { json: false, clean: true });
    const again = await checked(service, { json: false, clean: true });

    expect(cleaned.before).toMatch(/ {2}users sallyport-check-\S+@example\.com \(user_\w+\)\n$/);
    expect(cleaned.out).toMatch(/users sallyport-check-\S+@example\.com \(user_\w+\)\nRemoved\.\n$/);
    expect(cleaned.code).toBe(0);
    expect(again.out).toBe(`Nothing is left at ${new URL(service.url).host}.\n`);
  });
});
