import { type ConnectionRecord, connectionsAt } from '../rooms/connections/records.js';
import { emailHostOf } from '../rooms/organizations/domains.js';
import { users } from '../rooms/users/records.js';
import { type Html, html } from '../server/html.js';
import type { AuthorizationRecord } from '../sign-in/authorizations.js';
import { invitationOf } from '../sign-in/invited.js';
import { refusalByPolicy } from '../sign-in/policies.js';
import { emailKeyOf, isEmail } from '../world/email-key.js';
import type { World } from '../world/world.js';
import type { FormError } from './forms.js';
import { addressOf } from './frame.js';
import type { Visit } from './visit.js';

/** The address that is best known: the one typed, of who has proven something, invited, or named by the application. */
export function emailOf({ world, authorization, progress }: Visit): string {
  const { signIn, loginHint } = authorization;
  const user = signIn === null ? undefined : world.of(users).find(signIn.userId);
  return progress.email ?? user?.email ?? invitationOf(world, authorization)?.email ?? loginHint ?? '';
}

/** Whether an address is a user's. */
export const isOf = (world: World, userId: string, email: string): boolean =>
  world.of(users).find(userId)?.emailKey === emailKeyOf(email);

/** Who is signing in, with a way to be somebody else. */
export const whoIs = (authorization: AuthorizationRecord, email: string): Html =>
  html`<p class="known"><span>${email}</span> <a href="${addressOf('sign-in', authorization)}">Change<span class="unseen"> the email address</span></a></p>`;

/** What is wrong with an address that was typed; undefined when nothing is. */
export function wrongEmail({ world, authorization }: Visit, email: string): FormError | undefined {
  const field = 'email';
  if (email === '') return { field, message: 'Enter your email address.' };
  if (!isEmail(email)) return { field, message: 'Enter an email address in full, such as ada@example.com.' };
  const invitation = invitationOf(world, authorization);
  return invitation && invitation.emailKey !== emailKeyOf(email)
    ? { field, message: `The invitation is for ${invitation.email}. Use this address.` }
    : undefined;
}

/** The ways to sign in that the pages offer, as sign-ins and policies name them. */
export const providers: Readonly<Record<string, string>> = {
  GoogleOAuth: 'Google',
  MicrosoftOAuth: 'Microsoft',
  GitHubOAuth: 'GitHub',
  AppleOAuth: 'Apple',
};

/** A provider as a person knows it: `GoogleOAuth` is Google. */
export const providerName = (provider: string): string =>
  (Object.hasOwn(providers, provider) ? providers[provider] : undefined) ?? provider.replace(/OAuth$/, '');

/** What an address may be signed in with. */
export interface Ways {
  /** The organization's policy asks for single sign-on and nothing else. */
  readonly ssoOnly: boolean;
  /** Connections that know the address's domain, or that the policy names. */
  readonly connectionIds: readonly string[];
  readonly password: boolean;
  readonly code: boolean;
  readonly providers: readonly string[];
}

/** The ways that are open to an address, by the policy and the connections of its domain; whoever it belongs to. */
export function waysFor(world: World, email: string): Ways {
  const refusal = (method: string) => refusalByPolicy(world, email, { method, connectionId: null });
  const forPassword = refusal('Password');
  if (forPassword?.kind === 'sso_required')
    return { ssoOnly: true, connectionIds: forPassword.connectionIds, password: false, code: false, providers: [] };
  return {
    ssoOnly: false,
    connectionIds: forPassword?.ssoConnectionIds ?? connectionsFor(world, email).map(({ id }) => id),
    password: forPassword === undefined,
    code: refusal('MagicAuth') === undefined,
    providers: Object.keys(providers).filter((provider) => refusal(provider) === undefined),
  };
}

function connectionsFor(world: World, email: string): readonly ConnectionRecord[] {
  return connectionsAt(world, emailHostOf(email) ?? '').filter(({ state }) => state === 'active');
}
