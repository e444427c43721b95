// Written by `npm run docs` from the seed descriptions of the rooms. Do not edit by hand.

import type { Duration } from '../emulator/world/clock.js';

import type { RelationDefinition } from '../service/fga.js';

/** Initial data of an emulator. Every section is optional. */
export interface Seed {
  /** API keys beside the emulator's own. */
  readonly api_keys?: readonly ApiKeySeed[] | null | undefined;
  /** Where users may be sent after they have signed in; the first is the default. */
  readonly redirect_uris?: readonly string[] | null | undefined;
  /** What goes wrong from the start. */
  readonly faults?: readonly FaultSeed[] | null | undefined;
  /** Roles of the environment, in order of priority, in place of the built-in ones; `member` is always there. */
  readonly roles?: readonly RoleSeed[] | null | undefined;
  /** Customers of the application. */
  readonly organizations?: readonly OrganizationSeed[] | null | undefined;
  /** Applications that sign users in through the service. */
  readonly connect_applications?: readonly ConnectApplicationSeed[] | null | undefined;
  /** People who can sign in. */
  readonly users?: readonly UserSeed[] | null | undefined;
  /** Links of organizations to their identity providers. */
  readonly connections?: readonly ConnectionSeed[] | null | undefined;
  /** Who belongs to which organization. */
  readonly memberships?: readonly MembershipSeed[] | null | undefined;
  /** Invitations that wait; no mail was sent. */
  readonly invitations?: readonly InvitationSeed[] | null | undefined;
  /** Directories of organizations. */
  readonly directories?: readonly DirectorySeed[] | null | undefined;
  /** Addresses to which events are delivered. */
  readonly webhook_endpoints?: readonly WebhookEndpointSeed[] | null | undefined;
  /** Kinds of audit events. */
  readonly audit_log_actions?: readonly AuditLogActionSeed[] | null | undefined;
  /** Types of resources with their relations. They may name each other in any order. */
  readonly resource_types?: readonly ResourceTypeSeed[] | null | undefined;
  /** Things that access is decided about. */
  readonly resources?: readonly ResourceSeed[] | null | undefined;
  /** Who has which relation to what. */
  readonly warrants?: readonly WarrantSeed[] | null | undefined;
  /** Claims that access tokens carry beside the service's own. Texts may hold placeholders of user, organization and organization_membership, `{{ organization.metadata.plan || 'free' }}`; one that stands alone becomes the value itself. */
  readonly custom_claims?: Readonly<Record<string, unknown>> | null | undefined;
  /** What the hosted pages call the application; the option `application_name` comes before it. */
  readonly application_name?: string | null | undefined;
  /** The JSON schema for editors; the emulator ignores it. */
  readonly $schema?: string | undefined;
}

/** An API key that the emulator accepts. */
export interface ApiKeySeed {
  /** The key itself, prefix `sk_`. */
  readonly value: string;
  /** What it is for. */
  readonly name?: string | undefined;
  /** Requests it may not make, such as `DELETE /organizations/*`; they get 403. A star matches any text. */
  readonly deny?: readonly string[] | undefined;
}

/** Something that goes wrong, on purpose. */
export interface FaultSeed {
  /** What goes wrong: `answers` to requests (default), `events` that become visible, `webhooks` that are delivered. */
  readonly of?: 'answers' | 'events' | 'webhooks' | undefined;
  /** Operation whose answers go wrong, by its id, `organizations.create`, or by the method of the client, `organizations.createOrganization`; by default all of them. */
  readonly operation?: string | undefined;
  /** Path of the requests, pages included; a star stands for any text: `/organizations/*`, `/user_management/authorize`. */
  readonly path?: string | undefined;
  /** Type of the events or webhooks, such as `dsync.user.updated`; by default all of them. */
  readonly event?: string | undefined;
  /** The share that goes wrong, above 0 to 1: with 0.25 every fourth does. All of them by default. */
  readonly share?: number | undefined;
  /** How often a webhook is delivered; default 1. */
  readonly copies?: number | undefined;
  /** How many times; a fault without it stays until it is removed. */
  readonly times?: number | undefined;
  /** Status of the answers, 400 to 599; default 503, unless something else says what goes wrong. */
  readonly status?: number | undefined;
  /** Code in the answers; default `planned_failure`. */
  readonly code?: string | undefined;
  /** `Retry-After` of the answers, in seconds. */
  readonly retry_after_seconds?: number | undefined;
  /** The answers, deliveries or events come so much later by the emulator's clock: `5s`, `250ms`, or milliseconds. That is real time while the clock runs; while it stands, until it is moved. */
  readonly delay?: Duration | undefined;
  /** No answer comes at all; whoever waits has to give up. */
  readonly never?: boolean | undefined;
  /** The connection breaks: before the answer (`reset`), or in the middle of its body (`cut`). */
  readonly connection?: 'reset' | 'cut' | undefined;
  /** The answer's body ends too early (`truncated`), is a page of HTML as a proxy writes it (`html`), or is missing (`empty`). */
  readonly body?: 'truncated' | 'html' | 'empty' | undefined;
  /** `Content-Type` of the answer, whatever its body is. */
  readonly content_type?: string | undefined;
  /** The body comes in pieces, the last of them so much later by the emulator's clock: `30s`. */
  readonly drip?: Duration | undefined;
  /** Whether the requests are carried out all the same, so that only the answers are lost; by default where the answer is the real one. */
  readonly carried_out?: boolean | undefined;
}

