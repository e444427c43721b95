import { withSession } from 'sallyport/session';
import { expect, test, vi } from 'vitest';
import { signedIn } from './signed-in.js';

/** Pieces that were loaded. */
const loaded = vi.hoisted((): string[] => []);
vi.mock('../../src/session/sign-in/session-changes.js', (original) => {
  loaded.push('session-changes');
  return original();
});

const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };

test('requests of users who are signed in load nothing that begins or ends a session, nor do refused ones', async () => {
  const { emulator, jar, sessions, rotations } = await signedIn();
  const own = sessions({ redirectUri: 'http://localhost:3000/callback' });
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
