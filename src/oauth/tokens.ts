import { isRecord, isText } from '../http/json.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { type FieldMap, keep, nullable, rename } from './reader.js';
import { user } from './user.js';

/** Fields of the response to a token request. */
const tokens: FieldMap<AuthenticationResponse> = {
  user,
  organizationId: nullable,
  accessToken: keep,
  refreshToken: keep,
  impersonator: { reason: nullable },
  authenticationMethod: keep,
  oauthTokens: {
    accessToken: keep,
    refreshToken: keep,
    expiresAt: keep,
  },
};

/** Decode the response to a token request. Returns undefined if it is anything else. */
export const tokensIn = (wire: unknown): AuthenticationResponse | undefined =>
  isRecord(wire) ? checkedTokens(rename(tokens, wire)) : undefined;

/** Return a value if it has the fields that a session needs, otherwise undefined. */
export function checkedTokens(value: unknown): AuthenticationResponse | undefined {
  const { accessToken, refreshToken, user } = Object(value);
  return [accessToken, refreshToken, user?.id, user?.email].every(isText)
    ? // Only the fields above are checked; the others are passed on as received.
      (value as AuthenticationResponse)
    : undefined;
}
