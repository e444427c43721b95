import type { auditLogSchemaActor, auditLogSchemaCreate, auditLogSchemaTarget } from '../service/audit-logs.js';
import type { Field, Shape } from '../service/describe/define.js';
import type { directoryUserEmail } from '../service/directory-sync.js';
import type { resourceCreate, resourceType, warrantSubject } from '../service/fga.js';
import type { roleReference } from '../service/roles.js';
import type { connectApplicationRedirectUri } from '../service/users.js';
import type { seedAuditLogAction } from './rooms/audit-logs/seed.js';
import type { seedConnection, seedProfile } from './rooms/connections/seed.js';
import type { seedDirectory, seedDirectoryGroup, seedDirectoryUser } from './rooms/directory-sync/seed.js';
import type { fault } from './rooms/faults/fault.js';
import type { seedWarrant } from './rooms/fga/seed.js';
import type { newInvitation } from './rooms/invitations/records.js';
import type { newMembership } from './rooms/memberships/records.js';
import type { seedDomain, seedOrganization, seedRole } from './rooms/organizations/seed.js';
import type { newConnectApplication } from './rooms/users/authorized-applications.js';
import type { seedAuthorization, seedIdentity, seedUser } from './rooms/users/seed.js';
import type { newWebhookEndpoint } from './rooms/webhooks/records.js';
import type { newAuthenticationPolicy, newAuthMethods } from './sign-in/proof/policies.js';
import type {
  seedFactor,
  seedOrganizationFeatures,
  seedOrganizationPolicy,
  seedUserFactors,
  seedUserFeatures,
} from './sign-in/seed.js';
import type { apiKey } from './world/api-keys.js';

/** `firstName` becomes `first_name`. */
type Snake<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

type MayLack<F> = F extends Field<infer T, infer Absent> ? (null extends T ? true : Absent) : never;

/** The value of a field. A described object in it has the type `Nested`. */
type Value<T, Nested> = T extends string | number | boolean | null
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Value<Item, Nested>[]
    : string extends keyof T
      ? Readonly<T>
      : Nested;

/** The value of field `K`. */
type ValueAt<S, Nested, K extends keyof S> =
  S[K] extends Field<infer T, boolean> ? Value<T, K extends keyof Nested ? Nested[K] : never> : never;

/** The entries that a description allows, with the names of files. `Nested` has the types of the objects in them. */
type SeedOf<M extends { readonly shape: Shape }, Nested extends { [K in keyof M['shape']]?: object } = {}> = {
  readonly [K in keyof M['shape'] as MayLack<M['shape'][K]> extends true ? never : Snake<K>]: ValueAt<
    M['shape'],
    Nested,
    K
  >;
} & {
  readonly [K in keyof M['shape'] as MayLack<M['shape'][K]> extends true ? Snake<K> : never]?:
    | ValueAt<M['shape'], Nested, K>
    | undefined;
};

/** The entries of a section. */
type Entries<Entry> = readonly Entry[] | null | undefined;

/** Initial data of an emulator. Every section is optional. */
export interface Seed {
  /** API keys in addition to the emulator's own. */
  readonly api_keys?: Entries<ApiKeySeed>;
  /** Addresses that users may return to after signing in. The first is the default. */
  readonly redirect_uris?: Entries<string>;
  /** Faults that are active from the start. */
  readonly faults?: Entries<FaultSeed>;
  /** Roles of the environment, in order of priority. They replace the built-in ones, except `member`, which always exists. */
  readonly roles?: Entries<RoleSeed>;
  /** Organizations, the customers of the application. */
  readonly organizations?: Entries<OrganizationSeed>;
  /** OAuth applications that sign users in through the service. */
  readonly connect_applications?: Entries<ConnectApplicationSeed>;
  /** Users who can sign in. */
  readonly users?: Entries<UserSeed>;
  /** Connections to identity providers. */
  readonly connections?: Entries<ConnectionSeed>;
  /** Memberships of users in organizations. */
  readonly memberships?: Entries<MembershipSeed>;
  /** Pending invitations. No mail is sent. */
  readonly invitations?: Entries<InvitationSeed>;
  /** Directories of organizations. */
  readonly directories?: Entries<DirectorySeed>;
  /** Webhook endpoints that receive events. */
  readonly webhook_endpoints?: Entries<WebhookEndpointSeed>;
  /** Audit log actions. */
  readonly audit_log_actions?: Entries<AuditLogActionSeed>;
  /** Resource types with their relations. They can refer to each other in any order. */
  readonly resource_types?: Entries<ResourceTypeSeed>;
  /** Resources that subjects can have relations to. */
  readonly resources?: Entries<ResourceSeed>;
  /** Warrants, which grant subjects relations to resources. */
  readonly warrants?: Entries<WarrantSeed>;
  /**
   * Custom claims of access tokens. Strings may contain placeholders for user, organization and organization_membership, such as
   * `{{ organization.metadata.plan || 'free' }}`. A string that is only a placeholder becomes the value itself.
   */
  readonly custom_claims?: Readonly<Record<string, unknown>> | null | undefined;
  /** Name of the application on the hosted pages. The option `application_name` overrides it. */
  readonly application_name?: string | null | undefined;
  /** JSON schema for editors. The emulator ignores it. */
  readonly $schema?: string | undefined;
}

