import type { Proof } from '../crypto/pkce.js';
import type { OptionNames } from '../errors/known-options.js';
import { wireName } from '../http/json.js';
import type { AuthorizationRequest } from '../service/addresses.js';
import type { AuthorizationNames } from './authorization-names.js';
import { allowedWithHosted, selectorIn } from './selector.js';

/** Options that become query parameters of the authorization URL. */
const parameterNames = [
  'provider',
  'connectionId',
  'organizationId',
  'loginHint',
  'domainHint',
  'screenHint',
  'prompt',
  'maxAge',
  'invitationToken',
] as const satisfies readonly (keyof AuthorizationRequest)[];

/** How a user signs in: with one provider, connection or organization, or at the hosted page. */
export interface SignInParameters extends Pick<AuthorizationRequest, (typeof parameterNames)[number]> {
  /** Query parameters that this version does not know, by wire name. They cannot replace known ones. */
  readonly extraQuery?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
}

/** The names of all sign-in parameters. */
export const signInParameterNames = Object.fromEntries(
  [...parameterNames, 'extraQuery'].map((name) => [name, 1]),
) as OptionNames<SignInParameters>;

/** The application that a user signs in to, and the service. */
export interface Application {
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly names: AuthorizationNames;
}

/**
 * Build the URL where a user signs in. @throws {InvalidArgumentError} Several of provider, connection and organization are
 * given.
 */
export function authorizationUrl(
  { baseUrl, clientId, names }: Application,
  method: string,
  options: SignInParameters,
  { redirectUri, state, codeChallenge, codeChallengeMethod }: Omit<Proof, 'codeVerifier'> & { redirectUri: string },
): string {
  const { provider, connectionId, organizationId } = options;
  const query = new URLSearchParams();
  const add = (fields: object) => {
    for (const [name, value] of Object.entries(fields)) if ((value ?? '') !== '') query.set(name, `${value}`);
  };
  add({
    ...options.extraQuery,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: codeChallengeMethod,
  });
  const companion = allowedWithHosted(names, provider);
  if (!selectorIn(method, { provider, connectionId, organizationId }, companion))
    query.set('provider', names.hostedProvider);
  for (const name of parameterNames)
    add({ [name === 'organizationId' ? names.authorizeOrganizationParam : wireName(name)]: options[name] });
  return `${baseUrl}/user_management/authorize?${query}`;
}

/** Query parameters of the callback URL; null if they are missing. */
export interface Callback {
  readonly state: string | null;
  readonly code: string | null;
  readonly error: string | null;
  readonly errorDescription: string | null;
}

/** Names of the parameters that the service adds to the callback URL. */
export const callbackParameters = ['state', 'code', 'error', 'error_description'] as const;

/** Read the parameters of a callback URL. */
export const callbackIn = (query: URLSearchParams): Callback => ({
  state: query.get('state'),
  code: query.get('code'),
  error: query.get('error'),
  errorDescription: query.get('error_description'),
});
