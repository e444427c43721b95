import { nullable, number, oneOf, part, ref, string, timestamp, url } from '../../../service/describe/define.js';
import { type Answer, redirect } from '../../http/answer.js';
import { withQuery } from '../../http/with-query.js';
import { connections } from '../../rooms/connections/records.js';
import { redactSecrets } from '../../store/redact-secrets.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import { dropExpired } from '../../world/expired.js';
import { collection, type Memory } from '../../world/memory.js';
import { issueAuthorizationCode } from '../codes/authorization-codes.js';
import { emitFailure } from '../proof/attempts.js';
import { acceptBySignIn, invitationOf } from '../proof/invited.js';
import { inOrganization, nextStep, originFields, type SignIn, signInRecord } from '../proof/sign-in.js';
import { recordCode, rememberBrowser, resumableSession } from './browser-sessions.js';
import { recordEnding } from './endings.js';

const authorizationRecord = part({
  ...originFields,
  id: string,
  /** Unguessable token, passed between pages as `?authorization=`. */
  token: string,
  /** Browser that started the authorization. No other browser may continue it. */
  visitorId: string,
  /** What the code will be exchanged for: a session or a profile. */
  purpose: oneOf('user_management', 'sso'),
  /** Redirect URI of the application; already checked against the registered URIs. */
  redirectUri: url,
  /** Returned to the application unchanged. */
  state: nullable(string),
  /** S256 challenge of the client; null if there is none. */
  codeChallenge: nullable(string),
  /** How the user signs in: on the hosted pages, through a connection, or with a social provider. */
  selector: oneOf('hosted', 'connection', 'provider'),
  /** Connection to sign in through. */
  connectionId: nullable(string),
  /** Social provider, such as `GoogleOAuth`. */
  provider: nullable(string),
  /** Organization that the authorization URL names. */
  organizationId: nullable(string),
  loginHint: nullable(string),
  domainHint: nullable(string),
  /** First hosted page, such as `sign-up`. */
  screenHint: nullable(string),
  prompt: nullable(string),
  /** Maximum age of the last authentication in seconds. If it is older, the user must sign in again. */
  maxAge: nullable(number),
  invitationToken: nullable(string),
  nonce: nullable(string),
  /** What the user has proven on the hosted pages so far. */
  signIn: nullable(ref<SignIn>(signInRecord)),
  expiresAt: timestamp,
  createdAt: timestamp,
});
/** An authorization in progress: the application has redirected the user to the emulator, and the user has not returned yet. */
export interface AuthorizationRecord extends Stored<typeof authorizationRecord> {}

/** Authorizations in progress. */
export const authorizations = collection<AuthorizationRecord>({
  object: 'authorization',
  prefix: 'authorization',
  unique: ['token'],
  publicToken: 'token',
  record: ref(authorizationRecord),
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
export type AuthorizationFields = Pick<
  AuthorizationRecord,
  'visitorId' | 'purpose' | 'clientId' | 'redirectUri' | 'selector'
> &
  Partial<Omit<AuthorizationRecord, 'id' | 'token' | 'expiresAt' | 'createdAt'>>;

/** Start an authorization. It expires after half an hour. */
export function startAuthorization(memory: Memory, fields: AuthorizationFields): AuthorizationRecord {
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
  const reason = new EmulatorRefusal(400, error, description);
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
