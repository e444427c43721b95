import { createSessions, type StartSignInOptions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { Browser } from '../emulator/hosted/hosted-browser.js';
import { company, stage } from '../stage.js';
import { Jar } from './jar.js';
import { password } from './signed-in.js';

/** Ada, a member of Northwind and Tailspin, who signed in to Northwind ten minutes ago. */
async function longAgo(dialect: 'spec' | 'workos') {
  const { emulator, send } = await stage({ dialect, seed: company });
  const sessions = createSessions({
    ...emulator.credentials,
    dialect,
    cookiePassword: password,
    redirectUri: 'http://localhost:3000/callback',
    fetch: emulator.fetch,
    now: () => emulator.clock.now(),
  });
  const jar = new Jar();
  jar.keep(await sessions.create(await emulator.signInAs('user_ada', { organizationId: 'org_northwind' })));
  await emulator.clock.advance('10m');

  /** Start a sign-in, and enter the password at the hosted page. */
  const browser = new Browser(emulator);
  const signIn = async (options: StartSignInOptions) => {
    const started = await sessions.startSignIn(jar.request, options);
    jar.keep(started.headers);
    await browser.open(started.headers.get('location')!);
    await browser.press('Continue', { email: 'ada@northwind.test' });
    await browser.press('Sign in', { password: 'correct horse battery staple' });
    return started.headers.get('location')!;
  };
  const finish = async () => {
    const finished = await sessions.finishSignIn({ url: browser.left!.href, headers: jar.headers });
    jar.keep(finished.headers);
    return finished;
  };
  return { emulator, send, sessions, jar, browser, signIn, finish };
}
const again = { prompt: 'login', maxAge: 300 } as const;

describe('a repeated sign-in keeps the organization of the session', () => {
  test('in the workos dialect by sending organization_id to the hosted page', async () => {
    const { signIn, finish, sessions } = await longAgo('workos');

    const { searchParams } = new URL(await signIn(again));
    const { session } = await finish();

    expect([searchParams.get('provider'), searchParams.get('organization_id')]).toEqual(['authkit', 'org_northwind']);
    expect(session?.organizationId).toBe('org_northwind');
    expect(sessions.isRecent(session!, 300_000)).toBe(true);
  });

  test('in the spec dialect, even if the user chooses a different organization', async () => {
    const { signIn, browser, finish, sessions, jar } = await longAgo('spec');

    const { searchParams } = new URL(await signIn(again));
    await browser.press('Tailspin Toys');
    const { session } = await finish();

    // A sign-in with an organization would not use the hosted page there.
    expect([searchParams.get('provider'), searchParams.has('organization')]).toEqual(['hosted-login', false]);
    expect(session?.organizationId).toBe('org_northwind');
    expect(sessions.isRecent(session!, 300_000)).toBe(true);
    expect((await sessions.handle(jar.request)).session?.organizationId).toBe('org_northwind');
  });
});

test('a repeated sign-in with a social provider does not use the hosted page', async () => {
  const { sessions, jar } = await longAgo('workos');

  const started = await sessions.startSignIn(jar.request, { ...again, provider: 'GoogleOAuth' });

  const { searchParams } = new URL(started.headers.get('location')!);
  expect([searchParams.get('provider'), searchParams.has('organization_id')]).toEqual(['GoogleOAuth', false]);
});

describe('a sign-in uses the organization that the user chooses', () => {
  test('if reauthentication is not required', async () => {
    const { signIn, browser, finish } = await longAgo('spec');

    await signIn({});
    await browser.press('Tailspin Toys');

    expect((await finish()).session?.organizationId).toBe('org_tailspin');
  });

  test("if the user has left the session's organization", async () => {
    const { emulator, send, signIn, browser, finish, sessions, jar } = await longAgo('spec');
    await signIn(again);
    await browser.press('Tailspin Toys');
    const { body } = await send(
      'GET /user_management/organization_memberships?organization_id=org_northwind&user_id=user_ada',
    );
    await send(`DELETE /user_management/organization_memberships/${body.data[0].id}`);

    expect((await finish()).session?.organizationId).toBe('org_tailspin');
    await emulator.clock.advance('10m');
    expect((await sessions.handle(jar.request)).session?.organizationId).toBe('org_tailspin');
  });
});