/** A role; those that come first come first. */
export interface RoleSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Name used in requests and tokens, `admin`. */
  readonly slug: string;
  /** Descriptive name; the slug with a capital when not given. */
  readonly name?: string | undefined;
  /** What the role is for. */
  readonly description?: string | null | undefined;
  /** Slugs of the permissions it grants. */
  readonly permissions?: readonly string[] | null | undefined;
}

/** An organization with its domains and roles. */
export interface OrganizationSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Descriptive name; need not be unique. */
  readonly name: string;
  /** Whether profiles may have an email outside the organization's domains; default false. */
  readonly allow_profiles_outside_organization?: boolean | undefined;
  /** Email domains and whether you have verified them. */
  readonly domain_data?: readonly DomainSeed[] | undefined;
  /** Your own id for the organization; must be unique. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs; keys are never renamed. An update adds to the existing pairs; null removes a pair. */
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
  /** @deprecated Use `domain_data`. These domains all start as pending. */
  readonly domains?: readonly string[] | undefined;
  /** Your reference in an external billing system. */
  readonly billing_customer_id?: string | null | undefined;
  /** `billing_customer_id` in another dialect. */
  readonly stripe_customer_id?: string | null | undefined;
  /** Days that its audit events are kept; 30 when not given, or in a dialect that has null for what is not set, for ever. */
  readonly retention_period_in_days?: 30 | 365 | null | undefined;
  /** Roles that it alone has. */
  readonly roles?: readonly RoleSeed[] | null | undefined;
  /** How people with an address in one of its verified domains have to sign in. */
  readonly authentication_policy?: AuthenticationPolicySeed | null | undefined;
  /** Slugs of what it has paid for: `entitlements` of its members' access tokens. */
  readonly entitlements?: readonly string[] | null | undefined;
  /** Slugs of the features that are on: `feature_flags` of its members' access tokens. */
  readonly feature_flags?: readonly string[] | null | undefined;
}

/** A domain of an organization. */
export interface DomainSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Email domain. */
  readonly domain: string;
  /** Verification state; set `verified` only with proof of ownership. */
  readonly state: 'pending' | 'verified';
}

/** A policy to set; what is left out is not demanded. */
export interface AuthenticationPolicySeed {
  /** Only SSO by one of the organization's connections will do. */
  readonly sso_required?: boolean | undefined;
  /** The methods that will do beside SSO; those left out will not. All when not given. */
  readonly auth_methods?: AuthMethodsSeed | undefined;
  /** A second factor has to be proven, except after SSO; for every session in the organization, whatever the address. */
  readonly mfa_required?: boolean | undefined;
}

/** The methods of signing in that will do beside SSO; those left out will not. */
export interface AuthMethodsSeed {
  /** A password. */
  readonly password?: boolean | undefined;
  /** A one-time code by email. */
  readonly magic_auth?: boolean | undefined;
  /** An account at Google. */
  readonly google_oauth?: boolean | undefined;
  /** An account at Microsoft. */
  readonly microsoft_oauth?: boolean | undefined;
  /** An account at GitHub. */
  readonly github_oauth?: boolean | undefined;
}

