import { Late, within } from '../async/time-limit.js';
import { discard } from '../http/body.js';
import type { FetchInit, FetchResponse } from '../http/fetch.js';
import { isRecord, isText, textIn, textsIn, wireName } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import type {
  AuthenticateWithCode,
  AuthenticateWithRefreshToken,
  AuthenticationResponse,
} from '../service/authentication.js';
import type { User } from '../service/users.js';
import {
  asksForStep,
  isFlowError,
  type Outcome,
  retryLater,
  type UnansweredReason,
  type UnusableReason,
} from './outcome.js';

/** A field that may also be given as undefined. */
type Given<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** The grant of a token request: a code or a refresh token. */
export type Grant =
  | ({ readonly grantType: 'authorization_code' } & Given<Pick<AuthenticateWithCode, 'code' | 'codeVerifier'>> &
      Partial<Given<Pick<AuthenticateWithCode, 'pendingAuthenticationToken'>>>)
  | ({ readonly grantType: 'refresh_token' } & Given<
      Pick<AuthenticateWithRefreshToken, 'refreshToken' | 'organizationId'>
    >);

/** The client that requests tokens, and the service. */
export interface TokenClient {
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly apiKey?: string | undefined;
}

/** How to send a token request. */
export interface TokenRequestOptions<Response extends FetchResponse> {
  readonly idempotencyKey: string | undefined;
  /** Milliseconds for the request and its body. */
  readonly timeoutMs: number;
  readonly fetch: (url: string, init: FetchInit) => Promise<Response>;
  /** Reads the body of a response. */
  readonly json: (response: Response) => Promise<unknown>;
}

/** The outcome of a request for tokens. */
export type TokenOutcome<Reason extends string = UnansweredReason> = Outcome<
  { readonly tokens: AuthenticationResponse },
  Reason
>;

/**
 * Request tokens once. Equal arguments send identical bytes, as an idempotency key requires. Codes, messages and the cause of a
 * failed connection may repeat secrets of the request.
 */
export const requestTokens = <Response extends FetchResponse>(
  { baseUrl, clientId, apiKey }: TokenClient,
  grant: Grant,
  { idempotencyKey, timeoutMs, fetch, json }: TokenRequestOptions<Response>,
): Promise<TokenOutcome> =>
  within(timeoutMs, async (signal): Promise<TokenOutcome> => {
    const fields = Object.entries(grant).map(([name, value]) => [wireName(name), value]);
    const response = await fetch(`${baseUrl}/user_management/authenticate`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ client_id: clientId, client_secret: apiKey, ...Object.fromEntries(fields) }),
      signal,
    });
    return outcomeOf(response, json);
  }).catch((cause) => retryLater(cause instanceof Late ? 'timeout' : 'network_error', cause));

/** Read the response to a token request. Errors of `json` pass through. */
async function outcomeOf<Response extends FetchResponse>(
  response: Response,
  json: TokenRequestOptions<Response>['json'],
): Promise<TokenOutcome> {
  const { status, headers } = response;
  const ok = status >= 200 && status < 300;
  const cause = new Error(`The service answered a token request ${ok ? 'without tokens' : `with status ${status}`}`);
  const unusable = (reason: UnusableReason) => retryLater(reason, cause, retryAfterMs(headers, Date.now()));
  if ([408, 425, 429].includes(status) || status >= 500) {
    discard(response);
    return unusable(status === 429 ? 'rate_limited' : 'service_unavailable');
  }
  const body = await json(response);
  if (ok) {
    const tokens = tokensIn(body);
    return tokens ? { status: 'ok', tokens } : unusable('unexpected_answer');
  }
  // An error from a proxy. Redirects have no body either, but come from a wrong URL.
  if (!isRecord(body) && status >= 400) return unusable('unexpected_answer');
  const { code, error, message, error_description } = Object(body);
  const codes = [code, error].filter(isText);
  const [serviceCode = ''] = codes;
  const isStep = asksForStep(status, body);
  const reason = codes.find(isFlowError) ?? (isStep ? 'sign_in_step_required' : serviceCode);
  // A mistyped client id or API key must not end sessions.
  const isClientError = !reason || /client/.test(reason) || (status === 401 && reason !== 'invalid_grant');
  return {
    status: isClientError && !isStep ? 'misconfigured' : 'ended',
    reason,
    serviceCode,
    message: textIn(textsIn([message].flat()).join('; ')) ?? textIn(error_description),
    body: Object(body),
    cause,
  };
}

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
