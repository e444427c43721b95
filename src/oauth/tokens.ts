import { isRecord, isText } from '../http/json.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import { asItIs, orNull, type Reader, read } from './reader.js';
import { user } from './user.js';

/** What is in the answer to a grant. */
const tokens: Reader<AuthenticationResponse> = {
  user,
  organizationId: orNull,
  accessToken: asItIs,
  refreshToken: asItIs,
  impersonator: { reason: orNull },
  authenticationMethod: asItIs,
  oauthTokens: {
    accessToken: asItIs,
    refreshToken: asItIs,
    expiresAt: asItIs,
  },
};

/** The answer to a grant, as the client gives it; undefined for anything else. */
export const tokensIn = (wire: unknown): AuthenticationResponse | undefined =>
  isRecord(wire) ? checkedTokens(read(tokens, wire)) : undefined;

/** A value that has what a session relies on; undefined for anything else. */
export function checkedTokens(value: unknown): AuthenticationResponse | undefined {
  const { accessToken, refreshToken, user } = Object(value);
  return [accessToken, refreshToken, user?.id, user?.email].every(isText)
    ? // What the session relies on was looked at; the rest is passed on as the service says it.
      (value as AuthenticationResponse)
    : undefined;
}
