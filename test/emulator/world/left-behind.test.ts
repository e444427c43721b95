import { expect, test } from 'vitest';
import { rooms } from '../../../src/emulator/all-rooms.js';
import {
  addConnectApplication,
  authorizeApplication,
  authorizedApplications,
  connectApplications,
} from '../../../src/emulator/rooms/users/authorized-applications.js';
import { sendEmailChange, sendVerification } from '../../../src/emulator/rooms/users/email-verification.js';
import { addIdentity, identities } from '../../../src/emulator/rooms/users/identities.js';
import { emailChanges, emailVerifications } from '../../../src/emulator/rooms/users/one-time-codes.js';
import { passwords } from '../../../src/emulator/rooms/users/passwords.js';
import { addUser, deleteUser } from '../../../src/emulator/rooms/users/records.js';
import { challengeFactor, challenges, enrollTotp, factors } from '../../../src/emulator/sign-in/factors.js';
import { magicAuths, sendMagicAuth } from '../../../src/emulator/sign-in/magic-auth.js';
import { passwordResets, sendPasswordReset } from '../../../src/emulator/sign-in/password-resets.js';
import { pendingAuthentications, storePending } from '../../../src/emulator/sign-in/pending-authentications.js';
import { refreshTokens } from '../../../src/emulator/sign-in/refresh-tokens.js';
import { openSession, sessions } from '../../../src/emulator/sign-in/sessions.js';
import { beginSignIn } from '../../../src/emulator/sign-in/sign-in.js';
import { emptyWorld } from './empty-world.js';

/** A world with two users, each with everything a user can have, and how much there is of it. */
async function twoUsers() {
  const world = emptyWorld();
  for (const room of rooms) room.start?.(world);
  const application = addConnectApplication(world, { name: 'Notes' });
  const ids: string[] = [];
  for (const name of ['ada', 'grace']) {
    const email = `${name}@example.com`;
    const { id: userId } = await addUser(world, { email, password: 'correct horse' });
    addIdentity(world, { userId, idpId: name, provider: 'GoogleOAuth' });
    authorizeApplication(world, { userId, applicationId: application.id });
    const factor = await enrollTotp(world, { issuer: 'Acme', user: name, userId });
    challengeFactor(world, factor.id);
    sendVerification(world, userId);
    sendEmailChange(world, userId, `new-${email}`);
    sendMagicAuth(world, email);
    sendPasswordReset(world, email, 'https://app.test/reset');
    const signIn = beginSignIn({ clientId: 'client', ipAddress: null, userAgent: null }, userId, 'Password');
    storePending(world, signIn);
    openSession(world, signIn);
    ids.push(userId);
  }
  const of = {
    passwords,
    identities,
    authorizedApplications,
    factors,
    challenges,
    emailVerifications,
    emailChanges,
    magicAuths,
    passwordResets,
    pendingAuthentications,
    sessions,
    refreshTokens,
  };
  const sizes = () => Object.entries(of).map(([name, kept]) => [name, world.of<{ size: number }>(kept).size]);
  return { world, ids, sizes };
}

test('a deleted user leaves nothing behind, and other users keep their data', async () => {
  const { world, ids, sizes } = await twoUsers();
  const before = sizes();

  deleteUser(world, ids[0]!);

  expect(before.every(([, size]) => size === 2)).toBe(true);
  expect(sizes().filter(([, size]) => size !== 1)).toEqual([]);
  expect(world.of(connectApplications).size).toBe(1);
});
