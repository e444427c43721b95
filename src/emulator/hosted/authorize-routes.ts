import { ssoByDomain } from '../../service/addresses.js';
import { userManagement as api } from '../../service/authentication.js';
import { sso } from '../../service/sso.js';
import { type Answer, json, redirect } from '../http/answer.js';
import { errorPage } from '../http/error-page.js';
import type { Exchange, RawInput, RoomPart } from '../http/router.js';
import { Visitor } from '../http/visitor.js';
import { connections, withoutIdpInitiation } from '../rooms/connections/records.js';
import { defaultRedirectUri } from '../rooms/redirect-uris/records.js';
import type { CodePurpose } from '../sign-in/authorizations/authorization-codes.js';
import {
  type AuthorizationRecord,
  authorizations,
  errorRedirect,
  resumeAuthorization,
  startAuthorization,
} from '../sign-in/authorizations/authorizations.js';
import { authorizeAtOnce } from '../sign-in/authorizations/authorize-at-once.js';
import { type AuthorizeFailure, readAuthorizeRequest } from '../sign-in/authorizations/authorize-request.js';
import { selectorOf } from '../sign-in/authorizations/authorize-selector.js';
import { plannedFailures } from '../sign-in/authorizations/planned-failures.js';
import { oauthError } from '../store/refusal.js';
import type { Memory } from '../world/memory.js';
import { addressOf } from './layout.js';
import { unregisteredPage } from './pages/unregistered-page.js';
import { goToCurrentStep } from './steps.js';

export const authorizeRoutes: RoomPart = {
  routes(router) {
    const options = { unchecked: true } as const;
    const ssoOptions = { ...options, subject: requestedConnection };

    router.on(api.authorize, (exchange) => authorize('user_management', exchange), options);
    router.on(sso.authorize, (exchange) => authorize('sso', exchange), ssoOptions);
    router.on(ssoByDomain.authorizeByDomain, (exchange) => authorize('sso', exchange), {
      ...ssoOptions,
      when: ({ query }) => query.has('domain'),
    });

    // A sign-in that starts at the identity provider, without a request from the application.
    router.page('GET', '/sso/idp-initiated/:connection_id', ({ memory, params, query, request, visitor }) => {
      const connection = memory.of(connections).find(params.connectionId!);
      const redirectUri = defaultRedirectUri(memory);
      if (!connection) return errorPage(404, 'No such connection', 'Check the id of the connection in the address.');
      if (redirectUri === undefined)
        return errorPage(
          400,
          'No redirect URI is registered',
          'Sign-ins that start at the identity provider require a default redirect URI. Register one.',
        );
      if (memory.of(withoutIdpInitiation).has(connection.id)) {
        const description = `The connection ${connection.id} does not allow sign-ins that start at the identity provider.`;
        return errorRedirect(redirectUri, 'idp_initiated_sso_disabled', description, null);
      }
      const { id: connectionId, organizationId } = connection;
      const authorization = startAuthorization(memory, {
        visitorId: visitor.id,
        purpose: query.get('purpose') === 'sso' ? 'sso' : 'user_management',
        clientId: memory.settings.clientId,
        redirectUri,
        selector: 'connection',
        connectionId,
        organizationId,
        loginHint: query.get('login_hint') || null,
        userAgent: request.headers.get('user-agent'),
      });
      return answerAuthorization(memory, authorization, request);
    });
  },
};

/** Find the connection or provider of an SSO authorization URL, for the rate limit. */
function requestedConnection(memory: Memory, { query }: RawInput): string | undefined {
  const selection = selectorOf(memory, 'sso', query);
  return 'failure' in selection ? undefined : (selection.connectionId ?? selection.provider ?? undefined);
}

function authorize(purpose: CodePurpose, { memory, raw: { query }, request }: Exchange): Answer {
  const result = readAuthorizeRequest(memory, purpose, query, request);
  if ('refusal' in result) return refusalPage(memory, request, result.refusal);
  const { redirectUri, state = null } = 'failure' in result ? result : result.request;
  const failWith = ({ error, description }: AuthorizeFailure): Answer =>
    errorRedirect(redirectUri, error, description, state);
  if ('failure' in result) return failWith(result.failure);
  const selection = selectorOf(memory, purpose, query);
  if ('failure' in selection) return failWith(selection.failure);
  const planned = memory.of(plannedFailures);
  const [failure, ...others] = planned.get();
  if (failure) {
    planned.set(others);
    return failWith(failure);
  }
  const visitor = new Visitor(request);
  const authorization = startAuthorization(memory, { ...result.request, ...selection, visitorId: visitor.id });
  return answerAuthorization(memory, authorization, request).with(visitor.headers);
}

/** Sign the user in without a page if the browser is remembered or `autoApprove` is set. Otherwise redirect to a page. */
function answerAuthorization(memory: Memory, authorization: AuthorizationRecord, request: Request): Answer {
  const { selector, connectionId, organizationId, loginHint: email, ipAddress, userAgent } = authorization;
  const resumption = selector === 'hosted' ? resumeAuthorization(memory, authorization, request) : undefined;
  if (resumption) return resumption;
  if (selector === 'connection')
    memory.emit('authentication.sso_started', {
      type: 'sso',
      status: 'started',
      userId: null,
      email: email ?? null,
      ipAddress,
      userAgent,
      sso: { connectionId, organizationId, sessionId: null },
    });
  const atOnce = memory.settings.autoApprove ? authorizeAtOnce(memory, authorization) : undefined;
  if (atOnce) return atOnce;
  const current = memory.of(authorizations).get(authorization.id);
  const page = current.signIn
    ? goToCurrentStep({ memory, authorization: current })
    : redirect(addressOf(pageOf(current), current));
  return page.with({ 'cache-control': 'no-store' });
}

const pageOf = ({ selector, screenHint }: AuthorizationRecord) => {
  if (selector === 'connection') return 'identity-provider';
  if (selector === 'provider') return 'provider';
  return screenHint === 'sign-up' ? 'sign-up' : 'sign-in';
};

/** Respond with a page instead of a redirect to an unregistered address (RFC 6749, section 4.1.2.1). */
function refusalPage(
  memory: Memory,
  request: Request,
  { error, description }: { readonly error: string; readonly description: string },
): Answer {
  if (!request.headers.get('accept')?.includes('text/html')) return json(400, oauthError(400, error, description).body);
  const title = 'This application cannot sign you in';
  const text = `Its sign-in link is wrong. ${description} Please tell the people who run the application.`;
  return error === 'invalid_redirect_uri' ? unregisteredPage(memory, 400, title, text) : errorPage(400, title, text);
}