/** An application to make. */
export interface ConnectApplicationSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Descriptive name. */
  readonly name: string;
  /** The application's public id in OAuth requests; a new one when not given. */
  readonly client_id?: string | undefined;
  /** What the application is for. */
  readonly description?: string | null | undefined;
  /** Kind of application; `oauth` when not given. */
  readonly application_type?: string | undefined;
  /** Where the application receives its users. */
  readonly redirect_uris?: readonly ConnectApplicationRedirectUriSeed[] | undefined;
  /** Whether the application proves itself by PKCE; `false` when not given. */
  readonly uses_pkce?: boolean | undefined;
  /** Whether it is one of your own; `true` when not given. */
  readonly is_first_party?: boolean | undefined;
  /** Scopes it may ask for. */
  readonly scopes?: readonly string[] | undefined;
}

/** A redirect URI of an application. */
export interface ConnectApplicationRedirectUriSeed {
  /** URL that the user goes to after consent. */
  readonly uri: string;
  /** Whether requests without a redirect URI use this one. */
  readonly default: boolean;
}

/** A user with what belongs to one. */
export interface UserSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** The user's email address. */
  readonly email: string;
  /** Given name. */
  readonly first_name?: string | null | undefined;
  /** Family name. */
  readonly last_name?: string | null | undefined;
  /** Whether you have verified that the email address belongs to the user. */
  readonly email_verified?: boolean | undefined;
  /** Your own id for the user; must be unique. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs; keys are never renamed. An update adds to the existing pairs; null removes a pair. */
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
  /** Password in plain text; pass either this or `password_hash`. */
  readonly password?: string | undefined;
  /** Password hash from another system; pass either this or `password`. */
  readonly password_hash?: string | undefined;
  /** Algorithm of `password_hash`; required with it. */
  readonly password_hash_type?:
    | 'argon2'
    | 'bcrypt'
    | 'firebase-scrypt'
    | 'pbkdf2'
    | 'scrypt'
    | 'ssha'
    | 'ssha256'
    | (string & {})
    | undefined;
  /** Language and region, `en-US`. */
  readonly locale?: string | null | undefined;
  /** Where a picture of the user is. */
  readonly profile_picture_url?: string | null | undefined;
  /** When the user last signed in. */
  readonly last_sign_in_at?: string | null | undefined;
  /** Accounts at other providers, linked to the user. */
  readonly identities?: readonly IdentitySeed[] | null | undefined;
  /** Applications to which the user has given access. */
  readonly authorized_applications?: readonly AuthorizationSeed[] | null | undefined;
  /** The user's second factors. */
  readonly auth_factors?: readonly FactorSeed[] | null | undefined;
  /** Slugs of the features that are on for this user, beside those of the organization. */
  readonly feature_flags?: readonly string[] | null | undefined;
}

/** An account at another provider, linked to a user. */
export interface IdentitySeed {
  /** The user's id at the provider. */
  readonly idp_id: string;
  /** The provider, `GoogleOAuth`. */
  readonly provider: string;
  /** Protocol; `OAuth` when not given. */
  readonly type?: 'OAuth' | (string & {}) | undefined;
}

/** The access that a user has given to an application. */
export interface AuthorizationSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Id or client id of the application. */
  readonly application_id: string;
  /** Scopes the user agrees to; all the scopes of the application when not given. */
  readonly granted_scopes?: readonly string[] | undefined;
  /** Resource the access is for. */
  readonly oauth_resource?: string | null | undefined;
}

/** An authenticator app or a telephone of a user. */
export interface FactorSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** An authenticator app, or a telephone that gets text messages. */
  readonly type: 'totp' | 'sms';
  /** Name of your application, as the authenticator shows it; default: the name of your team. */
  readonly totp_issuer?: string | undefined;
  /** Name of the user, as the authenticator shows it; default: the user's email. */
  readonly totp_user?: string | undefined;
  /** The authenticator's secret in base 32; a new one when not given. */
  readonly totp_secret?: string | undefined;
  /** Where text messages go, for a factor of type `sms`. */
  readonly phone_number?: string | undefined;
}

