import { nullable, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { PasswordlessSession, PasswordlessSessionCreate } from '../../../service/passwordless.js';
import { upsertProfile } from '../../rooms/connections/profiles.js';
import { environmentConnection } from '../../rooms/connections/providers.js';
import { allowsRedirectUri } from '../../rooms/redirect-uris/records.js';
import { badRequest, unprocessableField } from '../../store/refusal.js';
import type { Stored, View } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { issueAuthorizationCode } from '../codes/authorization-codes.js';
import { startSignIn } from '../proof/sign-in.js';

const passwordlessSessionRecord = part({
  id: string,
  email: string,
  /** Token in the link. */
  token: string,
  /** Redirect URI for the code; null for the default one. */
  redirectUri: nullable(string),
  state: nullable(string),
  expiresAt: timestamp,
});
/** A magic link as the emulator stores it. */
interface PasswordlessSessionRecord extends Stored<typeof passwordlessSessionRecord> {}

/** The magic links. */
export const passwordlessSessions = collection<PasswordlessSessionRecord>({
  object: 'passwordless session',
  prefix: 'passwordless_session',
  unique: ['token'],
  publicToken: 'token',
  record: ref(passwordlessSessionRecord),
});

const defaultSeconds = 900;

/** Convert a magic link to the API format. */
export const passwordlessSessionView = (
  memory: Memory,
  { id, email, expiresAt, token }: PasswordlessSessionRecord,
): View<PasswordlessSession> => ({ id, email, expiresAt, link: linkOf(memory, token) });

const linkOf = (memory: Memory, token: string): string => memory.pageUrl(`/passwordless/${token}/confirm`);

/** Create a magic link without mailing it. @throws {EmulatorRefusal} 422 for a redirect URI that is not registered. */
export function createPasswordlessSession(
  memory: Memory,
  { email, redirectURI, expiresIn = defaultSeconds, state }: PasswordlessSessionCreate,
): PasswordlessSessionRecord {
  if (redirectURI !== undefined && !allowsRedirectUri(memory, redirectURI))
    throw unprocessableField('redirect_uri', 'redirect_uri_not_registered', 'must be a registered redirect URI');
  const all = memory.of(passwordlessSessions);
  dropSpent(memory, passwordlessSessions, ({ expiresAt }) => memory.isPast(expiresAt));
  return all.insert({
    email,
    token: memory.ids.token(32),
    redirectUri: redirectURI ?? null,
    state: state ?? null,
    expiresAt: memory.fromNow(expiresIn * 1000),
  });
}

/** Mail a magic link. @throws {EmulatorRefusal} 404; 400 if it has expired. */
export function sendPasswordlessSession(memory: Memory, id: string): void {
  const { email, token, expiresAt } = memory.of(passwordlessSessions).get(id);
  if (memory.isPast(expiresAt))
    throw badRequest('passwordless_session_expired', 'This magic link has expired. Create a new session');
  const url = linkOf(memory, token);
  memory.mail({
    kind: 'passwordless_session',
    to: email,
    subject: 'Your sign-in link',
    text: `Sign in at ${url} by ${expiresAt}.`,
    token,
    url,
  });
}

/** Issue the code for a user who opens a magic link. The code is exchanged for the profile of the link's address. */
export function issuePasswordlessCode(memory: Memory, { email, redirectUri }: PasswordlessSessionRecord): string {
  const { id: connectionId } = environmentConnection(memory, 'MagicLink');
  const profile = upsertProfile(memory, connectionId, { email });
  const origin = { clientId: memory.settings.clientId, ipAddress: null, userAgent: null };
  return issueAuthorizationCode(memory, {
    // The code is for a profile, which has no user.
    signIn: startSignIn(origin, '', 'MagicAuth', { connectionId }),
    purpose: 'sso',
    redirectUri,
    profileId: profile.id,
  });
}
