import { describe, expect, test } from 'vitest';
import { rooms } from '../../../../src/emulator/registry.js';
import { insertOrganization } from '../../../../src/emulator/rooms/organizations/records.js';
import { generatePortalLink, portalLinks } from '../../../../src/emulator/rooms/portal/records.js';
import { addUser } from '../../../../src/emulator/rooms/users/records.js';
import {
  authorizationCodes,
  issueAuthorizationCode,
  redeemAuthorizationCode,
} from '../../../../src/emulator/sign-in/authorizations/authorization-codes.js';
import { hostedSessions, rememberBrowser } from '../../../../src/emulator/sign-in/authorizations/browser-sessions.js';
import { createMagicAuth, magicAuths } from '../../../../src/emulator/sign-in/codes/magic-auth.js';
import { createPasswordReset, passwordResets } from '../../../../src/emulator/sign-in/codes/password-resets.js';
import {
  createPasswordlessSession,
  passwordlessSessions,
} from '../../../../src/emulator/sign-in/codes/passwordless.js';
import { challengeFactor, challenges, enrollTotp } from '../../../../src/emulator/sign-in/factors/factors.js';
import { beginSignIn } from '../../../../src/emulator/sign-in/flow/sign-in.js';
import { refreshTokens, workingRefreshToken } from '../../../../src/emulator/sign-in/sessions/refresh-tokens.js';
import { openSession, revokeSession, sessions } from '../../../../src/emulator/sign-in/sessions/sessions.js';
import type { World } from '../../../../src/emulator/world/world.js';
import { emptyWorld } from '../../world/empty-world.js';

const email = 'ada@example.com';

async function someWorld() {
  const world = emptyWorld();
  for (const room of rooms) room.start?.(world);
  const { id: userId } = await addUser(world, { email, password: 'correct horse' });
  const signIn = beginSignIn({ clientId: 'client', ipAddress: null, userAgent: null }, userId, 'Password');
  return { world, userId, signIn };
}

const times = (count: number, work: (at: number) => void): void => {
  for (let at = 0; at < count; at++) work(at);
};
/** 10,000 things that are spent, and the first one is forgotten when another is made. */
const many = 10_000;

describe('the oldest unusable records are deleted', () => {
  test('sessions that have ended, with their tokens; those that run stay, however old', async () => {
    const { world, signIn } = await someWorld();
    const running = openSession(world, signIn);
    const first = openSession(world, signIn);
    revokeSession(world, first.session.id);
    times(many - 2, () => revokeSession(world, openSession(world, signIn).session.id));
    expect(world.of(sessions).size).toBe(many);

    const last = openSession(world, signIn);

    expect(world.of(sessions).size).toBe(5_002);
    expect(world.of(sessions).find(first.session.id)).toBeUndefined();
    expect(world.of(refreshTokens).size).toBe(2);
    for (const { session, refreshToken } of [running, last])
      expect(workingRefreshToken(world, refreshToken)).toMatchObject({ sessionId: session.id });
  });

  test('tokens of expired sessions; a recent one is still reported as expired', async () => {
    const { world, signIn } = await someWorld();
    const opened: string[] = [];
    times(many, () => opened.push(openSession(world, signIn).refreshToken));
    await world.clock.advance('365d');

    openSession(world, signIn);

    expect(world.of(refreshTokens).size).toBe(5_001);
    expect(workingRefreshToken(world, opened[0]!)).toBe('unknown');
    expect(workingRefreshToken(world, opened.at(-1)!)).toBe('expired');
  });

  test('a browser whose session was revoked does not come back when that is forgotten', async () => {
    const { world, signIn } = await someWorld();
    const code = issueAuthorizationCode(world, { signIn, purpose: 'user_management' });
    rememberBrowser(world, { ...signIn, authenticatedAt: world.clock.now() }, code);
    const codeId = world.of(authorizationCodes).by('code', code)!.id;
    const { session } = openSession(world, { ...signIn, codeId });
    revokeSession(world, session.id);
    expect(world.of(hostedSessions).size).toBe(1);

    world.of(sessions).delete(session.id);

    expect(world.of(hostedSessions).size).toBe(0);
  });

  test('authorization codes that were redeemed; one that waits stays', async () => {
    const { world, signIn } = await someWorld();
    const issue = () => issueAuthorizationCode(world, { signIn, purpose: 'user_management' });
    const waiting = issue();
    for (let at = 1; at < many; at++)
      await redeemAuthorizationCode(world, { code: issue(), clientId: 'client', purpose: 'user_management' });

    issue();

    expect(world.of(authorizationCodes).size).toBe(5_002);
    expect(world.of(authorizationCodes).by('code', waiting)).toBeDefined();
  });

  const links: Readonly<Record<string, (world: World) => { make: (at: number) => void; size: () => number }>> = {
    'links to reset a password': (world) => ({
      make: () => createPasswordReset(world, email),
      size: () => world.of(passwordResets).size,
    }),
    'magic links': (world) => ({
      make: () => createPasswordlessSession(world, { email, type: 'MagicLink' }),
      size: () => world.of(passwordlessSessions).size,
    }),
    'codes to sign in with, mailed to somebody new each time': (world) => ({
      make: (at) => createMagicAuth(world, `ada${at}@example.com`),
      size: () => world.of(magicAuths).size,
    }),
    'links to the admin portal': (world) => {
      const { id } = insertOrganization(world, { name: 'Acme' });
      return {
        make: () => generatePortalLink(world, { organization: id, intent: 'sso' }),
        size: () => world.of(portalLinks).size,
      };
    },
  };
  for (const [name, parts] of Object.entries(links))
    test(`${name}, once they have expired`, async () => {
      const { world } = await someWorld();
      const { make, size } = parts(world);
      times(many, make);
      make(many);
      expect(size()).toBe(many + 1);
      await world.clock.advance('1d');

      times(many, (at) => make(many + 1 + at));

      expect(size()).toBeLessThanOrEqual(many + 5_000);
    });

  test('challenges that were not answered for a day', async () => {
    const { world, userId } = await someWorld();
    const factor = await enrollTotp(world, { issuer: 'Acme', user: 'ada', userId });
    times(many, () => challengeFactor(world, factor.id));
    await world.clock.advance('1d');

    const { id } = challengeFactor(world, factor.id);

    expect(world.of(challenges).size).toBe(5_001);
    expect(world.of(challenges).find(id)).toBeDefined();
  });
});
