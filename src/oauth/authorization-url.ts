import type { OptionNames } from '../errors/known-options.js';
import type { AuthorizationRequest } from '../service/addresses.js';
import type { AuthorizationNames } from './authorization-names.js';
import type { Proof } from './proof.js';
import { wireName } from './reader.js';
import { besideHosted, selectorIn } from './selector.js';

/** What is passed on to the authorization URL. */
const passedOn = [
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

/** How a user signs in: by one of provider, connection and organization, or by none, at the hosted page. */
export interface SignInParameters extends Pick<AuthorizationRequest, (typeof passedOn)[number]> {
  /** Query parameters, by their wire names, that this version does not describe; they replace none that it does. */
  readonly extraQuery?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
}

/** The names of these parameters. */
export const signInParameterNames = Object.fromEntries(
  [...passedOn, 'extraQuery'].map((name) => [name, 1]),
) as OptionNames<SignInParameters>;

/** What an authorization URL needs beside how the user signs in. */
export interface Application {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly names: AuthorizationNames;
}

/** The address at which a user signs in. @throws {InvalidArgumentError} Several of provider, connection and organization are given. */
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
  const beside = besideHosted(names, provider);
  if (!selectorIn(method, { provider, connectionId, organizationId }, beside))
    query.set('provider', names.hostedProvider);
  for (const name of passedOn)
    add({ [name === 'organizationId' ? names.authorizeOrganizationParam : wireName(name)]: options[name] });
  return `${baseUrl}/user_management/authorize?${query}`;
}
