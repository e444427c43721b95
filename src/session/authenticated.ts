import type { AuthenticationResponse } from '../service/authentication.js';

type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON. */
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Names that are ours to write; whatever else the service says keeps the name it came with, as in the client.
const names = (
  'access_token refresh_token organization_id authentication_method oauth_tokens expires_at first_name last_name ' +
  'email_verified profile_picture_url external_id last_sign_in_at created_at updated_at'
).split(' ');
const nullable = ['firstName', 'lastName', 'profilePictureUrl', 'externalId', 'lastSignInAt', 'locale'];

/** The fields of a wire object by their names in this package; maps within, such as metadata, keep their keys. */
function fieldsOf(wire: Json): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire))
    if (name !== '__proto__')
      fields[names.includes(name) ? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) : name] = value;
  if (isJson(wire.user)) fields.user = userOf(wire.user);
  if (isJson(wire.oauth_tokens)) fields.oauthTokens = fieldsOf(wire.oauth_tokens);
  return fields;
}

/** A user as the client gives it, which is also how it is sealed: metadata keeps its keys, what is absent is null. */
const userOf = (wire: Json): Record<string, unknown> => ({
  ...Object.fromEntries(nullable.map((name) => [name, null])),
  ...fieldsOf(wire),
});

/** The answer to a grant, as the client gives it; undefined for anything else. */
export const authenticatedOf = (wire: unknown): AuthenticationResponse | undefined =>
  isJson(wire) ? authenticatedShape({ organizationId: null, ...fieldsOf(wire) }) : undefined;

/** A value that has what a session relies on; undefined for anything else. */
export function authenticatedShape(value: unknown): AuthenticationResponse | undefined {
  if (!isJson(value) || !isJson(value.user)) return undefined;
  const { accessToken, refreshToken, user } = value;
  return [accessToken, refreshToken, user.id, user.email].every((text) => typeof text === 'string' && text !== '')
    ? // What the session relies on was looked at; the rest is passed on as the service says it.
      (value as unknown as AuthenticationResponse)
    : undefined;
}
