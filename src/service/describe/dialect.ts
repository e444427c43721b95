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

/** A dialect with the behavior of the emulator that goes with it. The presets have this behavior, and so do copies of them. */
export interface EmulatedDialect extends Dialect {
  /** Success statuses of the emulator: those of the specification or of the public service. */
  readonly successStatus: 'spec' | 'public';
  /** State of a connected directory in the emulator's events. With `active`, a disconnected one is `inactive`. */
  readonly directoryStateInEvents: 'linked' | 'active';
  /** Whether the emulator adds fields that the public service sends but the specification does not define. */
  readonly extraResponseFields: boolean;
  /** Whether the emulator writes null for absent values, such as a picture; otherwise it omits them. */
  readonly nullForAbsent: boolean;
  /** Whether the emulator limits external ids and metadata like the public service. */
  readonly labelLimits: boolean;
  /** Whether the emulator creates a pending membership with the invitation; otherwise it creates the membership on acceptance. */
  readonly membershipFromInvitation: boolean;
  /** Whether the emulator accepts `email` when a user is updated. */
  readonly userEmailUpdate: boolean;
  /** Whether the emulator requires a filter to list memberships. */
  readonly membershipsNeedFilter: boolean;
  /** Code of the emulator's 422 response to missing or invalid fields. */
  readonly invalidRequestCode: string;
  /** Whether the emulator's token endpoints also accept the client id and secret in the Authorization header (RFC 6749). */
  readonly basicAuthentication: boolean;
}

/** Return the behavior that the public service adds to the specification. */
const publicBehavior = (arePublic: boolean) => ({
  extraResponseFields: arePublic,
  nullForAbsent: arePublic,
  labelLimits: arePublic,
  membershipFromInvitation: arePublic,
  userEmailUpdate: arePublic,
  membershipsNeedFilter: arePublic,
  basicAuthentication: arePublic,
});

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

const spec: EmulatedDialect = Object.freeze({
  ...names,
  successStatus: 'spec',
  directoryStateInEvents: 'linked',
  invalidRequestCode: 'validation_error',
  ...publicBehavior(false),
});

const workos: EmulatedDialect = Object.freeze({
  ...spec,
  urnPrefix: 'urn:workos:oauth:grant-type:',
  totpChallengeField: 'authentication_challenge_id',
  factorUserField: Object.freeze(['user_id', 'userId']),
  hostedProvider: 'authkit',
  authorizeOrganizationParam: 'organization_id',
  hostedTakesOrganization: true,
  billingField: 'stripe_customer_id',
  exportActorsField: 'actor_names',
  rolesPath: '/authorization/organizations/:organization_id/roles',
  signatureHeader: 'WorkOS-Signature',
  cookieName: 'wos-session',
  successStatus: 'public',
  directoryStateInEvents: 'active',
  invalidRequestCode: 'invalid_request_parameters',
  ...publicBehavior(true),
});

/** The presets: `spec`, the service as specified (the default), and `workos`, the public service as it is today. */
export const dialects: { readonly spec: Dialect; readonly workos: Dialect } = Object.freeze({ spec, workos });

/** The presets with the behavior of the emulator. */
export const emulatedDialects = { spec, workos } as const;

/** Add the behavior of `spec` to a dialect that has none. */
export const emulatedOf = (dialect: Dialect): EmulatedDialect =>
  'successStatus' in dialect ? (dialect as EmulatedDialect) : { ...spec, ...dialect };

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
