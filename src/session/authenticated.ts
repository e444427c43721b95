import { isRecord, isText } from '../http/json.js';
import type { AuthenticationResponse } from '../service/authentication.js';

type Json = Readonly<Record<string, unknown>>;

/** Fields of a user that are null when they are absent. */
const nullable = ['firstName', 'lastName', 'profilePictureUrl', 'externalId', 'lastSignInAt', 'locale'];
// Names that are ours to write; whatever else the service says keeps the name it came with, as in the client.
const names = [
  ...nullable,
  ...['accessToken', 'refreshToken', 'organizationId', 'authenticationMethod', 'oauthTokens', 'expiresAt'],
  ...['emailVerified', 'createdAt', 'updatedAt'],
];

/** The fields of a wire object by their names in this package; maps within, such as metadata, keep their keys. */
function fieldsOf(wire: Json): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire)) {
    const ours = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (name !== '__proto__') fields[names.includes(ours) ? ours : name] = value;
  }
  if (isRecord(wire.user)) fields.user = userOf(wire.user);
  if (isRecord(wire.oauth_tokens)) fields.oauthTokens = fieldsOf(wire.oauth_tokens);
  return fields;
}

/** A user as the client gives it, which is also how it is sealed: metadata keeps its keys, what is absent is null. */
const userOf = (wire: Json): Record<string, unknown> => ({
  ...Object.fromEntries(nullable.map((name) => [name, null])),
  ...fieldsOf(wire),
});

/** The answer to a grant, as the client gives it; undefined for anything else. */
export const authenticatedOf = (wire: unknown): AuthenticationResponse | undefined =>
  isRecord(wire) ? authenticatedShape({ organizationId: null, ...fieldsOf(wire) }) : undefined;

/** A value that has what a session relies on; undefined for anything else. */
export function authenticatedShape(value: unknown): AuthenticationResponse | undefined {
  const { accessToken, refreshToken, user } = Object(value);
  return [accessToken, refreshToken, user?.id, user?.email].every(isText)
    ? // What the session relies on was looked at; the rest is passed on as the service says it.
      (value as AuthenticationResponse)
    : undefined;
}
