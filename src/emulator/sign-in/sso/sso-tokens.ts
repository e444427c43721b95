import { part, ref, string, timestamp } from '../../../service/describe/define.js';
import { type ProfileRecord, profiles } from '../../rooms/connections/records.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { dropExpired } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';

const ssoTokenRecord = part({
  id: string,
  token: string,
  profileId: string,
  /** Authorization code that was exchanged for the token. */
  codeId: string,
  expiresAt: timestamp,
});
/** An SSO access token, which gives access to one profile, as the emulator stores it. */
interface SsoTokenRecord extends Stored<typeof ssoTokenRecord> {}

/** The SSO access tokens. */
export const ssoTokens = collection<SsoTokenRecord>({
  object: 'SSO access token',
  prefix: 'sso_token',
  unique: ['token'],
  publicToken: 'token',
  index: ['codeId'],
  record: ref(ssoTokenRecord),
});

/** Lifetime of an SSO access token in seconds. */
export const ssoTokenSeconds = 600;

/** Issue an SSO access token for a profile. The token works for ten minutes. */
export function issueSsoToken(memory: Memory, profileId: string, codeId: string): string {
  dropExpired(memory, ssoTokens);
  const all = memory.of(ssoTokens);
  return all.insert({
    token: memory.ids.token(40),
    profileId,
    codeId,
    expiresAt: memory.fromNow(ssoTokenSeconds * 1_000),
  }).token;
}

/** Find the profile for the access token of a request. @throws {EmulatorRefusal} 401, in the form of RFC 6750. */
export function profileByToken(memory: Memory, authorization: string | null): ProfileRecord {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const record = token === undefined ? undefined : memory.of(ssoTokens).by('token', token);
  const profile = record && !memory.isPast(record.expiresAt) ? memory.of(profiles).find(record.profileId) : undefined;
  if (profile) return profile;
  const error = token === undefined ? 'missing_token' : 'invalid_token';
  const description =
    token === undefined
      ? 'The request has no SSO access token. Send the access_token of POST /sso/token in the Authorization header'
      : `This SSO access token is unknown or has expired; it works for ${ssoTokenSeconds} seconds. Send the access_token of POST /sso/token, not an API key`;
  const challenge = token === undefined ? 'Bearer' : `Bearer error="${error}"`;
  throw new EmulatorRefusal(
    401,
    error,
    description,
    { error, error_description: description },
    { 'www-authenticate': challenge },
  );
}
