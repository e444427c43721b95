import { expect, test } from 'vitest';
import { rooms } from '../../../src/emulator/registry.js';
import { insertOrganization } from '../../../src/emulator/rooms/organizations/records.js';
import { generatePortalLink, portalLinks } from '../../../src/emulator/rooms/portal/records.js';
import { addUser } from '../../../src/emulator/rooms/users/records.js';
import { hostedSessions, rememberBrowser } from '../../../src/emulator/sign-in/authorizations/browser-sessions.js';
import {
  createPasswordlessSession,
  passwordlessSessions,
} from '../../../src/emulator/sign-in/authorizations/passwordless.js';
import {
  authorizationCodes,
  issueAuthorizationCode,
  redeemAuthorizationCode,
} from '../../../src/emulator/sign-in/codes/authorization-codes.js';
import { createMagicAuth, magicAuths } from '../../../src/emulator/sign-in/codes/magic-auth.js';
import { createPasswordReset, passwordResets } from '../../../src/emulator/sign-in/codes/password-resets.js';
import { challengeFactor, challenges, enrollTotp } from '../../../src/emulator/sign-in/factors/factors.js';
import { startSignIn } from '../../../src/emulator/sign-in/proof/sign-in.js';
import { refreshTokens, workingRefreshToken } from '../../../src/emulator/sign-in/sessions/refresh-tokens.js';
import { openSession, revokeSession, sessions } from '../../../src/emulator/sign-in/sessions/sessions.js';
import type { Memory } from '../../../src/emulator/world/memory.js';
import { takesLong } from '../../runner/requirements.js';
import { emptyWorld } from '../world/empty-world.js';

const email = 'ada@example.com';

async function someWorld() {
  const memory = emptyWorld();
  for (const room of rooms) room.start?.(memory);
  const { id: userId } = await addUser(memory, { email, password: 'correct horse' });
  const signIn = startSignIn({ clientId: 'client', ipAddress: null, userAgent: null }, userId, 'Password');
  return { memory, userId, signIn };
}

const times = (count: number, work: (at: number) => void): void => {
  for (let at = 0; at < count; at++) work(at);
};
/** At 10,000 unusable records, creating another one deletes the oldest. */
const many = 10_000;

takesLong('a world', () => {
  test('deletes the oldest ended sessions with their tokens, but no running session', async () => {
    const { memory, signIn } = await someWorld();
    const running = openSession(memory, signIn);
    const first = openSession(memory, signIn);
    revokeSession(memory, first.session.id);
    times(many - 2, () => revokeSession(memory, openSession(memory, signIn).session.id));
    expect(memory.of(sessions).size).toBe(many);

    const last = openSession(memory, signIn);

    expect(memory.of(sessions).size).toBe(5_002);
    expect(memory.of(sessions).find(first.session.id)).toBeUndefined();
    expect(memory.of(refreshTokens).size).toBe(2);
    for (const { session, refreshToken } of [running, last])
      expect(workingRefreshToken(memory, refreshToken)).toMatchObject({ sessionId: session.id });
  });

  test('deletes the oldest tokens of expired sessions, but still reports recent tokens as expired', async () => {
    const { memory, signIn } = await someWorld();
    const opened: string[] = [];
    times(many, () => opened.push(openSession(memory, signIn).refreshToken));
    await memory.clock.advance('365d');

    openSession(memory, signIn);

    expect(memory.of(refreshTokens).size).toBe(5_001);
    expect(workingRefreshToken(memory, opened[0]!)).toBe('unknown');
    expect(workingRefreshToken(memory, opened.at(-1)!)).toBe('expired');
  });

  test('deletes a remembered browser sign-in together with the revoked session', async () => {
    const { memory, signIn } = await someWorld();
    const code = issueAuthorizationCode(memory, { signIn, purpose: 'user_management' });
    rememberBrowser(memory, { ...signIn, authenticatedAt: memory.clock.now() }, code);
    const codeId = memory.of(authorizationCodes).by('code', code)!.id;
    const { session } = openSession(memory, { ...signIn, codeId });
    revokeSession(memory, session.id);
    expect(memory.of(hostedSessions).size).toBe(1);

    memory.delete(sessions, session.id);

    expect(memory.of(hostedSessions).size).toBe(0);
  });

  test('deletes the oldest redeemed authorization codes, but no code that can still be used', async () => {
    const { memory, signIn } = await someWorld();
    const issue = () => issueAuthorizationCode(memory, { signIn, purpose: 'user_management' });
    const waiting = issue();
    for (let at = 1; at < many; at++)
      await redeemAuthorizationCode(memory, { code: issue(), clientId: 'client', purpose: 'user_management' });

    issue();

    expect(memory.of(authorizationCodes).size).toBe(5_002);
    expect(memory.of(authorizationCodes).by('code', waiting)).toBeDefined();
  });

  const links: Readonly<Record<string, (memory: Memory) => { make: (at: number) => void; size: () => number }>> = {
    'password reset links': (memory) => ({
      make: () => createPasswordReset(memory, email),
      size: () => memory.of(passwordResets).size,
    }),
    'magic links': (memory) => ({
      make: () => createPasswordlessSession(memory, { email, type: 'MagicLink' }),
      size: () => memory.of(passwordlessSessions).size,
    }),
    'sign-in codes for different addresses': (memory) => ({
      make: (at) => createMagicAuth(memory, `ada${at}@example.com`),
      size: () => memory.of(magicAuths).size,
    }),
    'admin portal links': (memory) => {
      const { id } = insertOrganization(memory, { name: 'Acme' });
      return {
        make: () => generatePortalLink(memory, { organization: id, intent: 'sso' }),
        size: () => memory.of(portalLinks).size,
      };
    },
  };
  for (const [name, parts] of Object.entries(links))
    test(`deletes the oldest expired ${name}`, async () => {
      const { memory } = await someWorld();
      const { make, size } = parts(memory);
      times(many, make);
      make(many);
      expect(size()).toBe(many + 1);
      await memory.clock.advance('1d');

      times(many, (at) => make(many + 1 + at));

      expect(size()).toBeLessThanOrEqual(many + 5_000);
    });

  test('deletes the oldest challenges that were not answered for a day', async () => {
    const { memory, userId } = await someWorld();
    const factor = await enrollTotp(memory, { issuer: 'Acme', user: 'ada', userId });
    times(many, () => challengeFactor(memory, factor.id));
    await memory.clock.advance('1d');

    const { id } = challengeFactor(memory, factor.id);

    expect(memory.of(challenges).size).toBe(5_001);
    expect(memory.of(challenges).find(id)).toBeDefined();
  });
});
