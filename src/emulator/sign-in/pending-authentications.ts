import { nullable, part, ref, string, timestamp } from '../../service/describe/define.js';
import { dropExpired } from '../world/expired.js';
import { badRequest } from '../world/refusal.js';
import { collection, type World } from '../world/world.js';
import { type SignIn, signInRecord } from './sign-in.js';

/** A sign-in that waits for its next step. */
export interface PendingAuthenticationRecord {
  readonly id: string;
  /** What the next step is taken with. */
  readonly token: string;
  readonly userId: string;
  /** Authorization code that was redeemed; null for none. */
  readonly codeId: string | null;
  readonly signIn: SignIn;
  readonly expiresAt: string;
}

/** The sign-ins that wait, or have been given up. */
export const pendingAuthentications = collection<PendingAuthenticationRecord>({
  object: 'pending authentication',
  prefix: 'pending_authentication',
  unique: ['token'],
  index: ['userId', 'codeId'],
  record: ref<PendingAuthenticationRecord>(
    part({
      id: string,
      token: string,
      userId: string,
      codeId: nullable(string),
      signIn: ref<SignIn>(signInRecord),
      expiresAt: timestamp,
    }),
  ),
});

const lifetimeMs = 10 * 60_000;

/** Keep a sign-in until its next step; return the token for it, which works for ten minutes. */
export function keepSignIn(world: World, signIn: SignIn): string {
  const all = world.of(pendingAuthentications);
  dropExpired(world, all);
  const { token } = all.insert({
    token: world.ids.token(32),
    userId: signIn.userId,
    codeId: signIn.codeId ?? null,
    signIn,
    expiresAt: world.fromNow(lifetimeMs),
  });
  return token;
}

/** The sign-in behind a token, which goes on working. @throws {Refusal} 400 for one that does not or no longer work. */
export function pendingSignIn(world: World, token: string, clientId: string): PendingAuthenticationRecord {
  const pending = world.of(pendingAuthentications).by('token', token);
  if (!pending || pending.signIn.clientId !== clientId || world.isPast(pending.expiresAt)) throw uselessToken();
  return pending;
}

/** Use up a token, once its step has been taken. @throws {Refusal} 400 when somebody else has done so meanwhile. */
export function consumePending(world: World, { id }: PendingAuthenticationRecord): void {
  if (!world.of(pendingAuthentications).find(id)) throw uselessToken();
  world.of(pendingAuthentications).delete(id);
}

const uselessToken = () =>
  badRequest(
    'invalid_pending_authentication_token',
    'This pending authentication token is unknown, was used before, or has expired; it works for ten minutes. Start the sign-in again',
  );
