import { InvalidArgumentError } from '../errors/index.js';
import { newProof, type Proof } from '../oauth/proof.js';
import { selectorIn } from '../oauth/selector.js';
import { clientIdFor } from '../transport/credentials.js';
import { isGiven } from '../transport/options.js';

// What the two authorization URLs, of userManagement and of sso, have in common.

/** An authorization URL, and what to keep until the user comes back. */
export interface PkceAuthorization {
  /** Where to send the user. */
  readonly url: string;
  /** Compare it with the `state` that comes back; if they differ, somebody else sent the user. */
  readonly state: string;
  /** A secret of this sign-in: exchange the code together with it. Keep it out of the page, in a sealed cookie say. */
  readonly codeVerifier: string;
}

/** Exactly one of these fields. */
export type OneOf<Fields> = {
  [Name in keyof Fields]: { readonly [Given in Name]: Fields[Given] } & {
    readonly [Other in Exclude<keyof Fields, Name>]?: null | undefined;
  };
}[keyof Fields];

/** The one selector that is given, without what may go `beside` it. @throws {InvalidArgumentError} None or several are. */
export function oneSelector<Name extends string>(
  method: string,
  selectors: Readonly<Record<Name, string | null | undefined>>,
  beside?: NoInfer<Name> | false,
): Partial<Record<Name, string>> {
  const name = selectorIn(method, selectors, beside);
  if (name) return { [name]: selectors[name] } as Partial<Record<Name, string>>;
  const names = Object.keys(selectors);
  throw new InvalidArgumentError({
    what: `${method} needs to know how the user signs in`,
    next: `Pass one of ${names.join(', ')}`,
    argument: names[0]!,
  });
}

interface Asking {
  readonly clientId?: string | null | undefined;
  readonly codeChallenge?: string | null | undefined;
  readonly codeChallengeMethod?: 'S256' | null | undefined;
}

/** What the query of an authorization URL says besides how the user signs in. @throws {ConfigurationError} There is no client id. */
export function authorizationQuery<Options extends Asking>(
  method: string,
  options: Options,
  clientId: string | undefined,
) {
  return {
    ...options,
    // There is no other method, and without a name the standard takes the challenge for the verifier itself.
    ...(isGiven(options.codeChallenge) && { codeChallengeMethod: options.codeChallengeMethod ?? 'S256' }),
    responseType: 'code' as const,
    clientId: clientIdFor(method, options.clientId ?? clientId),
  };
}

/** An authorization URL with a new PKCE challenge, and a `state` unless there is one. */
export async function authorizeWithPkce(
  urlWith: (parameters: Omit<Proof, 'codeVerifier'>) => string,
  ownState: string | null | undefined,
): Promise<PkceAuthorization> {
  const { codeVerifier, ...parameters } = await newProof(ownState ?? undefined);
  return { url: urlWith(parameters), state: parameters.state, codeVerifier };
}
