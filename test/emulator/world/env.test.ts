import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

const names = ['API_KEY', 'BASE_URL', 'CLIENT_ID', 'COOKIE_PASSWORD', 'REDIRECT_URI'].map(
  (name) => `SALLYPORT_${name}`,
);

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
});

test("an application configured with the emulator's environment variables signs users in at the emulator", async () => {
  const emulator = await createEmulator({ autoApprove: true });
  onTestFinished(() => emulator.close());
  await emulator.listen();

  await expect(createSessions().startSignIn({ headers: {} })).rejects.toThrow(
    'Pass cookiePassword or set SALLYPORT_COOKIE_PASSWORD',
  );
  for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);

  await new Sallyport().userManagement.createUser({ email: 'ada@acme.test', emailVerified: true });
  const started = await createSessions().startSignIn({ headers: {} }, { loginHint: 'ada@acme.test' });
  const approved = await fetch(started.headers.get('location')!, { redirect: 'manual' });
  const cookie = started.headers.getSetCookie().map((line) => line.split(';')[0]);
  const url = approved.headers.get('location')!;
  const finished = await createSessions().finishSignIn({ url, headers: { cookie: cookie.join('; ') } });

  expect(url).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
  expect(finished.session?.user.email).toBe('ada@acme.test');
});

test('the cookie password differs between emulators, and stays constant within an emulator', async () => {
  const [one, other] = [await createEmulator(), await createEmulator()];

  expect(one.env.SALLYPORT_COOKIE_PASSWORD).toHaveLength(36);
  expect(one.env).toEqual(one.env);
  expect(one.env.SALLYPORT_COOKIE_PASSWORD).not.toBe(other.env.SALLYPORT_COOKIE_PASSWORD);
});
