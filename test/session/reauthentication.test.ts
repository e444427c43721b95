import { createEmulator } from 'sallyport/emulator';
import { createSessions, type StartSignInOptions } from 'sallyport/session';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Browser } from '../emulator/hosted/hosted-browser.js';
import { Jar } from './jar.js';
import { password } from './signed-in.js';

/** Ada, a member of Acme and Globex, who signed in to Acme ten minutes ago. */
async function longAgo(dialect: 'spec' | 'workos') {
  const emulator = await createEmulator({
    dialect,
    clock: '2026-01-01T00:00:00.000Z',
    seed: {
      organizations: [
        { id: 'org_acme', name: 'Acme' },
        { id: 'org_globex', name: 'Globex' },
      ],
      users: [{ id: 'user_ada', email: 'ada@example.com', email_verified: true, password: 'analytical-engine' }],
      memberships: [
        { id: 'om_acme', user_id: 'user_ada', organization_id: 'org_acme' },
        { user_id: 'user_ada', organization_id: 'org_globex' },
      ],
    },
  });
  onTestFinished(() => emulator.close());
  const sessions = createSessions({
    ...emulator.credentials,
    dialect,
    password,
    redirectUri: 'http://localhost:3000/callback',
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
  });
  const jar = new Jar();
  jar.keep(await sessions.create(await emulator.signInAs('user_ada', { organizationId: 'org_acme' })));
  await emulator.clock.advance('10m');

  /** Begin a sign-in and prove the password at the hosted page. */
  const browser = new Browser(emulator);
  const signIn = async (options: StartSignInOptions) => {
    const started = await sessions.startSignIn(jar.request, options);
    jar.keep(started.headers);
    await browser.open(started.headers.get('location')!);
    await browser.press('Continue', { email: 'ada@example.com' });
    await browser.press('Sign in', { password: 'analytical-engine' });
    return started.headers.get('location')!;
  };
  const finish = async () => {
    const finished = await sessions.finishSignIn({ url: browser.left!.href, headers: jar.headers });
    jar.keep(finished.headers);
    return finished;
  };
  return { emulator, sessions, jar, browser, signIn, finish };
}
const again = { prompt: 'login', maxAge: 300 } as const;

describe('a new proof keeps the organization of the session', () => {
  test('in dialect workos, where the hosted page takes it', async () => {
    const { signIn, finish, sessions } = await longAgo('workos');

    const { searchParams } = new URL(await signIn(again));
    const { session } = await finish();

    expect([searchParams.get('provider'), searchParams.get('organization_id')]).toEqual(['authkit', 'org_acme']);
    expect(session?.organizationId).toBe('org_acme');
    expect(sessions.isRecent(session!, 300)).toBe(true);
  });

  test('in dialect spec, whichever the user chooses at the hosted page', async () => {
    const { signIn, browser, finish, sessions, jar } = await longAgo('spec');

    const { searchParams } = new URL(await signIn(again));
    await browser.press('Globex');
    const { session } = await finish();

    // An organization would be another way to sign in there.
    expect([searchParams.get('provider'), searchParams.has('organization')]).toEqual(['hosted-login', false]);
    expect(session?.organizationId).toBe('org_acme');
    expect(sessions.isRecent(session!, 300)).toBe(true);
    expect((await sessions.handle(jar.request)).session?.organizationId).toBe('org_acme');
  });
});

test('a new proof by a social provider does not go to the hosted page', async () => {
  const { sessions, jar } = await longAgo('workos');

  const started = await sessions.startSignIn(jar.request, { ...again, provider: 'GoogleOAuth' });

  const { searchParams } = new URL(started.headers.get('location')!);
  expect([searchParams.get('provider'), searchParams.has('organization_id')]).toEqual(['GoogleOAuth', false]);
});

describe('a sign-in goes to the organization that the user chooses', () => {
  test('if it asks for no new proof', async () => {
    const { signIn, browser, finish } = await longAgo('spec');

    await signIn({});
    await browser.press('Globex');

    expect((await finish()).session?.organizationId).toBe('org_globex');
  });

  test('if the user is no longer a member of the organization of the session', async () => {
    const { emulator, signIn, browser, finish, sessions, jar } = await longAgo('spec');
    await signIn(again);
    await browser.press('Globex');
    await emulator.fetch(`${emulator.url}/user_management/organization_memberships/om_acme`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}` },
    });

    expect((await finish()).session?.organizationId).toBe('org_globex');
    await emulator.clock.advance('10m');
    expect((await sessions.handle(jar.request)).session?.organizationId).toBe('org_globex');
  });
});