/** A connection with the people who can sign in by it. */
export interface ConnectionSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Provider and protocol, `OktaSAML`. */
  readonly connection_type:
    | 'ADFSSAML'
    | 'AdpOidc'
    | 'AppleOAuth'
    | 'Auth0Migration'
    | 'Auth0SAML'
    | 'AzureSAML'
    | 'BitbucketOAuth'
    | 'CasSAML'
    | 'ClassLinkSAML'
    | 'CleverOIDC'
    | 'CloudflareSAML'
    | 'CyberArkSAML'
    | 'DiscordOAuth'
    | 'DuoSAML'
    | 'EntraIdOIDC'
    | 'GenericOIDC'
    | 'GenericSAML'
    | 'GitHubOAuth'
    | 'GitLabOAuth'
    | 'GoogleOAuth'
    | 'GoogleOIDC'
    | 'GoogleSAML'
    | 'IntuitOAuth'
    | 'JumpCloudSAML'
    | 'KeycloakSAML'
    | 'LastPassSAML'
    | 'LinkedInOAuth'
    | 'LoginGovOidc'
    | 'MagicLink'
    | 'MicrosoftOAuth'
    | 'MiniOrangeSAML'
    | 'NetIqSAML'
    | 'OktaOIDC'
    | 'OktaSAML'
    | 'OneLoginSAML'
    | 'OracleSAML'
    | 'Pending'
    | 'PingFederateSAML'
    | 'PingOneSAML'
    | 'RipplingSAML'
    | 'SalesforceOAuth'
    | 'SalesforceSAML'
    | 'ShibbolethGenericSAML'
    | 'ShibbolethSAML'
    | 'SimpleSamlPhpSAML'
    | 'SlackOAuth'
    | 'TestIdp'
    | 'VMwareSAML'
    | 'VercelMarketplaceOAuth'
    | 'VercelOAuth'
    | 'XeroOAuth'
    | (string & {});
  /** Organization whose users sign in by it; none when not given. */
  readonly organization_id?: string | null | undefined;
  /** Descriptive name; the organization's when not given. */
  readonly name?: string | undefined;
  /** Users can sign in while it is `active`, as it is when not given. */
  readonly state?: 'active' | 'inactive' | 'draft' | 'requires_type' | 'validating' | 'deleting' | undefined;
  /** Email domains of its users; those of the organization when not given. */
  readonly domains?: readonly string[] | undefined;
  /** The people who can sign in by it. */
  readonly profiles?: readonly ProfileSeed[] | null | undefined;
}

/** Somebody who can sign in by a connection. */
export interface ProfileSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** The person's email address. */
  readonly email: string;
  /** The person's id at the identity provider; the email address when not given. */
  readonly idp_id?: string | undefined;
  /** Given name. */
  readonly first_name?: string | null | undefined;
  /** Family name. */
  readonly last_name?: string | null | undefined;
  /** Role that the identity provider's groups stand for. */
  readonly role?: RoleReferenceSeed | null | undefined;
  /** Groups the identity provider names. */
  readonly groups?: readonly string[] | undefined;
  /** Attributes mapped for the application; keys are never renamed. */
  readonly custom_attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Everything the identity provider sends; keys are never renamed. */
  readonly raw_attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** A reference to a role. */
export interface RoleReferenceSeed {
  /** Slug of the role. */
  readonly slug: string;
}

/** A membership to make. */
export interface MembershipSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Id of the user to add, prefix `user_`. */
  readonly user_id: string;
  /** Id of the organization, prefix `org_`. */
  readonly organization_id: string;
  /** Slug of the role; default `member`. */
  readonly role_slug?: string | undefined;
  /** Whether it counts already; `active` when not given. */
  readonly status?: 'active' | 'pending' | undefined;
}

/** An invitation to make. */
export interface InvitationSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Email address of the invited person, where the invitation is sent. */
  readonly email: string;
  /** Id of the organization to join, prefix `org_`. */
  readonly organization_id?: string | undefined;
  /** Days until the invitation expires, 1 to 30; default 7. */
  readonly expires_in_days?: number | undefined;
  /** Id of the inviting user, prefix `user_`; the email mentions their name. */
  readonly inviter_user_id?: string | undefined;
  /** Slug of the role to assign. */
  readonly role_slug?: string | undefined;
}

