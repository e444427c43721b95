import type { Answer } from '../../http/answer.js';
import type { Visitor } from '../../http/visitor.js';
import { type ConnectionRecord, withoutIdpInitiation } from '../../rooms/connections/records.js';
import type { Memory } from '../../world/memory.js';
import type { CodePurpose } from '../codes/authorization-codes.js';
import {
  type AuthorizationFields,
  type AuthorizationRecord,
  authorizations,
  errorRedirect,
  resumeAuthorization,
  startAuthorization,
} from './authorizations.js';
import { authorizeAtOnce } from './authorize-at-once.js';
import { type AuthorizeFailure, type AuthorizeRefusal, readAuthorizeRequest } from './authorize-request.js';
import { selectorOf } from './authorize-selector.js';
import { plannedFailures } from './planned-failures.js';

/** A browser that opens an authorization URL. */
interface Browser {
  readonly request: Request;
  readonly visitor: Visitor;
}

/**
 * Start the authorization of an authorization URL. Returns the redirect to the application if the URL is invalid or no page is
 * needed. Otherwise returns the authorization, which continues on a page. An error that must not be sent to the redirect URI is
 * returned as a refusal.
 */
export function authorize(
  memory: Memory,
  purpose: CodePurpose,
  query: URLSearchParams,
  browser: Browser,
): Answer | AuthorizationRecord | AuthorizeRefusal {
  const result = readAuthorizeRequest(memory, purpose, query, browser.request);
  if ('refusal' in result) return result;
  const { redirectUri, state = null } = 'failure' in result ? result : result.request;
  const failWith = ({ error, description }: AuthorizeFailure) => errorRedirect(redirectUri, error, description, state);
  if ('failure' in result) return failWith(result.failure);
  const selection = selectorOf(memory, purpose, query);
  if ('failure' in selection) return failWith(selection.failure);
  const planned = takePlannedFailure(memory);
  return planned ? failWith(planned) : start(memory, { ...result.request, ...selection }, browser);
}

function takePlannedFailure(memory: Memory): AuthorizeFailure | undefined {
  const planned = memory.of(plannedFailures);
  const [failure, ...others] = planned.get();
  if (failure) planned.set(others);
  return failure;
}

/** Start an authorization at the identity provider of a connection, without a request from the application. */
export function authorizeFromIdentityProvider(
  memory: Memory,
  { id: connectionId, organizationId }: ConnectionRecord,
  redirectUri: string,
  query: URLSearchParams,
  browser: Browser,
): Answer | AuthorizationRecord {
  if (memory.of(withoutIdpInitiation).has(connectionId)) {
    const description = `The connection ${connectionId} does not allow sign-ins that start at the identity provider.`;
    return errorRedirect(redirectUri, 'idp_initiated_sso_disabled', description, null);
  }
  return start(
    memory,
    {
      purpose: query.get('purpose') === 'sso' ? 'sso' : 'user_management',
      clientId: memory.settings.clientId,
      redirectUri,
      selector: 'connection',
      connectionId,
      organizationId,
      loginHint: query.get('login_hint') || null,
      userAgent: browser.request.headers.get('user-agent'),
    },
    browser,
  );
}

/** Start an authorization, and complete it if no page is needed. */
function start(
  memory: Memory,
  fields: Omit<AuthorizationFields, 'visitorId'>,
  { request, visitor }: Browser,
): Answer | AuthorizationRecord {
  const authorization = startAuthorization(memory, { ...fields, visitorId: visitor.id });
  const { selector, connectionId, organizationId, loginHint, ipAddress, userAgent } = authorization;
  const resumption = selector === 'hosted' ? resumeAuthorization(memory, authorization, request) : undefined;
  if (resumption) return resumption;
  if (selector === 'connection')
    memory.emit('authentication.sso_started', {
      type: 'sso',
      status: 'started',
      userId: null,
      email: loginHint,
      ipAddress,
      userAgent,
      sso: { connectionId, organizationId, sessionId: null },
    });
  const atOnce = memory.settings.autoApprove ? authorizeAtOnce(memory, authorization) : undefined;
  return atOnce ?? memory.of(authorizations).get(authorization.id);
}

/** Find the connection or provider of an SSO authorization URL, for the rate limit. */
export function requestedConnection(
  memory: Memory,
  { query }: { readonly query: URLSearchParams },
): string | undefined {
  const selection = selectorOf(memory, 'sso', query);
  return 'failure' in selection ? undefined : (selection.connectionId ?? selection.provider ?? undefined);
}
