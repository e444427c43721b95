import { hashOf } from '../../../crypto/pkce.js';
import { nullable, oneOf, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { type EmulatorRefusal, oauthError } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { pendingAuthentications } from '../proof/pending-authentications.js';
import { type SignIn, signInRecord } from '../proof/sign-in.js';
import { revokeSession, sessions } from '../sessions/sessions.js';
import { ssoTokens } from '../sso/sso-tokens.js';

/** What a code is exchanged for: a session (`user_management`) or a profile (`sso`). */
export type CodePurpose = 'user_management' | 'sso';

const authorizationCodeRecord = part({
  id: string,
  code: string,
  signIn: ref<SignIn>(signInRecord),
  purpose: oneOf('user_management', 'sso'),
  /** Redirect URI that received the code; null if the code was not sent by a redirect. */
  redirectUri: nullable(string),
  /** S256 challenge that the code verifier must match; null if there is none. */
  codeChallenge: nullable(string),
  /** Profile that a code with the purpose `sso` is exchanged for; otherwise null. */
  profileId: nullable(string),
  usedAt: nullable(timestamp),
  expiresAt: timestamp,
  createdAt: timestamp,
});
/** A code as the emulator stores it. */
interface AuthorizationCodeRecord extends Stored<typeof authorizationCodeRecord> {}

/** Authorization codes of the last day, including used and expired ones. */
export const authorizationCodes = collection<AuthorizationCodeRecord>({
  object: 'authorization code',
  prefix: 'authorization_code',
  unique: ['code'],
  record: ref(authorizationCodeRecord),
});

/** The maximum that RFC 6749 recommends. */
const lifetimeMs = 10 * 60_000;
/** How long a code is stored, so that a second use is detected. */
const retentionMs = 86_400_000;

/** A code to issue. */
interface NewAuthorizationCode {
  readonly signIn: SignIn;
  readonly purpose: CodePurpose;
  readonly redirectUri?: string | null | undefined;
  readonly codeChallenge?: string | null | undefined;
  readonly profileId?: string | null | undefined;
}

/** Issue a code for a sign-in. It works once, within ten minutes. */
export function issueAuthorizationCode(memory: Memory, fields: NewAuthorizationCode): string {
  const all = memory.of(authorizationCodes);
  const oldest = new Date(memory.clock.now() - retentionMs).toISOString();
  for (let { first } = all; first && first.createdAt < oldest; { first } = all)
    memory.delete(authorizationCodes, first.id);
  dropSpent(memory, authorizationCodes, ({ usedAt, expiresAt }) => usedAt !== null || memory.isPast(expiresAt));
  const { code } = all.insert({
    code: memory.ids.token(25),
    signIn: fields.signIn,
    purpose: fields.purpose,
    redirectUri: fields.redirectUri ?? null,
    codeChallenge: fields.codeChallenge ?? null,
    profileId: fields.profileId ?? null,
    usedAt: null,
    expiresAt: memory.fromNow(lifetimeMs),
  });
  return code;
}

/** A client's request to redeem a code. */
interface Redemption {
  readonly code: string;
  readonly clientId: string;
  readonly purpose: CodePurpose;
  /** PKCE verifier that the challenge was made from. */
  readonly codeVerifier?: string | undefined;
}

/**
 * Redeem a code. A second use means that the code was stolen, so it revokes everything that the code was exchanged for.
 *
 * @throws {EmulatorRefusal} 400 `invalid_grant`.
 */
export async function redeemAuthorizationCode(
  memory: Memory,
  redemption: Redemption,
): Promise<AuthorizationCodeRecord> {
  const { code, clientId, purpose, codeVerifier } = redemption;
  const challenge = codeVerifier === undefined ? undefined : await hashOf(codeVerifier);

  // No await from here on: two concurrent requests must not both redeem the code.
  const record = memory.of(authorizationCodes).by('code', code);
  if (!record || record.signIn.clientId !== clientId || record.purpose !== purpose)
    throw invalidGrant('This code is unknown, or was issued for a different client or endpoint');
  if (record.usedAt !== null) {
    revokeAllOf(memory, record.id);
    throw invalidGrant(
      'This code was already redeemed; codes work once. Everything it was exchanged for has been revoked',
    );
  }
  if (memory.isPast(record.expiresAt))
    throw invalidGrant('This code has expired; codes work for ten minutes. Start the sign-in again');
  checkVerifier(record.codeChallenge, challenge);
  return memory.of(authorizationCodes).update(record.id, { usedAt: memory.now });
}

/** Revoke everything that a code was exchanged for: its session, a pending sign-in, an SSO token. */
function revokeAllOf(memory: Memory, codeId: string): void {
  for (const { id } of memory.of(sessions).where('codeId', codeId).values()) revokeSession(memory, id);
  memory.deleteWhere(pendingAuthentications, 'codeId', codeId);
  memory.deleteWhere(ssoTokens, 'codeId', codeId);
}

/** Check that the verifier matches the challenge of the authorization URL. @throws {EmulatorRefusal} 400. */
function checkVerifier(challenge: string | null, verifierChallenge: string | undefined): void {
  if (challenge === (verifierChallenge ?? null)) return;
  if (challenge === null)
    throw invalidGrant(
      'The request has a code_verifier, but the authorization URL had no code_challenge. Send both, or send the client_secret instead',
    );
  throw invalidGrant(
    verifierChallenge === undefined
      ? 'The authorization URL had a code_challenge. Send the code_verifier that it was made from'
      : 'The code_verifier does not match the code_challenge of the authorization URL (RFC 7636, S256)',
  );
}

const invalidGrant = (message: string): EmulatorRefusal => oauthError(400, 'invalid_grant', message);