/** A directory with its groups and people. */
export interface DirectorySeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Descriptive name. */
  readonly name: string;
  /** Organization whose people are in it; none when not given. */
  readonly organization_id?: string | null | undefined;
  /** Email domain of the people in it; the organization's first when not given. */
  readonly domain?: string | null | undefined;
  /** Provider of the directory; `generic scim v2.0` when not given. */
  readonly type?:
    | 'azure scim v2.0'
    | 'bamboohr'
    | 'breathe hr'
    | 'cezanne hr'
    | 'cyberark scim v2.0'
    | 'fourth hr'
    | 'generic scim v2.0'
    | 'gsuite directory'
    | 'hibob'
    | 'jump cloud scim v2.0'
    | 'okta scim v2.0'
    | 'onelogin scim v2.0'
    | 'people hr'
    | 'personio'
    | 'pingfederate scim v2.0'
    | 'rippling scim v2.0'
    | 'sftp'
    | 'sftp workday'
    | 'workday'
    | (string & {})
    | undefined;
  /** Whether it is connected; `linked` when not given. */
  readonly state?: 'linked' | 'unlinked' | 'validating' | 'invalid_credentials' | 'deleting' | undefined;
  /** Key under which the provider reaches the directory; a new one when not given. */
  readonly external_key?: string | null | undefined;
  /** Key with which the service reads from the provider, where it needs one. */
  readonly api_key?: string | null | undefined;
  /** The customer's subdomain at the provider, where it has one. */
  readonly subdomain?: string | null | undefined;
  /** Address at which the provider and the service meet, where there is one. */
  readonly endpoint?: string | null | undefined;
  /** Name with which the service signs in at the provider, where it needs one. */
  readonly username?: string | null | undefined;
  /** Its groups. */
  readonly groups?: readonly DirectoryGroupSeed[] | null | undefined;
  /** The people in it. */
  readonly users?: readonly DirectoryUserSeed[] | null | undefined;
}

/** A group in a directory. */
export interface DirectoryGroupSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Name at the provider. */
  readonly name: string;
  /** The group's id at the provider; made up when not given. */
  readonly idp_id?: string | undefined;
  /** What the provider sends; keys are never renamed. */
  readonly raw_attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** A person in a directory. */
export interface DirectoryUserSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** The person's id at the provider; made up when not given. */
  readonly idp_id?: string | undefined;
  /** Main email address; the primary or first of `emails` when not given. */
  readonly email?: string | null | undefined;
  /** Every email address; only `email` when not given. */
  readonly emails?: readonly DirectoryUserEmailSeed[] | undefined;
  /** Given name. */
  readonly first_name?: string | null | undefined;
  /** Family name. */
  readonly last_name?: string | null | undefined;
  /** Name the person signs in with; the email address when not given. */
  readonly username?: string | null | undefined;
  /** Job title. */
  readonly job_title?: string | null | undefined;
  /** Whether the provider considers the person active; `active` when not given. */
  readonly state?: 'active' | 'inactive' | 'suspended' | undefined;
  /** Role by its slug. */
  readonly role?: RoleReferenceSeed | null | undefined;
  /** Attributes mapped for the application; keys are never renamed. */
  readonly custom_attributes?: Readonly<Record<string, unknown>> | undefined;
  /** What the provider sends; keys are never renamed. */
  readonly raw_attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Ids of groups of the same directory that the person is in. */
  readonly groups?: readonly string[] | undefined;
}

/** An email address of a directory user. */
export interface DirectoryUserEmailSeed {
  /** Whether this is the user's primary address. */
  readonly primary?: boolean | null | undefined;
  /** Type of address, such as `work`. */
  readonly type?: string | null | undefined;
  /** Email address. */
  readonly value?: string | null | undefined;
}

