import type { Answer } from '../../http/answer.js';
import { upsertProfile } from '../../rooms/connections/profiles.js';
import { environmentConnection, providerNamed } from '../../rooms/connections/providers.js';
import { canSignUp } from '../../rooms/invitations/records.js';
import { addIdentity, identities } from '../../rooms/users/identities.js';
import { ensurePicture, newPicture } from '../../rooms/users/picture.js';
import { createUserAtOnce, ensureVerified, type UserRecord, userByEmail, users } from '../../rooms/users/records.js';
import type { Memory } from '../../world/memory.js';
import { emitSuccess } from '../proof/attempts.js';
import { startSignIn } from '../proof/sign-in.js';
import { type AuthorizationRecord, failAuthorization } from './authorizations.js';
import { completeWithProfile } from './authorize-connection.js';
import { continueAuthorization } from './continue-authorization.js';

/** An account at a social provider. Its owner has agreed to sign in. */
interface ProviderAccount {
  /** Id of the user at the provider; default: the email address. */
  readonly idpId?: string | undefined;
  readonly email: string;
  /** Whether the provider has verified the address; default: true. */
  readonly emailVerified?: boolean | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
}

const hourSeconds = 3_600;

/**
 * Sign in with an account at the authorization's social provider. Redirects to the application with a code or an error. Returns
 * undefined if a page must ask for the next step. Links the account to an existing user only if the provider has verified the address.
 */
export function signInByProvider(
  memory: Memory,
  authorization: AuthorizationRecord,
  account: ProviderAccount,
): Answer | undefined {
  const provider = providerNamed(authorization.provider ?? '');
  if (provider === undefined) throw new Error(`The authorization ${authorization.id} has no provider.`);
  const { email, idpId = email, firstName, lastName } = account;
  if (authorization.purpose === 'sso') {
    const connection = environmentConnection(memory, provider);
    const rawAttributes = { id: idpId, email };
    return completeWithProfile(
      memory,
      authorization,
      upsertProfile(memory, connection.id, { idpId, email, firstName, lastName, rawAttributes }),
    );
  }

  const user = userOfAccount(memory, provider, account);
  if ('denial' in user) return failAuthorization(memory, authorization, 'access_denied', user.denial);
  const { ipAddress, userAgent } = authorization;
  emitSuccess(memory, { type: 'oauth', userId: user.id, email: user.email, ipAddress, userAgent });
  const oauthTokens = {
    provider,
    accessToken: memory.ids.token(40),
    refreshToken: memory.ids.token(40),
    expiresAt: Math.floor(memory.clock.now() / 1_000) + hourSeconds,
    scopes: ['openid', 'email', 'profile'],
  };
  return continueAuthorization(memory, authorization, startSignIn(authorization, user.id, provider, { oauthTokens }));
}

/**
 * Find the user of an account. If there is none, link the account to the user with its address, or create a user if sign-up is
 * allowed.
 */
function userOfAccount(
  memory: Memory,
  provider: string,
  { email, idpId = email, emailVerified = true, firstName = null, lastName = null }: ProviderAccount,
): UserRecord | { readonly denial: string } {
  const identity = memory
    .of(identities)
    .where('idpId', idpId)
    .find((identity) => providerNamed(identity.provider ?? '') === provider);
  if (identity) return memory.of(users).get(identity.userId);
  const owner = userByEmail(memory, email);
  if (owner && !emailVerified)
    return { denial: 'A user with this address already exists, and the provider has not verified the address.' };
  if (!owner && !canSignUp(memory, email))
    return { denial: 'No user has this address, and sign-up is by invitation only.' };
  const user = owner
    ? ensurePicture(memory, owner)
    : createUserAtOnce(memory, {
        email,
        emailVerified,
        firstName,
        lastName,
        profilePictureUrl: newPicture(memory, { email, firstName, lastName }),
      });
  addIdentity(memory, { userId: user.id, idpId, provider });
  return emailVerified ? ensureVerified(memory, user) : user;
}
