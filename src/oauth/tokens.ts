import { isRecord, isText } from '../http/json.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import type { User } from '../service/users.js';

/** Marks a field that keeps its value. */
const keep = 'keep';
/** Marks a field that is never null: null counts as missing. */
const present = 'present';
/** Marks a field that is null if it is missing. */
const nullable = 'nullable';

/** Fields of a user whose wire name or value differs. The compiler reports missing ones. */
const user: FieldMap<User> = {
  firstName: nullable,
  lastName: nullable,
  // A decision about access must not take null for a missing value.
  emailVerified: keep,
  profilePictureUrl: nullable,
  externalId: nullable,
  lastSignInAt: nullable,
  locale: nullable,
  createdAt: present,
  updatedAt: present,
};

/** Fields of the response to a token request. */
const tokens: FieldMap<AuthenticationResponse> = {
  user,
  organizationId: nullable,
  accessToken: keep,
  refreshToken: keep,
  authkitAuthorizationCode: keep,
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

/**
 * How to read each field of a response. The compiler reports fields of the service's description that are missing or read
 * differently. Lists of objects are not supported yet.
 */
type FieldMap<T> = { readonly [Name in keyof T as ListedName<T, Name>]-?: Reading<T, Name> };

/** The name of a field that must be listed. Fields that keep both value and name are left out. */
type ListedName<T, Name extends keyof T> =
  typeof keep extends Reading<T, Name> ? (Name extends Lowercase<Name & string> ? never : Name) : Name;

type Reading<T, Name extends keyof T> =
  Nested<NonNullable<T[Name]>> extends true
    ? FieldMap<NonNullable<T[Name]>>
    : Nested<NonNullable<T[Name]>> extends 'list'
      ? never
      : null extends T[Name]
        ? {} extends Pick<T, Name>
          ? typeof keep
          : typeof nullable
        : typeof keep | typeof present;

/** Whether a type has described fields. The keys of a map are not fields. */
type Nested<T> = T extends readonly object[]
  ? 'list'
  : T extends readonly unknown[]
    ? false
    : T extends object
      ? string extends keyof T
        ? false
        : true
      : false;

/** Return the wire name of a field: `first_name` for `firstName`. */
export const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Copying a field of this name would set the prototype of the target. */
const prototype = '__proto__';

/** Rename the fields of a wire object. Fields that the map does not list keep their names. */
function rename<T>(map: FieldMap<T>, wire: Readonly<Record<string, unknown>>): T {
  const fields: Record<string, unknown> = { ...wire };
  for (const [name, how] of Object.entries<unknown>(map)) {
    const { [wireName(name)]: value = how === nullable ? null : undefined } = wire;
    // Only wire names are read: a field sent under our name is dropped.
    delete fields[wireName(name)];
    delete fields[name];
    // Anything but a marker is a nested map.
    if (value !== undefined && !(value === null && how === present))
      fields[name] = isRecord(how) && isRecord(value) ? rename(how as FieldMap<unknown>, value) : value;
  }
  delete fields[prototype];
  // The caller checks the types of the fields it needs.
  return fields as T;
}
