import { codeChallengeOf } from '../../crypto/pkce.js';
import { nullable, oneOf, part, ref, string, timestamp } from '../../service/describe/define.js';
import { dropSpent } from '../world/expired.js';
import { oauthError, type Refusal } from '../world/refusal.js';
import { collection, type World } from '../world/world.js';
import { pendingAuthentications } from './pending-authentications.js';
import { revokeSession, sessions } from './sessions.js';
import { type SignIn, signInRecord } from './sign-in.js';
import { ssoTokens } from './sso-tokens.js';

/** What a code can be redeemed for: a session, or the profile of a person at an identity provider. */
export type CodePurpose = 'user_management' | 'sso';

/** A code as the emulator stores it. */
export interface AuthorizationCodeRecord {
  readonly id: string;
  readonly code: string;
  readonly signIn: SignIn;
  readonly purpose: CodePurpose;
  /** Where it was sent; null where nothing was redirected. */
  readonly redirectUri: string | null;
  /** S256 challenge that its verifier has to fit; null for none. */
  readonly codeChallenge: string | null;
  /** Profile that it stands for, of a code for SSO alone. */
  readonly profileId: string | null;
  readonly usedAt: string | null;
  readonly expiresAt: string;
  readonly createdAt: string;
}

/** Codes that were sent to redirect URIs. */
export const authorizationCodes = collection<AuthorizationCodeRecord>({
  object: 'authorization code',
  prefix: 'authorization_code',
  unique: ['code'],
  record: ref<AuthorizationCodeRecord>(
    part({
      id: string,
      code: string,
      signIn: ref<SignIn>(signInRecord),
      purpose: oneOf('user_management', 'sso'),
      redirectUri: nullable(string),
      codeChallenge: nullable(string),
      profileId: nullable(string),
      usedAt: nullable(timestamp),
      expiresAt: timestamp,
      createdAt: timestamp,
    }),
  ),
});

/** RFC 6749 allows no more. */
const lifetimeMs = 10 * 60_000;
/** How long a code is remembered, so that using it again is noticed. */
const memoryMs = 86_400_000;

/** A code to issue. */
export interface NewAuthorizationCode {
  readonly signIn: SignIn;
  readonly purpose: CodePurpose;
  readonly redirectUri?: string | null | undefined;
  readonly codeChallenge?: string | null | undefined;
  readonly profileId?: string | null | undefined;
}

/** Issue a code for what somebody has proven: good once, for ten minutes. */
export function issueAuthorizationCode(world: World, fields: NewAuthorizationCode): string {
  const all = world.of(authorizationCodes);
  const oldest = new Date(world.clock.now() - memoryMs).toISOString();
  for (let { first } = all; first && first.createdAt < oldest; { first } = all) all.delete(first.id);
  dropSpent(all, ({ usedAt, expiresAt }) => usedAt !== null || world.isPast(expiresAt));
  const { code } = all.insert({
    code: world.ids.token(25),
    signIn: fields.signIn,
    purpose: fields.purpose,
    redirectUri: fields.redirectUri ?? null,
    codeChallenge: fields.codeChallenge ?? null,
    profileId: fields.profileId ?? null,
    usedAt: null,
    expiresAt: world.fromNow(lifetimeMs),
    createdAt: world.now,
  });
  return code;
}

/** What a client shows to redeem a code. */
export interface Redemption {
  readonly code: string;
  readonly clientId: string;
  readonly purpose: CodePurpose;
  /** What the challenge was made of. */
  readonly codeVerifier?: string | undefined;
}

/**
 * Redeem a code. One that was redeemed before has fallen into other hands: whatever it was exchanged for ends.
 *
 * @throws {Refusal} 400 `invalid_grant`.
 */
export async function redeemAuthorizationCode(world: World, redemption: Redemption): Promise<AuthorizationCodeRecord> {
  const { code, clientId, purpose, codeVerifier } = redemption;
  const challenge = codeVerifier === undefined ? undefined : await codeChallengeOf(codeVerifier);

  // From here on without a pause: two requests at once must not both redeem the code.
  const record = world.of(authorizationCodes).by('code', code);
  if (!record || record.signIn.clientId !== clientId || record.purpose !== purpose)
    throw invalidGrant('This code is unknown, or was issued for another client or another endpoint');
  if (record.usedAt !== null) {
    revokeAllOf(world, record.id);
    throw invalidGrant(
      'This code was redeemed before; codes are good once. What it was exchanged for has been revoked',
    );
  }
  if (world.isPast(record.expiresAt))
    throw invalidGrant('This code has expired; codes are good for ten minutes. Start the sign-in again');
  refuseUnfit(record.codeChallenge, challenge);
  return world.of(authorizationCodes).update(record.id, { usedAt: world.now });
}

/** End all that has come of a code: its session, a sign-in on the way to one, the token for its profile. */
function revokeAllOf(world: World, codeId: string): void {
  for (const { id } of world.of(sessions).where('codeId', codeId).values()) revokeSession(world, id);
  world.of(pendingAuthentications).deleteWhere('codeId', codeId);
  world.of(ssoTokens).deleteWhere('codeId', codeId);
}

function refuseUnfit(challenge: string | null, verifier: string | undefined): void {
  if (challenge === (verifier ?? null)) return;
  if (challenge === null)
    throw invalidGrant(
      'A code_verifier came, but the authorization URL had no code_challenge. Send both, or neither and the client_secret',
    );
  throw invalidGrant(
    verifier === undefined
      ? 'The authorization URL had a code_challenge: send the code_verifier that it was made from'
      : 'The code_verifier does not fit the code_challenge of the authorization URL (RFC 7636, S256)',
  );
}

const invalidGrant = (message: string): Refusal => oauthError(400, 'invalid_grant', message);
