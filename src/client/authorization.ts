import { newProof, type Proof } from '../crypto/pkce.js';
import { InvalidArgumentError } from '../errors/index.js';
import { selectorIn } from '../oauth/selector.js';
import { clientIdFor } from '../transport/request/credentials.js';
import { isGiven } from '../transport/request/url.js';

// Shared by the authorization URLs of userManagement and sso.

/** An authorization URL, and the values to keep until the user returns. */
export interface PkceAuthorization {
  /** URL to redirect the browser to. */
  readonly url: string;
  /** Value to compare with the `state` in the callback. If they differ, the request was forged. */
  readonly state: string;
  /** Secret to exchange the code with. Keep it out of the page, for example in a sealed cookie. */
  readonly codeVerifier: string;
}

/** An object with exactly one of these fields. */
export type OneOf<Fields> = {
  [Name in keyof Fields]: { readonly [Given in Name]: Fields[Given] } & {
    readonly [Other in Exclude<keyof Fields, Name>]?: null | undefined;
  };
}[keyof Fields];

/**
 * Return the one selector that was passed. `companion` may be passed as well and is not returned.
 *
 * @throws {InvalidArgumentError} None or several were passed.
 */
export function oneSelector<Name extends string>(
  method: string,
  selectors: Readonly<Record<Name, string | null | undefined>>,
  companion?: NoInfer<Name> | false,
): Partial<Record<Name, string>> {
  const name = selectorIn(method, selectors, companion);
  if (name) return { [name]: selectors[name] } as Partial<Record<Name, string>>;
  const names = Object.keys(selectors);
  throw new InvalidArgumentError({
    what: `${method} needs one sign-in selector`,
    next: `Pass one of ${names.join(', ')}`,
    argument: names[0]!,
  });
}

interface ClientAndChallenge {
  readonly clientId?: string | null | undefined;
  readonly codeChallenge?: string | null | undefined;
  readonly codeChallengeMethod?: 'S256' | null | undefined;
}

/** Return the query parameters that do not depend on the selector. @throws {ConfigurationError} The client id is missing. */
export function authorizationQuery<Options extends ClientAndChallenge>(
  method: string,
  options: Options,
  clientId: string | undefined,
) {
  return {
    ...options,
    // Without a method, the standard assumes `plain`: the challenge would be taken for the verifier itself.
    ...(isGiven(options.codeChallenge) && { codeChallengeMethod: options.codeChallengeMethod ?? 'S256' }),
    responseType: 'code' as const,
    clientId: clientIdFor(method, options.clientId ?? clientId),
  };
}

/** Build an authorization URL with a new PKCE challenge, and with a new `state` unless one is passed. */
export async function authorizeWithPkce(
  urlWith: (parameters: Omit<Proof, 'codeVerifier'>) => string,
  callerState: string | null | undefined,
): Promise<PkceAuthorization> {
  const { codeVerifier, ...parameters } = await newProof(callerState ?? undefined);
  return { url: urlWith(parameters), state: parameters.state, codeVerifier };
}
