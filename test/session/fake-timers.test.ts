import { createSessionReader, createSessions } from 'sallyport/session';
import { testWorlds } from 'sallyport/testing';
import { afterEach, expect, test, vi } from 'vitest';

const worlds = testWorlds({
  emulator: {},
  seed: { users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }] },
});
const minute = 60_000;

afterEach(async () => {
  vi.useRealTimers();
  await worlds.close();
});

test('existing sessions, readers and emulators follow newly installed fake timers', async () => {
  const world = await worlds.create();
  const { credentials, env, fetch } = world;
  const { apiKey, ...service } = credentials;
  const options = { ...service, fetch, cookiePassword: env.SALLYPORT_COOKIE_PASSWORD };
  const sessions = createSessions({ ...options, apiKey });
  const reader = createSessionReader(options);
  const { headers } = await world.signInAs('user_ada');
  expect(await reader.read(headers.cookie)).toMatchObject({ status: 'active' });

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * minute });

  expect(await reader.read(headers.cookie)).toMatchObject({ status: 'expired' });
  expect(await sessions.handle({ headers })).toMatchObject({ status: 'refreshed' });
});

test('fake timers do not affect a clock passed as the now option', async () => {
  const world = await worlds.create();
  const { credentials, env, fetch } = world;
  const { headers } = await world.signInAs('user_ada');
  const real = Date.now();
  const { clientId, baseUrl } = credentials;
  const reader = createSessionReader({
    clientId,
    baseUrl,
    fetch,
    cookiePassword: env.SALLYPORT_COOKIE_PASSWORD,
    now: () => real,
  });

  vi.useFakeTimers({ toFake: ['Date'], now: real + 10 * minute });

  expect(await reader.read(headers.cookie)).toMatchObject({ status: 'active' });
});
