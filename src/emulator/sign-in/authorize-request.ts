import { allowsRedirectUri } from '../server/redirect-uris.js';
import { redactSecrets } from '../world/repeatable.js';
import type { World } from '../world/world.js';
import type { CodePurpose } from './authorization-codes.js';
import type { AuthorizationErrorCode, NewAuthorization } from './authorizations.js';

/** What an authorization URL says beside how the user signs in. */
export type AuthorizeRequest = Omit<NewAuthorization, 'selector' | 'visitorId'>;

/** Why an authorization cannot start or go on. */
export interface AuthorizeFailure {
  readonly error: AuthorizationErrorCode;
  readonly description: string;
}

/** The result of reading an authorization URL. */
export type AuthorizeResult =
  | { readonly request: AuthorizeRequest }
  /** The application learns of it at its redirect URI. */
  | { readonly failure: AuthorizeFailure; readonly redirectUri: string; readonly state: string | null }
  /** Nobody knows that it is the application which is waiting there: the browser goes nowhere (RFC 6749 section 4.1.2.1). */
  | { readonly refusal: { readonly error: 'invalid_client' | 'invalid_redirect_uri'; readonly description: string } };

const single = ['client_id', 'redirect_uri', 'response_type', 'state', 'code_challenge', 'code_challenge_method'];

/** Read an authorization URL, all but its selector. */
export function readAuthorizeRequest(
  world: World,
  purpose: CodePurpose,
  query: URLSearchParams,
  browser: Request,
): AuthorizeResult {
  const parameter = (name: string): string | null => query.get(name) || null;
  const [clientId, redirectUri] = [parameter('client_id'), parameter('redirect_uri')];
  const refuse = (error: 'invalid_client' | 'invalid_redirect_uri', description: string) => ({
    refusal: { error, description },
  });
  if (clientId === null || clientId !== world.settings.clientId || query.getAll('client_id').length > 1)
    return refuse('invalid_client', 'The client_id is missing, or not the one of this environment.');
  if (redirectUri === null || query.getAll('redirect_uri').length > 1)
    return refuse('invalid_redirect_uri', 'The redirect_uri is missing, or there are several.');
  if (!allowsRedirectUri(world, redirectUri))
    return refuse(
      'invalid_redirect_uri',
      `The redirect_uri ${redactSecrets(redirectUri)} is not registered. It has to equal a registered one letter by letter, except where that has a wildcard.`,
    );

  // Given back unchanged, even when it is empty.
  const state = query.get('state');
  const problem = wrong(query) ?? wrongChallenge(parameter('code_challenge'), parameter('code_challenge_method'));
  if (problem) return { failure: problem, redirectUri, state };
  const maxAge = parameter('max_age');
  return {
    request: {
      purpose,
      clientId,
      redirectUri,
      state,
      codeChallenge: parameter('code_challenge'),
      loginHint: parameter('login_hint'),
      domainHint: parameter('domain_hint'),
      screenHint: parameter('screen_hint'),
      prompt: parameter('prompt'),
      maxAge: maxAge === null ? null : Number(maxAge),
      invitationToken: parameter('invitation_token'),
      nonce: parameter('nonce'),
      ipAddress: null,
      userAgent: browser.headers.get('user-agent'),
    },
  };
}

const invalid = (description: string): AuthorizeFailure => ({ error: 'invalid_request', description });

function wrong(query: URLSearchParams): AuthorizeFailure | undefined {
  const duplicate = single.find((name) => query.getAll(name).length > 1);
  if (duplicate !== undefined) return invalid(`The parameter ${duplicate} must not come more than once.`);
  const responseType = query.get('response_type');
  if (!responseType) return invalid('The parameter response_type is missing; it is always code.');
  if (responseType !== 'code')
    return { error: 'unsupported_response_type', description: 'The only response_type is code.' };
  if (!/^\d{0,9}$/.test(query.get('max_age') ?? ''))
    return invalid('The parameter max_age is a whole number of seconds.');
  return undefined;
}

/** The method of RFC 7636 that a challenge has when none is named is `plain`, which protects nobody. */
function wrongChallenge(challenge: string | null, method: string | null): AuthorizeFailure | undefined {
  if (challenge === null && method === null) return undefined;
  if (challenge === null) return invalid('There is a code_challenge_method but no code_challenge.');
  if (method !== 'S256') return invalid('The code_challenge_method must be S256 (RFC 7636).');
  // What SHA-256 gives, in base64url without padding.
  return /^[A-Za-z0-9_-]{43}$/.test(challenge)
    ? undefined
    : invalid('The code_challenge is not the S256 challenge of a code verifier: 43 characters of base64url.');
}
