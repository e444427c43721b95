import { nullable, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { badRequest } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { dropExpired } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { type SignIn, signInRecord } from './sign-in.js';

const pendingAuthenticationRecord = part({
  id: string,
  /** Pending authentication token, which the next step needs. */
  token: string,
  userId: string,
  /** Authorization code that started the sign-in; null if there is none. */
  codeId: nullable(string),
  signIn: ref<SignIn>(signInRecord),
  expiresAt: timestamp,
});
/** A sign-in with a step left, as the emulator stores it. */
export interface PendingAuthenticationRecord extends Stored<typeof pendingAuthenticationRecord> {}

/** Pending sign-ins, including abandoned ones. */
export const pendingAuthentications = collection<PendingAuthenticationRecord>({
  object: 'pending authentication',
  prefix: 'pending_authentication',
  unique: ['token'],
  publicToken: 'token',
  belongsTo: { userId: 'user' },
  index: ['codeId'],
  record: ref(pendingAuthenticationRecord),
});

const lifetimeMs = 10 * 60_000;

/** Store a sign-in until its next step. Returns the token for the next step, which works for ten minutes. */
export function storePending(memory: Memory, signIn: SignIn): string {
  dropExpired(memory, pendingAuthentications);
  const all = memory.of(pendingAuthentications);
  const { token } = all.insert({
    token: memory.ids.token(32),
    userId: signIn.userId,
    codeId: signIn.codeId ?? null,
    signIn,
    expiresAt: memory.fromNow(lifetimeMs),
  });
  return token;
}

/**
 * Find the sign-in that a token belongs to, without using up the token.
 *
 * @throws {EmulatorRefusal} 400 for an invalid or expired token.
 */
export function pendingSignIn(memory: Memory, token: string, clientId: string): PendingAuthenticationRecord {
  const pending = memory.of(pendingAuthentications).by('token', token);
  if (!pending || pending.signIn.clientId !== clientId || memory.isPast(pending.expiresAt)) throw invalidToken();
  return pending;
}

/** Use up a token after its step has succeeded. @throws {EmulatorRefusal} 400 if another request has used it up meanwhile. */
export function consumePending(memory: Memory, { id }: PendingAuthenticationRecord): void {
  if (!memory.of(pendingAuthentications).find(id)) throw invalidToken();
  memory.delete(pendingAuthentications, id);
}

const invalidToken = () =>
  badRequest(
    'invalid_pending_authentication_token',
    'This pending authentication token is unknown, was already used, or has expired; it works for ten minutes. Start the sign-in again',
  );