/** An API key that the emulator accepts. */
export interface ApiKeySeed extends SeedOf<typeof apiKey> {}

/** A planned failure of responses, events or webhooks. */
export interface FaultSeed extends SeedOf<typeof fault> {}

/** A role. The order in the seed is the order of priority. */
export interface RoleSeed extends SeedOf<typeof seedRole> {}

/** An organization with its domains and roles. */
export interface OrganizationSeed
  extends SeedOf<typeof seedOrganization, { domainData: DomainSeed; roles: RoleSeed }>,
    SeedOf<typeof seedOrganizationPolicy, { authenticationPolicy: AuthenticationPolicySeed }>,
    SeedOf<typeof seedOrganizationFeatures> {
  /** `billing_customer_id` in another dialect. */
  readonly stripe_customer_id?: string | null | undefined;
}

/** A domain of an organization. */
export interface DomainSeed extends SeedOf<typeof seedDomain> {}

/** A policy to set. Fields left out require nothing. */
export interface AuthenticationPolicySeed
  extends SeedOf<typeof newAuthenticationPolicy, { authMethods: AuthMethodsSeed }> {}

/** Methods allowed besides SSO. Methods left out are not allowed. */
export interface AuthMethodsSeed extends SeedOf<typeof newAuthMethods> {}

/** The fields of a new application. */
export interface ConnectApplicationSeed
  extends SeedOf<typeof newConnectApplication, { redirectUris: ConnectApplicationRedirectUriSeed }> {}

/** A redirect URI of an application. */
export interface ConnectApplicationRedirectUriSeed extends SeedOf<typeof connectApplicationRedirectUri> {}

/** A user, with identities and authorized applications. */
export interface UserSeed
  extends SeedOf<typeof seedUser, { identities: IdentitySeed; authorizedApplications: AuthorizationSeed }>,
    SeedOf<typeof seedUserFactors, { authFactors: FactorSeed }>,
    SeedOf<typeof seedUserFeatures> {}

/** A provider account that is linked to a user. */
export interface IdentitySeed extends SeedOf<typeof seedIdentity> {}

/** The access that a user has granted to an application. */
export interface AuthorizationSeed extends SeedOf<typeof seedAuthorization> {}

/** An authenticator app or a phone of a user. */
export interface FactorSeed extends SeedOf<typeof seedFactor> {}

/** A connection and the users who can sign in with it. */
export interface ConnectionSeed extends SeedOf<typeof seedConnection, { profiles: ProfileSeed }> {}

/** A user who can sign in with a connection. */
export interface ProfileSeed extends SeedOf<typeof seedProfile, { role: RoleReferenceSeed }> {}

/** A reference to a role. */
export interface RoleReferenceSeed extends SeedOf<typeof roleReference> {}

/** The fields of a new membership. */
export interface MembershipSeed extends SeedOf<typeof newMembership> {}

/** The fields of a new invitation. */
export interface InvitationSeed extends SeedOf<typeof newInvitation> {}

/** A directory with its groups and users. */
export interface DirectorySeed
  extends SeedOf<typeof seedDirectory, { groups: DirectoryGroupSeed; users: DirectoryUserSeed }> {}

/** A group in a directory. */
export interface DirectoryGroupSeed extends SeedOf<typeof seedDirectoryGroup> {}

/** A user in a directory. */
export interface DirectoryUserSeed
  extends SeedOf<typeof seedDirectoryUser, { emails: DirectoryUserEmailSeed; role: RoleReferenceSeed }> {}

/** An email address of a directory user. */
export interface DirectoryUserEmailSeed extends SeedOf<typeof directoryUserEmail> {}

/** The fields of a new webhook endpoint. */
export interface WebhookEndpointSeed extends SeedOf<typeof newWebhookEndpoint> {}

/** An audit log action and its schema. */
export interface AuditLogActionSeed extends SeedOf<typeof seedAuditLogAction, { schema: AuditLogSchemaSeed }> {}

/** Parameters of `create_schema`, without the action. */
export interface AuditLogSchemaSeed
  extends SeedOf<typeof auditLogSchemaCreate, { actor: AuditLogSchemaActorSeed; targets: AuditLogSchemaTargetSeed }> {}

/** Schema for the actor of an audit event. */
export interface AuditLogSchemaActorSeed extends SeedOf<typeof auditLogSchemaActor> {}

/** Schema for one type of target of an audit event. */
export interface AuditLogSchemaTargetSeed extends SeedOf<typeof auditLogSchemaTarget> {}

/** A resource type and its relations. */
export interface ResourceTypeSeed extends SeedOf<typeof resourceType> {}

/** A resource to create. */
export interface ResourceSeed extends SeedOf<typeof resourceCreate> {}

/** A warrant, which grants a subject a relation to a resource. */
export interface WarrantSeed extends SeedOf<typeof seedWarrant, { subject: WarrantSubjectSeed }> {}

/** The subject of a relation. */
export interface WarrantSubjectSeed extends SeedOf<typeof warrantSubject> {}
