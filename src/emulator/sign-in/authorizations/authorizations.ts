import { nullable, number, oneOf, part, ref, string, timestamp, url } from '../../../service/describe/define.js';
import { type Answer, redirect } from '../../http/answer.js';
import { withQuery } from '../../http/with-query.js';
import { connections } from '../../rooms/connections/records.js';
import { redactSecrets } from '../../store/redact-secrets.js';
import { Refusal } from '../../store/refusal.js';
import { dropExpired } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { emitFailure } from '../flow/attempts.js';
import { acceptBySignIn, invitationOf } from '../flow/invited.js';
import { inOrganization, nextStep, type Origin, originFields, type SignIn, signInRecord } from '../flow/sign-in.js';
import { type CodePurpose, issueAuthorizationCode } from './authorization-codes.js';
import { recordCode, rememberBrowser, resumableSession } from './browser-sessions.js';
import { recordEnding } from './endings.js';

/** An authorization in progress: the application has redirected the user to the emulator, and the user has not returned yet. */
export interface AuthorizationRecord extends Origin {
  readonly id: string;
  /** Unguessable token, passed between pages as `?authorization=`. */
  readonly token: string;
  /** Browser that started the authorization. No other browser may continue it. */
  readonly visitorId: string;
  /** What the code will be exchanged for: a session or a profile. */
  readonly purpose: CodePurpose;
  /** Redirect URI of the application; already checked against the registered URIs. */
  readonly redirectUri: string;
  /** Returned to the application unchanged. */
  readonly state: string | null;
  /** S256 challenge of the client; null if there is none. */
  readonly codeChallenge: string | null;
  /** How the user signs in: on the hosted pages, through a connection, or with a social provider. */
  readonly selector: 'hosted' | 'connection' | 'provider';
  /** Connection to sign in through. */
  readonly connectionId: string | null;
  /** Social provider, such as `GoogleOAuth`. */
  readonly provider: string | null;
  /** Organization that the authorization URL names. */
  readonly organizationId: string | null;
  readonly loginHint: string | null;
  readonly domainHint: string | null;
  /** First hosted page, such as `sign-up`. */
  readonly screenHint: string | null;
  readonly prompt: string | null;
  /** Maximum age of the last authentication in seconds. If it is older, the user must sign in again. */
  readonly maxAge: number | null;
  readonly invitationToken: string | null;
  readonly nonce: string | null;
  /** What the user has proven on the hosted pages so far. */
  readonly signIn: SignIn | null;
  readonly expiresAt: string;
  readonly createdAt: string;
}

/** Authorizations in progress. */
export const authorizations = collection<AuthorizationRecord>({
  object: 'authorization',
  prefix: 'authorization',
  unique: ['token'],
  publicToken: 'token',
  record: ref<AuthorizationRecord>(
    part({
      ...originFields,
      id: string,
      token: string,
      visitorId: string,
      purpose: oneOf('user_management', 'sso'),
      redirectUri: url,
      state: nullable(string),
      codeChallenge: nullable(string),
      selector: oneOf('hosted', 'connection', 'provider'),
      connectionId: nullable(string),
      provider: nullable(string),
      organizationId: nullable(string),
      loginHint: nullable(string),
      domainHint: nullable(string),
      screenHint: nullable(string),
      prompt: nullable(string),
      maxAge: nullable(number),
      invitationToken: nullable(string),
      nonce: nullable(string),
      signIn: nullable(ref<SignIn>(signInRecord)),
      expiresAt: timestamp,
      createdAt: timestamp,
    }),
  ),
});

/** Error codes of authorizations: those of the specification, and those of RFC 6749 for malformed requests. */
export const authorizationErrors = [
  'access_denied',
  'ambiguous_connection_selector',
  'connection_domain_invalid',
  'connection_invalid',
  'connection_strategy_invalid',
  'connection_unlinked',
  'domain_connection_selector_not_allowed',
  'idp_initiated_sso_disabled',
  'invalid_connection_selector',
  'organization_invalid',
  'oauth_failed',
  'profile_not_allowed_outside_organization',
  'server_error',
  'invalid_request',
  'unsupported_response_type',
] as const;
/** Error code of an authorization. */
export type AuthorizationErrorCode = (typeof authorizationErrors)[number];

/** Half an hour is enough time to find a password, read an email and fetch a phone. */
const lifetimeMs = 30 * 60_000;

/** An authorization to start; omitted fields are null. */
export type NewAuthorization = Pick<
  AuthorizationRecord,
  'visitorId' | 'purpose' | 'clientId' | 'redirectUri' | 'selector'
> &
  Partial<Omit<AuthorizationRecord, 'id' | 'token' | 'expiresAt' | 'createdAt'>>;