/** A webhook endpoint to make. */
export interface WebhookEndpointSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Where deliveries are sent. */
  readonly endpoint_url: string;
  /** Types of events to deliver; all when empty or not given. */
  readonly events?:
    | readonly (
        | 'agent.registration.claim.attempt.created'
        | 'agent.registration.claim.completed'
        | 'agent.registration.created'
        | 'agent.registration.credential.issued'
        | 'agent.registration.deleted'
        | 'agent.registration.expired'
        | 'agent.registration.organization.switched'
        | 'agent.registration.refreshed'
        | 'agent.registration.revoked'
        | 'api_key.created'
        | 'api_key.revoked'
        | 'api_key.updated'
        | 'authentication.email_verification_succeeded'
        | 'authentication.magic_auth_failed'
        | 'authentication.magic_auth_succeeded'
        | 'authentication.mfa_succeeded'
        | 'authentication.oauth_failed'
        | 'authentication.oauth_succeeded'
        | 'authentication.passkey_failed'
        | 'authentication.passkey_succeeded'
        | 'authentication.password_failed'
        | 'authentication.password_succeeded'
        | 'authentication.radar_risk_detected'
        | 'authentication.reauthentication_succeeded'
        | 'authentication.sso_failed'
        | 'authentication.sso_started'
        | 'authentication.sso_succeeded'
        | 'authentication.sso_timed_out'
        | 'connection.activated'
        | 'connection.deactivated'
        | 'connection.deleted'
        | 'connection.saml_certificate_renewal_required'
        | 'connection.saml_certificate_renewed'
        | 'dsync.activated'
        | 'dsync.deleted'
        | 'dsync.group.created'
        | 'dsync.group.deleted'
        | 'dsync.group.updated'
        | 'dsync.group.user_added'
        | 'dsync.group.user_removed'
        | 'dsync.user.created'
        | 'dsync.user.deleted'
        | 'dsync.user.updated'
        | 'email_verification.created'
        | 'flag.created'
        | 'flag.deleted'
        | 'flag.rule_updated'
        | 'flag.updated'
        | 'group.created'
        | 'group.deleted'
        | 'group.member_added'
        | 'group.member_removed'
        | 'group.updated'
        | 'invitation.accepted'
        | 'invitation.created'
        | 'invitation.resent'
        | 'invitation.revoked'
        | 'magic_auth.created'
        | 'organization.created'
        | 'organization.deleted'
        | 'organization.updated'
        | 'organization_domain.created'
        | 'organization_domain.deleted'
        | 'organization_domain.updated'
        | 'organization_domain.verification_failed'
        | 'organization_domain.verified'
        | 'organization_membership.created'
        | 'organization_membership.deleted'
        | 'organization_membership.updated'
        | 'organization_role.created'
        | 'organization_role.deleted'
        | 'organization_role.updated'
        | 'password_reset.created'
        | 'password_reset.succeeded'
        | 'permission.created'
        | 'permission.deleted'
        | 'permission.updated'
        | 'pipes.connected_account.connected'
        | 'pipes.connected_account.connection_failed'
        | 'pipes.connected_account.disconnected'
        | 'pipes.connected_account.reauthorization_needed'
        | 'radar.challenge_created'
        | 'role.created'
        | 'role.deleted'
        | 'role.updated'
        | 'session.created'
        | 'session.revoked'
        | 'user.created'
        | 'user.deleted'
        | 'user.updated'
        | 'waitlist_user.approved'
        | 'waitlist_user.created'
        | 'waitlist_user.denied'
        | (string & {})
      )[]
    | undefined;
  /** `disabled` to pause deliveries; `enabled` when not given. */
  readonly status?: 'enabled' | 'disabled' | undefined;
  /** What deliveries are signed with; made up when not given. */
  readonly secret?: string | undefined;
  /** How they are signed: as the service does it (default), or by the Standard Webhooks scheme. */
  readonly scheme?: 'service' | 'standard' | undefined;
}

/** A kind of audit event with its schema. */
export interface AuditLogActionSeed {
  /** The action, `invoice.viewed`. */
  readonly name: string;
  /** The form that its events have. */
  readonly schema: AuditLogSchemaSeed;
}

/** Parameters of `create_schema`, without the action. */
export interface AuditLogSchemaSeed {
  /** Schema for the actor. */
  readonly actor?: AuditLogSchemaActorSeed | undefined;
  /** Schemas for the targets, one per type. */
  readonly targets: readonly AuditLogSchemaTargetSeed[];
  /** JSON schema of the event's metadata. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Schema for the actor of an audit event. */
export interface AuditLogSchemaActorSeed {
  /** JSON schema of the actor's metadata; keys are never renamed. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Schema for one type of target of an audit event. */
export interface AuditLogSchemaTargetSeed {
  /** Type of target, such as `invoice`. */
  readonly type: string;
  /** JSON schema of the target's metadata; keys are never renamed. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A resource type and its relations. */
export interface ResourceTypeSeed {
  /** Name of the type, such as `report`. */
  readonly type: string;
  /** Relations of the type, by name. */
  readonly relations: Readonly<Record<string, RelationDefinition>>;
}

/** A resource to create. */
export interface ResourceSeed {
  /** Resource type, such as `report`. */
  readonly resource_type: string;
  /** Id in your application; default: generated by the service. */
  readonly resource_id?: string | undefined;
  /** Your metadata; keys are never renamed. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** The fact that a subject has a relation to a resource. */
export interface WarrantSeed {
  /** Type of the resource. */
  readonly resource_type: string;
  /** Id of the resource. */
  readonly resource_id: string;
  /** Relation, such as `editor`. */
  readonly relation: string;
  /** Subject of the relation. */
  readonly subject: WarrantSubjectSeed;
}

/** The subject of a relation. */
export interface WarrantSubjectSeed {
  /** Type of the subject, such as `user`. */
  readonly resource_type: string;
  /** Id of the subject in your application. */
  readonly resource_id: string;
  /** Relation to the subject, such as `member` of a group, if the warrant is for all who have that relation. Omit it for the subject itself. */
  readonly relation?: string | null | undefined;
}
