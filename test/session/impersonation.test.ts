import { describe, expect, test } from 'vitest';
import { signedIn } from './signed-in.js';

/** Ada's session, and a session of an employee who impersonates her. */
async function impersonated(reason?: string) {
  const world = await signedIn();
  const { emulator, sallyport, tokens } = world;
  const { code } = await emulator.impersonate({ userId: tokens.user.id, email: 'staff@vendor.test', reason });
  const staff = await sallyport.userManagement.authenticateWithCode({ code });
  const sessions = world.sessions();
  const cookie = (await sessions.create(staff)).map((line) => line.split(';')[0]).join('; ');
  return { ...world, sessions, staff, cookie };
}

describe('an impersonated session', () => {
  test('names the impersonator and the reason, even after a refresh', async () => {
    const { emulator, sessions, cookie, tokens } = await impersonated('Ticket 7');

    const first = await sessions.handle({ headers: { cookie } });
    await emulator.clock.advance('6m');
    const refreshed = await sessions.handle({ headers: { cookie } });

    const impersonator = { email: 'staff@vendor.test', reason: 'Ticket 7' };
    expect(first).toMatchObject({ status: 'active', session: { userId: tokens.user.id, impersonator } });
    expect(refreshed).toMatchObject({ status: 'refreshed', session: { userId: tokens.user.id, impersonator } });
  });

  test('names the impersonator but not the reason if only the access token is verified', async () => {
    const { sessions, staff } = await impersonated('Ticket 7');

    expect(await sessions.verifyAccessToken(staff.accessToken)).toMatchObject({
      status: 'active',
      session: { impersonator: { email: 'staff@vendor.test', reason: null } },
    });
  });

  test("is separate from the user's own session, which has no impersonator", async () => {
    const { sessions, jar, staff, tokens } = await impersonated();

    const own = await sessions.handle(jar.request);

    expect(own).toMatchObject({ status: 'active', session: { impersonator: null } });
    expect(own.session?.sessionId).not.toBe((await sessions.verifyAccessToken(staff.accessToken)).session?.sessionId);
    expect(staff.user.id).toBe(tokens.user.id);
  });
});
