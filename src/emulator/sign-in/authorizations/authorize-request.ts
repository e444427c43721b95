import { allowsRedirectUri } from '../../rooms/redirect-uris/records.js';
import { redactSecrets } from '../../store/redact-secrets.js';
import type { Memory } from '../../world/memory.js';
import type { CodePurpose } from '../codes/authorization-codes.js';
import type { AuthorizationErrorCode, AuthorizationFields } from './authorizations.js';

/** The parameters of an authorization URL, except the selector. */
type AuthorizeRequest = Omit<AuthorizationFields, 'selector' | 'visitorId'>;

/** An error that ends an authorization. */
export interface AuthorizeFailure {
  readonly error: AuthorizationErrorCode;
  readonly description: string;
}

/**
 * An error that is shown on a page, because a redirect to an unverified address would be an open redirect (RFC 6749, section
 * 4.1.2.1).
 */
export interface AuthorizeRefusal {
  readonly refusal: { readonly error: 'invalid_client' | 'invalid_redirect_uri'; readonly description: string };
}

/** The result of reading an authorization URL. */
type AuthorizeResult =
  | { readonly request: AuthorizeRequest }
  /** The error is sent to the application's redirect URI. */
  | { readonly failure: AuthorizeFailure; readonly redirectUri: string; readonly state: string | null }
  | AuthorizeRefusal;

/** Parameters that may appear only once. */
const singleParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/** Parse and check an authorization URL, except its selector. */
export function readAuthorizeRequest(
  memory: Memory,
  purpose: CodePurpose,
  query: URLSearchParams,
  browser: Request,
): AuthorizeResult {
  const parameter = (name: string): string | null => query.get(name) || null;
  const [clientId, redirectUri] = [parameter('client_id'), parameter('redirect_uri')];
  const refuse = (error: 'invalid_client' | 'invalid_redirect_uri', description: string) => ({
    refusal: { error, description },
  });
  if (clientId === null || clientId !== memory.settings.clientId || query.getAll('client_id').length > 1)
    return refuse('invalid_client', 'The client_id is missing, or belongs to another environment.');
  if (redirectUri === null || query.getAll('redirect_uri').length > 1)
    return refuse('invalid_redirect_uri', 'The redirect_uri is missing, or appears more than once.');
  if (!allowsRedirectUri(memory, redirectUri))
    return refuse(
      'invalid_redirect_uri',
      `The redirect_uri ${redactSecrets(redirectUri)} is not registered. It must match a registered one exactly, except for wildcards.`,
    );

  // The state is returned unchanged, even if it is empty.
  const state = query.get('state');
  const problem = problemIn(query) ?? challengeProblem(parameter('code_challenge'), parameter('code_challenge_method'));
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

function problemIn(query: URLSearchParams): AuthorizeFailure | undefined {
  const duplicate = singleParameters.find((name) => query.getAll(name).length > 1);
  if (duplicate !== undefined) return invalid(`The parameter ${duplicate} must not appear more than once.`);
  const responseType = query.get('response_type');
  if (!responseType) return invalid('The parameter response_type is missing; it must be code.');
  if (responseType !== 'code')
    return { error: 'unsupported_response_type', description: 'The parameter response_type must be code.' };
  if (!/^\d{0,9}$/.test(query.get('max_age') ?? ''))
    return invalid('The parameter max_age must be a whole number of seconds.');
  return undefined;
}

/** Check a PKCE challenge. The method is required, because the default of RFC 7636 is `plain`, which offers no protection. */
function challengeProblem(challenge: string | null, method: string | null): AuthorizeFailure | undefined {
  if (challenge === null && method === null) return undefined;
  if (challenge === null) return invalid('The parameter code_challenge_method requires a code_challenge.');
  if (method !== 'S256') return invalid('The code_challenge_method must be S256 (RFC 7636).');
  // A SHA-256 hash in base64url without padding.
  return /^[A-Za-z0-9_-]{43}$/.test(challenge)
    ? undefined
    : invalid('The code_challenge must be an S256 challenge: 43 characters of base64url.');
}
