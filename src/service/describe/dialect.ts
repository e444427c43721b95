/**
 * The names that differ between deployments of the service. Pass the name of a preset, or your own:
 * `{ ...dialects.spec, signatureHeader: 'Acme-Signature' }`.
 */
export interface Dialect {
  /** Prefix of the grant types of `POST /user_management/authenticate`. */
  readonly urnPrefix: string;
  /** Body field that names the challenge in the TOTP grant. */
  readonly totpChallengeField: string;
  /** Fields that hold the user id of a factor. The first one found is read; all are written. */
  readonly factorUserField: readonly string[];
  /** `provider` value that opens the hosted sign-in page. */
  readonly hostedProvider: string;
  /** Query parameter of `/user_management/authorize` that selects an organization. */
  readonly authorizeOrganizationParam: string;
  /** Whether a request for the hosted sign-in may include the organization to sign in to. */
  readonly hostedTakesOrganization: boolean;
  /** Field of an organization that holds the customer id of the billing system. */
  readonly billingField: string;
  /** Body field of an audit log export that filters by actor names. */
  readonly exportActorsField: string;
  /** Path of an organization's roles. */
  readonly rolesPath: string;
  /** Path of the public keys that verify access tokens. */
  readonly jwksPath: string;
  /** Header that carries a webhook's signature. */
  readonly signatureHeader: string;
  /** Default name of the session cookie. */
  readonly cookieName: string;
}

const names: Dialect = {
  urnPrefix: 'urn:service:oauth:grant-type:',
  totpChallengeField: 'authenticationChallengeId',
  factorUserField: Object.freeze(['userId']),
  hostedProvider: 'hosted-login',
  authorizeOrganizationParam: 'organization',
  hostedTakesOrganization: false,
  billingField: 'billing_customer_id',
  exportActorsField: 'actors',
  rolesPath: '/organizations/:organization_id/roles',
  jwksPath: '/sso/jwks/:client_id',
  signatureHeader: 'Service-Signature',
  cookieName: 'sallyport-session',
};

/** A preset. `behavior` is for the emulator, and copies keep it. */
interface Preset extends Dialect {
  readonly behavior: 'spec' | 'public';
}

const spec: Preset = Object.freeze({ ...names, behavior: 'spec' });

const workos: Preset = Object.freeze({
  urnPrefix: 'urn:workos:oauth:grant-type:',
  totpChallengeField: 'authentication_challenge_id',
  factorUserField: Object.freeze(['user_id', 'userId']),
  hostedProvider: 'authkit',
  authorizeOrganizationParam: 'organization_id',
  hostedTakesOrganization: true,
  billingField: 'stripe_customer_id',
  exportActorsField: 'actor_names',
  rolesPath: '/authorization/organizations/:organization_id/roles',
  jwksPath: names.jwksPath,
  signatureHeader: 'WorkOS-Signature',
  cookieName: 'wos-session',
  behavior: 'public',
});

/** The presets: `spec`, the service as specified, and `workos`, the public service as it is today. */
export const dialects: { readonly spec: Dialect; readonly workos: Dialect } = Object.freeze({ spec, workos });

/** The name of a preset, or your own dialect. */
export type DialectChoice = keyof typeof dialects | Dialect;

/** Return the dialect of a choice, or `undefined` if the name is unknown. */
export const dialectOf = (choice: DialectChoice | string): Dialect | undefined => {
  if (typeof choice === 'object') return choice;
  return choice === 'spec' || choice === 'workos' ? dialects[choice] : undefined;
};

/** Return a key that is missing from a custom dialect or has the wrong type, or `undefined` if there is none. */
export const gapIn = (dialect: Dialect): string | undefined =>
  // The literal has exactly the keys of its type.
  (Object.keys(names) as (keyof Dialect)[]).find((key) => {
    const [actual, expected] = [dialect[key], names[key]];
    return typeof actual !== typeof expected || Array.isArray(actual) !== Array.isArray(expected);
  });

/** Keys of a dialect that name a field of a resource or body. */
export type VaryingField = 'totpChallengeField' | 'factorUserField' | 'billingField' | 'exportActorsField';

/** Keys of a dialect that name a query parameter. */
export type VaryingParam = 'authorizeOrganizationParam';

/** Return the names that this dialect writes. */
export const namesOf = (dialect: Dialect, key: VaryingField | VaryingParam): readonly string[] => {
  const names = dialect[key];
  return typeof names === 'string' ? [names] : names;
};

/** Return the names that are read: this dialect's names first, then those of the presets. */
export const readNamesOf = (dialect: Dialect, key: VaryingField | VaryingParam): readonly string[] => [
  ...new Set([...namesOf(dialect, key), ...namesOf(spec, key), ...namesOf(workos, key)]),
];
