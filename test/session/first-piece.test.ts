import { expect, test, vi } from 'vitest';
import { password, signedIn } from './signed-in.js';

const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };

test('the sign-in modules are not loaded for signed-in users or denied requests', async () => {
  // Creating the session of the user loads that code, so the application below is another process.
  const { emulator, jar, rotations } = await signedIn();
  vi.resetModules();
  const loaded: string[] = [];
  vi.doMock('../../src/session/sign-in/session-changes.js', (original) => {
    loaded.push('session-changes');
    return original();
  });
  const { createSessions, withSession } = await import('sallyport/session');
  const own = createSessions({
    ...emulator.credentials,
    cookiePassword: password,
    redirectUri: 'http://localhost:3000/callback',
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
  });
  const handler = withSession(own, (_, auth) => new Response(auth.session?.user.email), {
    routes: true,
    protect: ['/'],
  });
  const ask = async (path: string): Promise<string> => {
    const headers = { ...page, ...jar.headers };
    const response = await handler(new Request(new URL(path, 'http://localhost:3000'), { headers }));
    jar.keep(response.headers);
    return response.text();
  };

  expect(await ask('/reports')).toBe('ada@example.com');
  emulator.clock.advance('10m');
  expect(await ask('/reports')).toBe('ada@example.com');
  expect(rotations()).toBe(1);
  await handler(new Request('http://localhost:3000/reports'));
  expect(loaded).toEqual([]);

  await own.startSignIn({ headers: page });
  expect(loaded).toEqual(['session-changes']);
});
