import { ssoByDomain } from '../../service/addresses.js';
import { userManagement as api } from '../../service/authentication.js';
import { sso } from '../../service/sso.js';
import { Answer, json, redirect } from '../http/answer.js';
import { errorPage } from '../http/error-page.js';
import type { Exchange, RoomPart } from '../http/router.js';
import { Visitor } from '../http/visitor.js';
import { connections } from '../rooms/connections/records.js';
import { defaultRedirectUri } from '../rooms/redirect-uris/records.js';
import type { AuthorizationRecord } from '../sign-in/authorizations/authorizations.js';
import { authorize, authorizeFromIdentityProvider, requestedConnection } from '../sign-in/authorizations/authorize.js';
import type { AuthorizeRefusal } from '../sign-in/authorizations/authorize-request.js';
import { selectorNames } from '../sign-in/authorizations/authorize-selector.js';
import type { CodePurpose } from '../sign-in/codes/authorization-codes.js';
import { oauthError } from '../store/refusal.js';
import type { Memory } from '../world/memory.js';
import { unregisteredPage } from './pages/unregistered-page.js';
import { addressOf, goToCurrentStep } from './steps.js';

export const authorizeRoutes: RoomPart = {
  routes(router) {
    const options = { unchecked: true, reads: () => selectorNames } as const;
    const ssoOptions = { ...options, subject: requestedConnection };

    router.on(api.authorize, (exchange) => answerAuthorize('user_management', exchange), options);
    router.on(sso.authorize, (exchange) => answerAuthorize('sso', exchange), ssoOptions);
    router.on(ssoByDomain.authorizeByDomain, (exchange) => answerAuthorize('sso', exchange), {
      ...ssoOptions,
      // The handler reads the same parameters with and without a domain.
      reads: () => [...selectorNames, 'code_challenge', 'code_challenge_method', 'login_hint'],
      when: ({ query }) => query.has('domain'),
    });

    // A sign-in that starts at the identity provider, without a request from the application.
    router.page('GET', '/sso/idp-initiated/:connection_id', (exchange) => {
      const { memory, params, query } = exchange;
      const connection = memory.of(connections).find(params.connectionId!);
      const redirectUri = defaultRedirectUri(memory);
      if (!connection) return errorPage(404, 'No such connection', 'Check the id of the connection in the address.');
      if (redirectUri === undefined)
        return errorPage(
          400,
          'No redirect URI is registered',
          'Sign-ins that start at the identity provider require a default redirect URI. Register one.',
        );
      return answerOf(memory, authorizeFromIdentityProvider(memory, connection, redirectUri, query, exchange));
    });
  },
};

function answerAuthorize(purpose: CodePurpose, { memory, raw: { query }, request }: Exchange): Answer {
  const visitor = new Visitor(request);
  const result = authorize(memory, purpose, query, { request, visitor });
  return 'refusal' in result ? refusalPage(memory, request, result) : answerOf(memory, result).with(visitor.headers);
}

/** Redirect to the application, or to the page where the authorization continues. */
function answerOf(memory: Memory, result: Answer | AuthorizationRecord): Answer {
  if (result instanceof Answer) return result;
  const page = result.signIn
    ? goToCurrentStep({ memory, authorization: result })
    : redirect(addressOf(firstPageOf(result), result));
  return page.with({ 'cache-control': 'no-store' });
}

const firstPageOf = ({ selector, screenHint }: AuthorizationRecord) => {
  if (selector === 'connection') return 'identity-provider';
  if (selector === 'provider') return 'provider';
  return screenHint === 'sign-up' ? 'sign-up' : 'sign-in';
};

/** Respond with a page instead of a redirect to an unregistered address (RFC 6749, section 4.1.2.1). */
function refusalPage(memory: Memory, request: Request, { refusal: { error, description } }: AuthorizeRefusal): Answer {
  if (!request.headers.get('accept')?.includes('text/html')) return json(400, oauthError(400, error, description).body);
  const title = 'This application cannot sign you in';
  const text = `Its sign-in link is wrong. ${description} Please tell the people who run the application.`;
  return error === 'invalid_redirect_uri' ? unregisteredPage(memory, 400, title, text) : errorPage(400, title, text);
}
