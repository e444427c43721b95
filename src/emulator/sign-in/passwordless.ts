import { nullable, part, ref, string, timestamp } from '../../service/describe/define.js';
import type { PasswordlessSession, PasswordlessSessionCreate } from '../../service/passwordless.js';
import { rememberProfile } from '../rooms/connections/profiles.js';
import { environmentConnection } from '../rooms/connections/providers.js';
import { allowsRedirectUri } from '../server/redirect-uris.js';
import { dropSpent } from '../world/expired.js';
import { badRequest, unprocessableField } from '../world/refusal.js';
import type { View } from '../world/view.js';
import { collection, type World } from '../world/world.js';
import { issueAuthorizationCode } from './authorization-codes.js';
import { begin } from './sign-in.js';

/** A magic link as the emulator stores it. */
export interface PasswordlessSessionRecord {
  readonly id: string;
  readonly email: string;
  /** What the link is recognized by. */
  readonly token: string;
  /** Where the user arrives; null for the default redirect URI. */
  readonly redirectUri: string | null;
  readonly state: string | null;
  readonly expiresAt: string;
}

/** The magic links. */
export const passwordlessSessions = collection<PasswordlessSessionRecord>({
  object: 'passwordless session',
  prefix: 'passwordless_session',
  unique: ['token'],
  record: ref<PasswordlessSessionRecord>(
    part({
      id: string,
      email: string,
      token: string,
      redirectUri: nullable(string),
      state: nullable(string),
      expiresAt: timestamp,
    }),
  ),
});

const defaultSeconds = 900;

/** A magic link as callers see it. */
export const passwordlessSessionView = (
  world: World,
  { id, email, expiresAt, token }: PasswordlessSessionRecord,
): View<PasswordlessSession> => ({ id, email, expiresAt, link: linkOf(world, token) });

const linkOf = (world: World, token: string): string => world.pageUrl(`/passwordless/${token}/confirm`);

/** Make a magic link; nothing is mailed. @throws {Refusal} 422 for a redirect URI that is not registered. */
export function createPasswordlessSession(
  world: World,
  { email, redirectURI, expiresIn = defaultSeconds, state }: PasswordlessSessionCreate,
): PasswordlessSessionRecord {
  if (redirectURI !== undefined && !allowsRedirectUri(world, redirectURI))
    throw unprocessableField('redirect_uri', 'redirect_uri_not_registered', 'must be a registered redirect URI');
  const all = world.of(passwordlessSessions);
  dropSpent(all, ({ expiresAt }) => world.isPast(expiresAt));
  return all.insert({
    email,
    token: world.ids.token(32),
    redirectUri: redirectURI ?? null,
    state: state ?? null,
    expiresAt: world.fromNow(expiresIn * 1000),
  });
}

/** Mail a magic link. @throws {Refusal} 404; 400 when it has expired. */
export function sendPasswordlessSession(world: World, id: string): void {
  const { email, token, expiresAt } = world.of(passwordlessSessions).get(id);
  if (world.isPast(expiresAt))
    throw badRequest('passwordless_session_expired', 'This magic link has expired. Create a new session');
  const url = linkOf(world, token);
  world.mail({
    kind: 'passwordless_session',
    to: email,
    subject: 'Your sign-in link',
    text: `Sign in at ${url} by ${expiresAt}.`,
    token,
    url,
  });
}

/** Make the code that somebody who follows a magic link arrives with: for the profile of whoever reads the mail. */
export function issuePasswordlessCode(world: World, { email, redirectUri }: PasswordlessSessionRecord): string {
  const { id: connectionId } = environmentConnection(world, 'MagicLink');
  const profile = rememberProfile(world, connectionId, { email });
  const origin = { clientId: world.settings.clientId, ipAddress: null, userAgent: null };
  return issueAuthorizationCode(world, {
    // A profile is signed in, and no user.
    signIn: begin(origin, '', 'MagicAuth', { connectionId }),
    purpose: 'sso',
    redirectUri,
    profileId: profile.id,
  });
}
