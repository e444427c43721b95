import { nullable, number, oneOf, part, ref, string, timestamp, url } from '../../service/describe/define.js';
import { connections } from '../rooms/connections/records.js';
import { type Answer, redirect } from '../server/answer.js';
import { withQuery } from '../server/with-query.js';
import { dropExpired } from '../world/expired.js';
import { Refusal } from '../world/refusal.js';
import { redactSecrets } from '../world/repeatable.js';
import { collection, type World } from '../world/world.js';
import { emitFailure } from './attempts.js';
import { type CodePurpose, issueAuthorizationCode } from './authorization-codes.js';
import { noteReturn, rememberBrowser, resumableSession } from './browser-sessions.js';
import { acceptBySignIn, invitationOf } from './invited.js';
import { inOrganization, nextStep, type Origin, originFields, type SignIn, signInRecord } from './sign-in.js';

/** Somebody whom an application has sent here and who has not gone back yet. */
export interface AuthorizationRecord extends Origin {
  readonly id: string;
  /** What pages know it by, `?authorization=`; nobody can guess it. */
  readonly token: string;
  /** The browser that began it; no other may go on with it. */
  readonly visitorId: string;
  /** What the code is for: a session, or a profile. */
  readonly purpose: CodePurpose;
  /** Where the user goes back to; checked. */
  readonly redirectUri: string;
  /** Given back unchanged. */
  readonly state: string | null;
  /** S256 challenge of the client; null for none. */
  readonly codeChallenge: string | null;
  /** How the user signs in: at the hosted pages, by a connection, or by a social provider. */
  readonly selector: 'hosted' | 'connection' | 'provider';
  /** Connection whose identity provider is asked. */
  readonly connectionId: string | null;
  /** Social provider, `GoogleOAuth`. */
  readonly provider: string | null;
  /** Organization that the authorization URL names. */
  readonly organizationId: string | null;
  readonly loginHint: string | null;
  readonly domainHint: string | null;
  /** Page that the hosted sign-in opens with, `sign-up`. */
  readonly screenHint: string | null;
  readonly prompt: string | null;
  /** Seconds since the last authentication after which credentials are asked for again. */
  readonly maxAge: number | null;
  readonly invitationToken: string | null;
  readonly nonce: string | null;
  /** How far the sign-in at the hosted pages has come. */
  readonly signIn: SignIn | null;
  readonly expiresAt: string;
  readonly createdAt: string;
}

/** Who is on the way. */
export const authorizations = collection<AuthorizationRecord>({
  object: 'authorization',
  prefix: 'authorization',
  unique: ['token'],
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

/** Why an authorization fails: the codes of the specification, and those of RFC 6749 for what no client should send. */
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
/** Why an authorization fails. */
export type AuthorizationErrorCode = (typeof authorizationErrors)[number];

/** Long enough to look for a password, read a mail and find one's phone. */
const lifetimeMs = 30 * 60_000;

/** An authorization to start; what is left out is absent. */
export type NewAuthorization = Pick<
  AuthorizationRecord,
  'visitorId' | 'purpose' | 'clientId' | 'redirectUri' | 'selector'
> &
  Partial<Omit<AuthorizationRecord, 'id' | 'token' | 'expiresAt' | 'createdAt'>>;

/** Keep an authorization until the user goes back, for half an hour. */
export function startAuthorization(world: World, fields: NewAuthorization): AuthorizationRecord {
  const all = world.of(authorizations);
  dropExpired(world, all);
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
    token: world.ids.token(32),
    expiresAt: world.fromNow(lifetimeMs),
    createdAt: world.now,
  });
}

/** The authorization that a page is about; undefined when there is none, when it has ended or run out. */
export function authorizationBy(world: World, token: string | null): AuthorizationRecord | undefined {
  const authorization = token === null ? undefined : world.of(authorizations).by('token', token);
  return authorization && !world.isPast(authorization.expiresAt) ? authorization : undefined;
}

/**
 * Send the user back with a code for what has been proven. After the hosted pages the browser is remembered, and not
 * asked again as long as its session lasts.
 */
export function finishAuthorization(
  world: World,
  authorization: AuthorizationRecord,
  signIn: SignIn,
  { profileId = null }: { readonly profileId?: string | null } = {},
): Answer {
  const now = { ...signIn, authenticatedAt: world.clock.now() };
  const { code, answer } = sendBack(world, authorization, now, profileId);
  return authorization.selector === 'hosted' ? answer.with(rememberBrowser(world, now, code)) : answer;
}

/**
 * Send the user back at once, where the browser is remembered and nothing is left to prove; undefined otherwise. An
 * invitation is accepted by that; one to somebody else is for the pages.
 */
export function resumeAuthorization(
  world: World,
  authorization: AuthorizationRecord,
  request: Request,
): Answer | undefined {
  const invitation = invitationOf(world, authorization);
  const loginHint = invitation?.email ?? authorization.loginHint;
  const browser = resumableSession(world, request, { ...authorization, loginHint });
  if (!browser) return undefined;
  const signIn = inOrganization(authorization, browser.signIn);
  if (nextStep(world, signIn).kind !== 'ready') return undefined;
  const { code, answer } = sendBack(world, authorization, acceptBySignIn(world, signIn, invitation), null);
  noteReturn(world, browser, code);
  return answer;
}

function sendBack(world: World, authorization: AuthorizationRecord, signIn: SignIn, profileId: string | null) {
  const { purpose, redirectUri, codeChallenge, state } = authorization;
  const code = issueAuthorizationCode(world, { signIn, purpose, redirectUri, codeChallenge, profileId });
  end(world, authorization);
  return { code, answer: redirect(withQuery(redirectUri, { code, state })).with({ 'cache-control': 'no-store' }) };
}

/** Send the user back with an error. A failed sign-in by an identity provider emits an event. */
export function failAuthorization(
  world: World,
  authorization: AuthorizationRecord,
  error: AuthorizationErrorCode,
  description: string,
): Answer {
  const { redirectUri, state, connectionId, provider, loginHint, ipAddress, userAgent } = authorization;
  const attempt = { userId: null, email: loginHint, ipAddress, userAgent };
  const reason = new Refusal(400, error, description);
  const connection = connectionId === null ? undefined : world.of(connections).find(connectionId);
  if (provider !== null) emitFailure(world, { ...attempt, type: 'oauth' }, reason);
  else if (connection) {
    const { id, organizationId } = connection;
    emitFailure(world, { ...attempt, type: 'sso', sso: { connectionId: id, organizationId, sessionId: null } }, reason);
  }
  end(world, authorization);
  return errorRedirect(redirectUri, error, description, state);
}

/** Send a browser to a redirect URI that has been checked, with an error. */
export function errorRedirect(
  redirectUri: string,
  error: AuthorizationErrorCode,
  description: string,
  state: string | null,
): Answer {
  // The characters that RFC 6749 section 4.1.2.1 allows; some of the text may be the sender's.
  const plain = redactSecrets(description)
    .replaceAll('"', "'")
    .replace(/[^\x20-\x5b\x5d-\x7e]/g, '?');
  const location = withQuery(redirectUri, { error, error_description: plain, state });
  return redirect(location).with({ 'cache-control': 'no-store' });
}

const end = (world: World, { id }: AuthorizationRecord): void => {
  if (world.of(authorizations).find(id)) world.of(authorizations).delete(id);
};