/** Start an authorization. It expires after half an hour. */
export function startAuthorization(memory: Memory, fields: NewAuthorization): AuthorizationRecord {
  dropExpired(memory, authorizations);
  const all = memory.of(authorizations);
  return all.insert({
    state: null,
    codeChallenge: null,
    connectionId: null,
    provider: null,
    organizationId: null,
    loginHint: null,
    domainHint: null,
    screenHint: null,
    prompt: null,
    maxAge: null,
    invitationToken: null,
    nonce: null,
    signIn: null,
    ipAddress: null,
    userAgent: null,
    ...fields,
    token: memory.ids.token(32),
    expiresAt: memory.fromNow(lifetimeMs),
  });
}

/** Find an authorization by its token. Returns undefined if it is unknown, ended or expired. */
export function authorizationBy(memory: Memory, token: string | null): AuthorizationRecord | undefined {
  const authorization = token === null ? undefined : memory.of(authorizations).by('token', token);
  return authorization && !memory.isPast(authorization.expiresAt) ? authorization : undefined;
}

/**
 * Send the user back with a code. After a sign-in on the hosted pages, also remember the browser. The user then does not have to
 * sign in again while the session lasts.
 */
export function completeAuthorization(
  memory: Memory,
  authorization: AuthorizationRecord,
  signIn: SignIn,
  { profileId = null }: { readonly profileId?: string | null } = {},
): Answer {
  const now = { ...signIn, authenticatedAt: memory.clock.now() };
  const { code, answer } = issueCode(memory, authorization, now, profileId);
  const isHosted = authorization.selector === 'hosted';
  return end(memory, authorization, isHosted ? answer.with(rememberBrowser(memory, now, code)) : answer);
}

/**
 * Send a remembered user back without a page if no further proof is required. Returns undefined if a page is required. Accepts an
 * invitation to the remembered user. Any other invitation requires the pages.
 */
export function resumeAuthorization(
  memory: Memory,
  authorization: AuthorizationRecord,
  request: Request,
): Answer | undefined {
  const invitation = invitationOf(memory, authorization);
  const loginHint = invitation?.email ?? authorization.loginHint;
  const browser = resumableSession(memory, request, { ...authorization, loginHint });
  if (!browser) return undefined;
  const signIn = inOrganization(authorization, browser.signIn);
  if (nextStep(memory, signIn).kind !== 'ready') return undefined;
  const { code, answer } = issueCode(memory, authorization, acceptBySignIn(memory, signIn, invitation), null);
  recordCode(memory, browser, code);
  return end(memory, authorization, answer);
}

function issueCode(memory: Memory, authorization: AuthorizationRecord, signIn: SignIn, profileId: string | null) {
  const { purpose, redirectUri, codeChallenge, state } = authorization;
  const code = issueAuthorizationCode(memory, { signIn, purpose, redirectUri, codeChallenge, profileId });
  return { code, answer: redirect(withQuery(redirectUri, { code, state })).with({ 'cache-control': 'no-store' }) };
}

/** Send the user back with an error, and emit an event if a connection or provider was involved. */
export function failAuthorization(
  memory: Memory,
  authorization: AuthorizationRecord,
  error: AuthorizationErrorCode,
  description: string,
): Answer {
  const { redirectUri, state, connectionId, provider, loginHint, ipAddress, userAgent } = authorization;
  const attempt = { userId: null, email: loginHint, ipAddress, userAgent };
  const reason = new Refusal(400, error, description);
  const connection = connectionId === null ? undefined : memory.of(connections).find(connectionId);
  if (provider !== null) emitFailure(memory, { ...attempt, type: 'oauth' }, reason);
  else if (connection) {
    const { id, organizationId } = connection;
    emitFailure(
      memory,
      { ...attempt, type: 'sso', sso: { connectionId: id, organizationId, sessionId: null } },
      reason,
    );
  }
  return end(memory, authorization, errorRedirect(redirectUri, error, description, state));
}

/** Redirect to a registered redirect URI with an error. */
export function errorRedirect(
  redirectUri: string,
  error: AuthorizationErrorCode,
  description: string,
  state: string | null,
): Answer {
  // RFC 6749, section 4.1.2.1, limits the characters, and parts of the text may come from the request.
  const plain = redactSecrets(description)
    .replaceAll('"', "'")
    .replace(/[^\x20-\x5b\x5d-\x7e]/g, '?');
  const location = withQuery(redirectUri, { error, error_description: plain, state });
  return redirect(location).with({ 'cache-control': 'no-store' });
}

/** End an authorization with a redirect to the application. */
function end(memory: Memory, authorization: AuthorizationRecord, answer: Answer): Answer {
  if (memory.of(authorizations).find(authorization.id)) memory.delete(authorizations, authorization.id);
  recordEnding(memory, authorization, answer);
  return answer;
}
