/**
 * The few names that differ between deployments of the service. Everything else is the same everywhere.
 * Pass one of the presets by name, or your own: `{ ...dialects.spec, signatureHeader: 'Acme-Signature' }`.
 */
export interface Dialect {
  /** Prefix of the grant types of `POST /user_management/authenticate`. */
  readonly urnPrefix: string;
  /** Body field that names the challenge in the TOTP grant. */
  readonly totpChallengeField: string;
  /** Fields under which a factor names its user; the first one found is read, all are written. */
  readonly factorUserField: readonly string[];
  /** `provider` value that opens the hosted sign-in page. */
  readonly hostedProvider: string;
  /** Query parameter that selects an organization on `/user_management/authorize`. */
  readonly authorizeOrganizationParam: string;
  /** Whether the hosted sign-in may be asked for together with the organization to sign in to. */
  readonly hostedTakesOrganization: boolean;
  /** Field of an organization that holds the external billing reference. */
  readonly billingField: string;
  /** Body field of an audit-log export that filters by the names of actors. */
  readonly exportActorsField: string;
  /** Path of an organization's roles. */
  readonly rolesPath: string;
  /** Path of the public keys that sign access tokens. */
  readonly jwksPath: string;
  /** Header that carries a webhook's signature. */
  readonly signatureHeader: string;
  /** Default name of the session cookie. */
  readonly cookieName: string;
  /** Which success status the emulator answers with: the specification's, or the public service's. */
  readonly successStatus: 'spec' | 'public';
  /** Whether the emulator writes `active` and `inactive` for a directory's state inside events. */
  readonly directoryStateInEvents: 'linked' | 'active';
  /** Whether the emulator adds fields that the public service sends and the specification does not name. */
  readonly extraResponseFields: boolean;
  /** Whether the emulator writes null for what an object does not have, such as a picture; otherwise it leaves it out. */
  readonly nullForAbsent: boolean;
  /** Whether the emulator limits external ids and metadata as the public service does. */
  readonly labelLimits: boolean;
  /** Whether an invited user has a pending membership in the emulator from the invitation on, or one from its acceptance on. */
  readonly membershipFromInvitation: boolean;
  /** Whether the emulator accepts `email` when a user is updated. */
  readonly userEmailUpdate: boolean;
  /** Whether the emulator refuses to list memberships without a filter. */
  readonly membershipsNeedFilter: boolean;
  /** Code of the 422 that the emulator answers where fields of a request are missing or wrong. */
  readonly invalidRequestCode: string;
  /** Whether the emulator takes a client's id and secret in the Authorization header too, where tokens are asked for (RFC 6749). */
  readonly basicAuthentication: boolean;
}

/** What the public service does and the specification does not say. */
const habits = (arePublic: boolean) => ({
  hostedTakesOrganization: arePublic,
  extraResponseFields: arePublic,
  nullForAbsent: arePublic,
  labelLimits: arePublic,
  membershipFromInvitation: arePublic,
  userEmailUpdate: arePublic,
  membershipsNeedFilter: arePublic,
  basicAuthentication: arePublic,
});

const spec: Dialect = Object.freeze({
  urnPrefix: 'urn:service:oauth:grant-type:',
  totpChallengeField: 'authenticationChallengeId',
  factorUserField: Object.freeze(['userId']),
  hostedProvider: 'hosted-login',
  authorizeOrganizationParam: 'organization',
  billingField: 'billing_customer_id',
  exportActorsField: 'actors',
  rolesPath: '/organizations/:organization_id/roles',
  jwksPath: '/sso/jwks/:client_id',
  signatureHeader: 'Service-Signature',
  cookieName: 'sallyport-session',
  successStatus: 'spec',
  directoryStateInEvents: 'linked',
  invalidRequestCode: 'validation_error',
  ...habits(false),
});

const workos: Dialect = Object.freeze({
  ...spec,
  urnPrefix: 'urn:workos:oauth:grant-type:',
  totpChallengeField: 'authentication_challenge_id',
  factorUserField: Object.freeze(['user_id', 'userId']),
  hostedProvider: 'authkit',
  authorizeOrganizationParam: 'organization_id',
  billingField: 'stripe_customer_id',
  exportActorsField: 'actor_names',
  rolesPath: '/authorization/organizations/:organization_id/roles',
  signatureHeader: 'WorkOS-Signature',
  cookieName: 'wos-session',
  successStatus: 'public',
  directoryStateInEvents: 'active',
  invalidRequestCode: 'invalid_request_parameters',
  ...habits(true),
});

/** The presets: `spec`, the service as specified (the default), and `workos`, the public service's names of today. */
export const dialects: { readonly spec: Dialect; readonly workos: Dialect } = Object.freeze({ spec, workos });

/** A preset's name, or a dialect of your own. */
export type DialectChoice = keyof typeof dialects | Dialect;

/** The dialect a choice stands for; an unknown name gives `undefined`. */
export const dialectOf = (choice: DialectChoice = 'spec'): Dialect | undefined =>
  typeof choice === 'object' ? choice : Object.hasOwn(dialects, choice) ? dialects[choice] : undefined;

/** A key that a dialect of one's own lacks, or has with a value of another kind; `undefined` when it is whole. */
export const gapIn = (dialect: Dialect): string | undefined =>
  // The keys of a literal are those of its type.
  (Object.keys(spec) as (keyof Dialect)[]).find((key) => {
    const [actual, expected] = [dialect[key], spec[key]];
    return typeof actual !== typeof expected || Array.isArray(actual) !== Array.isArray(expected);
  });

/** Keys of a dialect that name a field of a resource or body. */
export type VaryingField = 'totpChallengeField' | 'factorUserField' | 'billingField' | 'exportActorsField';

/** Keys of a dialect that name a query parameter. */
export type VaryingParam = 'authorizeOrganizationParam';

/** Names written under this dialect. */
export const namesOf = (dialect: Dialect, key: VaryingField | VaryingParam): readonly string[] => {
  const names = dialect[key];
  return typeof names === 'string' ? [names] : names;
};

/** Names accepted when reading, whichever dialect wrote them; this dialect's come first. */
export const readNamesOf = (dialect: Dialect, key: VaryingField | VaryingParam): readonly string[] => [
  ...new Set([...namesOf(dialect, key), ...namesOf(spec, key), ...namesOf(workos, key)]),
];
