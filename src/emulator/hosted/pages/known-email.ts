import { type Html, html } from '../../http/html.js';
import { type ConnectionRecord, connectionsAt } from '../../rooms/connections/records.js';
import { emailHostOf } from '../../rooms/organizations/domains.js';
import { users } from '../../rooms/users/records.js';
import type { AuthorizationRecord } from '../../sign-in/authorizations/authorizations.js';
import { invitationOf } from '../../sign-in/proof/invited.js';
import { refusalByPolicy } from '../../sign-in/proof/policies.js';
import { emailKeyOf, isEmail } from '../../store/email-key.js';
import type { Memory } from '../../world/memory.js';
import type { FormError } from '../forms.js';
import { addressOf } from '../steps.js';
import type { Visit } from '../visit.js';

/**
 * Find the address to fill in: the address typed, or else that of the user signing in, that of the invitation, or the login hint.
 */
export function emailOf({ memory, authorization, progress }: Visit): string {
  const { signIn, loginHint } = authorization;
  const user = signIn === null ? undefined : memory.of(users).find(signIn.userId);
  return progress.email ?? user?.email ?? invitationOf(memory, authorization)?.email ?? loginHint ?? '';
}

/** Check whether a user has this address. */
export const isEmailOf = (memory: Memory, userId: string, email: string): boolean =>
  memory.of(users).find(userId)?.emailKey === emailKeyOf(email);

/** Render the address of the user signing in, with a link to change it. */
export const emailLine = (authorization: AuthorizationRecord, email: string): Html =>
  html`<p class="known"><span>${email}</span> <a href="${addressOf('sign-in', authorization)}">Change<span class="unseen"> the email address</span></a></p>`;

/** Check an address that was typed. Returns undefined if the address is valid and matches the invitation. */
export function emailProblem({ memory, authorization }: Visit, email: string): FormError | undefined {
  const field = 'email';
  if (email === '') return { field, message: 'Enter your email address.' };
  if (!isEmail(email)) return { field, message: 'Enter a full email address, such as ada@example.com.' };
  const invitation = invitationOf(memory, authorization);
  return invitation && invitation.emailKey !== emailKeyOf(email)
    ? { field, message: `The invitation is for ${invitation.email}. Use this address.` }
    : undefined;
}

/** Social providers that the pages offer, by sign-in method. */
export const providers: Readonly<Record<string, string>> = {
  GoogleOAuth: 'Google',
  MicrosoftOAuth: 'Microsoft',
  GitHubOAuth: 'GitHub',
  AppleOAuth: 'Apple',
};

/** Get the display name of a provider: Google for `GoogleOAuth`. */
export const providerName = (provider: string): string =>
  (Object.hasOwn(providers, provider) ? providers[provider] : undefined) ?? provider.replace(/OAuth$/, '');

/** The sign-in methods that an address may use. */
export interface Ways {
  /** Whether the organization's policy allows only single sign-on. */
  readonly ssoOnly: boolean;
  /** Connections named by the policy, or else those of the address's domain. */
  readonly connectionIds: readonly string[];
  readonly password: boolean;
  readonly code: boolean;
  readonly providers: readonly string[];
}

/**
 * Find the sign-in methods for an address from the policy and connections of its domain. The result does not depend on whether a
 * user has the address.
 */
export function waysFor(memory: Memory, email: string): Ways {
  const refusal = (method: string) => refusalByPolicy(memory, email, { method, connectionId: null });
  const forPassword = refusal('Password');
  if (forPassword?.kind === 'sso_required')
    return { ssoOnly: true, connectionIds: forPassword.connectionIds, password: false, code: false, providers: [] };
  return {
    ssoOnly: false,
    connectionIds: forPassword?.ssoConnectionIds ?? connectionsFor(memory, email).map(({ id }) => id),
    password: forPassword === undefined,
    code: refusal('MagicAuth') === undefined,
    providers: Object.keys(providers).filter((provider) => refusal(provider) === undefined),
  };
}

function connectionsFor(memory: Memory, email: string): readonly ConnectionRecord[] {
  return connectionsAt(memory, emailHostOf(email) ?? '').filter(({ state }) => state === 'active');
}
