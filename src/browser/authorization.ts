import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { BrowserConfig } from './options.js';

/** What `signIn` takes. At most one of `provider`, `organizationId` and `connectionId`; without, the user chooses at the hosted page. */
export interface SignInOptions {
  /** Where the user goes on afterwards, a path of this site; default: the page that is open. What leads elsewhere becomes `/`. */
  readonly returnTo?: string | undefined;
  /** Sign in by this social provider, `GoogleOAuth`. */
  readonly provider?: string | undefined;
  /** Sign in by the single sign-on of this organization. */
  readonly organizationId?: string | undefined;
  /** Sign in by this connection. */
  readonly connectionId?: string | undefined;
  /** Username to fill in. */
  readonly loginHint?: string | undefined;
  /** Email domain to fill in. */
  readonly domainHint?: string | undefined;
  /** Page that the hosted sign-in opens with. */
  readonly screenHint?: 'sign-in' | 'sign-up' | (string & {}) | undefined;
  /** `login` asks for credentials even where the hosted page still knows the user. */
  readonly prompt?: 'login' | (string & {}) | undefined;
  /** Seconds since the last authentication after which credentials are asked for again. */
  readonly maxAge?: number | undefined;
  /** Token of an invitation that is accepted by signing in. */
  readonly invitationToken?: string | undefined;
}

/** What only this sign-in has. */
interface Proof {
  readonly redirectUri: string;
  readonly state: string;
  readonly codeChallenge: string;
}

/** The address at which the user signs in. @throws {InvalidArgumentError} Several selectors are given. */
export function authorizationUrl({ baseUrl, clientId, dialect }: BrowserConfig, options: SignInOptions, proof: Proof) {
  const { provider, organizationId, connectionId } = options;
  const [, second] = Object.entries({ provider, organizationId, connectionId }).filter(([, value]) => value);
  if (second)
    throw new InvalidArgumentError({
      argument: second[0],
      what: 'signIn takes only one of provider, organizationId and connectionId',
      next: 'Pass one of them, or none for the hosted sign-in page',
    });
  const query: Record<string, string | number | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: proof.redirectUri,
    state: proof.state,
    code_challenge: proof.codeChallenge,
    code_challenge_method: 'S256',
    provider: provider || (organizationId || connectionId ? undefined : dialect.hostedProvider),
    [dialect.authorizeOrganizationParam]: organizationId,
    connection_id: connectionId,
    login_hint: options.loginHint,
    domain_hint: options.domainHint,
    screen_hint: options.screenHint,
    prompt: options.prompt,
    max_age: options.maxAge,
    invitation_token: options.invitationToken,
  };
  const url = new URL(`${baseUrl}/user_management/authorize`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, `${value}`);
  return url.href;
}
