// Written by `npm run docs` from the seed descriptions of the rooms. Do not edit by hand.

import type { Duration } from '../emulator/world/clock.js';

import type { RelationDefinition } from '../service/fga.js';

/** Initial data of an emulator. Every section is optional. */
export interface Seed {
  /** API keys in addition to the emulator's own. */
  readonly api_keys?: readonly ApiKeySeed[] | null | undefined;
  /** Addresses that users may return to after signing in. The first is the default. */
  readonly redirect_uris?: readonly string[] | null | undefined;
  /** Faults that are active from the start. */
  readonly faults?: readonly FaultSeed[] | null | undefined;
  /** Roles of the environment, in order of priority. They replace the built-in ones, except `member`, which always exists. */
  readonly roles?: readonly RoleSeed[] | null | undefined;
  /** Organizations, the customers of the application. */
  readonly organizations?: readonly OrganizationSeed[] | null | undefined;
  /** OAuth applications that sign users in through the service. */
  readonly connect_applications?: readonly ConnectApplicationSeed[] | null | undefined;
  /** Users who can sign in. */
  readonly users?: readonly UserSeed[] | null | undefined;
  /** Connections to identity providers. */
  readonly connections?: readonly ConnectionSeed[] | null | undefined;
  /** Memberships of users in organizations. */
  readonly memberships?: readonly MembershipSeed[] | null | undefined;
  /** Pending invitations. No mail is sent. */
  readonly invitations?: readonly InvitationSeed[] | null | undefined;
  /** Directories of organizations. */
  readonly directories?: readonly DirectorySeed[] | null | undefined;
  /** Webhook endpoints that receive events. */
  readonly webhook_endpoints?: readonly WebhookEndpointSeed[] | null | undefined;
  /** Audit log actions. */
  readonly audit_log_actions?: readonly AuditLogActionSeed[] | null | undefined;
  /** Resource types with their relations. They can refer to each other in any order. */
  readonly resource_types?: readonly ResourceTypeSeed[] | null | undefined;
  /** Resources that subjects can have relations to. */
  readonly resources?: readonly ResourceSeed[] | null | undefined;
  /** Warrants, which grant subjects relations to resources. */
  readonly warrants?: readonly WarrantSeed[] | null | undefined;
  /** Custom claims of access tokens. Strings may contain placeholders for user, organization and organization_membership, such as `{{ organization.metadata.plan || 'free' }}`. A string that is only a placeholder becomes the value itself. */
  readonly custom_claims?: Readonly<Record<string, unknown>> | null | undefined;
  /** Name of the application on the hosted pages. The option `application_name` overrides it. */
  readonly application_name?: string | null | undefined;
  /** JSON schema for editors. The emulator ignores it. */
  readonly $schema?: string | undefined;
}

/** An API key that the emulator accepts. */
export interface ApiKeySeed {
  /** The key itself, prefix `sk_`. */
  readonly value: string;
  /** Name of the key, shown in the console and in events. */
  readonly name?: string | undefined;
  /** Requests it may not make, such as `DELETE /organizations/*`; they get 403. A star matches any text. */
  readonly deny?: readonly string[] | undefined;
}

/** A planned failure of responses, events or webhooks. */
export interface FaultSeed {
  /** What the fault applies to: `answers` to requests (default), `events` in lists, or deliveries of `webhooks`. */
  readonly of?: 'answers' | 'events' | 'webhooks' | undefined;
  /** Operation that fails: its id, such as `organizations.create`, or the client's method, such as `organizations.createOrganization`. Default: all operations. */
  readonly operation?: string | undefined;
  /** Path of the requests that fail, pages included: `/organizations/*`, `/user_management/authorize`. A star matches any text. */
  readonly path?: string | undefined;
  /** Type of the events or webhooks, such as `dsync.user.updated`; default all types. */
  readonly event?: string | undefined;
  /** Share of requests or events that fail, above 0 and at most 1: with 0.25, every fourth. Default 1. */
  readonly share?: number | undefined;
  /** Number of times each webhook is delivered; default 1. */
  readonly copies?: number | undefined;
  /** Number of times the fault happens; without limit by default. */
  readonly times?: number | undefined;
  /** Status of the response, 400 to 599; default 503, unless another field describes the failure. */
  readonly status?: number | undefined;
  /** Error code in the response; default `planned_failure`. */
  readonly code?: string | undefined;
  /** `Retry-After` of the response in milliseconds. The header has whole seconds, rounded up. */
  readonly retry_after_ms?: number | undefined;
  /** Delay of the responses, deliveries or events: `5s`, `250ms`, or milliseconds. It is measured by the emulator's clock: if you set that clock, advance it to end the delay. */
  readonly delay?: Duration | undefined;
  /** Whether the request is never answered, so that the caller has to time out. */
  readonly never?: boolean | undefined;
  /** Breaks the connection: before the response (`reset`), or in the middle of its body (`cut`). */
  readonly connection?: 'reset' | 'cut' | undefined;
  /** Replaces the body: cut short (`truncated`), an HTML error page like that of a proxy (`html`), or none (`empty`). */
  readonly body?: 'truncated' | 'html' | 'empty' | undefined;
  /** `Content-Type` of the response, even if its body is of another type. */
  readonly content_type?: string | undefined;
  /** Sends the body in pieces over this time, by the emulator's clock: `30s`. */
  readonly drip?: Duration | undefined;
  /** Whether the operation runs anyway, so that only its response is lost. Default: true if the real response is sent, late or broken. */
  readonly carried_out?: boolean | undefined;
}

/** A role. The order in the seed is the order of priority. */
export interface RoleSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Name in requests and tokens, such as `admin`. */
  readonly slug: string;
  /** Descriptive name; default the capitalized slug. */
  readonly name?: string | undefined;
  /** Purpose of the role. */
  readonly description?: string | null | undefined;
  /** Slugs of the permissions that the role grants. */
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
  /** Email domains and their state. */
  readonly domain_data?: readonly DomainSeed[] | undefined;
  /** Your own id for the organization; must be unique. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs; keys are never renamed. An update adds to the existing pairs; null removes a pair. */
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
  /** @deprecated Use `domain_data`. These domains all start as pending. */
  readonly domains?: readonly string[] | undefined;
  /** Id of the organization in an external billing system. */
  readonly billing_customer_id?: string | null | undefined;
  /** `billing_customer_id` in another dialect. */
  readonly stripe_customer_id?: string | null | undefined;
  /** Number of days to keep audit events. Default: 30, or unlimited in dialects that return null for absent fields. */
  readonly retention_period_in_days?: 30 | 365 | null | undefined;
  /** Roles of this organization only. */
  readonly roles?: readonly RoleSeed[] | null | undefined;
  /** How users with an address in one of its verified domains must sign in. */
  readonly authentication_policy?: AuthenticationPolicySeed | null | undefined;
  /** Entitlement slugs: `entitlements` in access tokens of its members. */
  readonly entitlements?: readonly string[] | null | undefined;
  /** Slugs of the enabled features: `feature_flags` in access tokens of its members. */
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

/** A policy to set. Fields left out require nothing. */
export interface AuthenticationPolicySeed {
  /** Allow only SSO through one of the organization's connections. */
  readonly sso_required?: boolean | undefined;
  /** Methods allowed besides SSO. Methods left out are not allowed. Default: all methods. */
  readonly auth_methods?: AuthMethodsSeed | undefined;
  /** Require a second factor, except after SSO. This also applies to users with other addresses whose session is in the organization. */
  readonly mfa_required?: boolean | undefined;
}

/** Methods allowed besides SSO. Methods left out are not allowed. */
export interface AuthMethodsSeed {
  /** A password. */
  readonly password?: boolean | undefined;
  /** A one-time code by email. */
  readonly magic_auth?: boolean | undefined;
  /** A Google account. */
  readonly google_oauth?: boolean | undefined;
  /** A Microsoft account. */
  readonly microsoft_oauth?: boolean | undefined;
  /** A GitHub account. */
  readonly github_oauth?: boolean | undefined;
}

/** The fields of a new application. */
export interface ConnectApplicationSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Descriptive name. */
  readonly name: string;
  /** Client id of the application in OAuth requests; generated by default. */
  readonly client_id?: string | undefined;
  /** Purpose of the application. */
  readonly description?: string | null | undefined;
  /** Kind of application; default `oauth`. */
  readonly application_type?: string | undefined;
  /** Addresses that users may return to after signing in. */
  readonly redirect_uris?: readonly ConnectApplicationRedirectUriSeed[] | undefined;
  /** Whether the application uses PKCE; default `false`. */
  readonly uses_pkce?: boolean | undefined;
  /** Whether the application belongs to you rather than a third party; default `true`. */
  readonly is_first_party?: boolean | undefined;
  /** Scopes that the application may request. */
  readonly scopes?: readonly string[] | undefined;
}

/** A redirect URI of an application. */
export interface ConnectApplicationRedirectUriSeed {
  /** URL that the user is redirected to after consent. */
  readonly uri: string;
  /** Whether requests without a redirect URI use this one. */
  readonly default: boolean;
}

/** A user, with identities and authorized applications. */
export interface UserSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** The user's email address. */
  readonly email: string;
  /** Full name, which does not change `first_name` and `last_name`. */
  readonly name?: string | null | undefined;
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
  /** Language and region, such as `en-US`. */
  readonly locale?: string | null | undefined;
  /** URL of the user's picture. */
  readonly profile_picture_url?: string | null | undefined;
  /** Time of the user's last sign-in. */
  readonly last_sign_in_at?: string | null | undefined;
  /** Provider accounts that are linked to the user. */
  readonly identities?: readonly IdentitySeed[] | null | undefined;
  /** Applications that the user has authorized. */
  readonly authorized_applications?: readonly AuthorizationSeed[] | null | undefined;
  /** The user's second factors. */
  readonly auth_factors?: readonly FactorSeed[] | null | undefined;
  /** Slugs of the features enabled for this user, in addition to those of the organization. */
  readonly feature_flags?: readonly string[] | null | undefined;
}

/** A provider account that is linked to a user. */
export interface IdentitySeed {
  /** Id of the user at the provider. */
  readonly idp_id: string;
  /** Provider, such as `GoogleOAuth`. */
  readonly provider: string;
  /** Protocol; default `OAuth`. */
  readonly type?: 'OAuth' | (string & {}) | undefined;
}

/** The access that a user has granted to an application. */
export interface AuthorizationSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Id or client id of the application. */
  readonly application_id: string;
  /** Scopes that the user grants; by default all scopes of the application. */
  readonly granted_scopes?: readonly string[] | undefined;
  /** OAuth resource that the access is for. */
  readonly oauth_resource?: string | null | undefined;
}

/** An authenticator app or a phone of a user. */
export interface FactorSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** `totp` for an authenticator app, `sms` for text messages. */
  readonly type: 'totp' | 'sms';
  /** Application name that the authenticator app shows; default: the name of your team. */
  readonly totp_issuer?: string | undefined;
  /** User name that the authenticator app shows; default: the user's email address. */
  readonly totp_user?: string | undefined;
  /** Secret of the authenticator app in base 32; generated by default. */
  readonly totp_secret?: string | undefined;
  /** Phone number for a factor of type `sms`, with its country code. */
  readonly phone_number?: string | undefined;
}

/** A connection and the users who can sign in with it. */
export interface ConnectionSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Provider and protocol, such as `OktaSAML`. */
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
  /** Organization whose users sign in with the connection; none by default. */
  readonly organization_id?: string | null | undefined;
  /** Descriptive name; by default the name of the organization. */
  readonly name?: string | undefined;
  /** State; default `active`. Users can sign in only with an active connection. */
  readonly state?: 'active' | 'inactive' | 'draft' | 'requires_type' | 'validating' | 'deleting' | undefined;
  /** Email domains of the users; by default those of the organization. */
  readonly domains?: readonly string[] | undefined;
  /** Users who can sign in with the connection. */
  readonly profiles?: readonly ProfileSeed[] | null | undefined;
}

/** A user who can sign in with a connection. */
export interface ProfileSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Email address of the user. */
  readonly email: string;
  /** Id of the user at the identity provider; default the email address. */
  readonly idp_id?: string | undefined;
  /** Given name. */
  readonly first_name?: string | null | undefined;
  /** Family name. */
  readonly last_name?: string | null | undefined;
  /** Role mapped from the groups at the identity provider. */
  readonly role?: RoleReferenceSeed | null | undefined;
  /** Groups of the user at the identity provider. */
  readonly groups?: readonly string[] | undefined;
  /** Attributes mapped for the application. Keys are never renamed. */
  readonly custom_attributes?: Readonly<Record<string, unknown>> | undefined;
  /** All attributes from the identity provider. Keys are never renamed. */
  readonly raw_attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** A reference to a role. */
export interface RoleReferenceSeed {
  /** Slug of the role. */
  readonly slug: string;
}

/** The fields of a new membership. */
export interface MembershipSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Id of the user to add, prefix `user_`. */
  readonly user_id: string;
  /** Id of the organization, prefix `org_`. */
  readonly organization_id: string;
  /** Slug of the role; default `member`. Pass either this or `role_slugs`. */
  readonly role_slug?: string | undefined;
  /** Slugs of all roles, if the service allows several. */
  readonly role_slugs?: readonly string[] | undefined;
  /** State; default `active`. */
  readonly status?: 'active' | 'pending' | undefined;
}

/** The fields of a new invitation. */
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

/** A directory with its groups and users. */
export interface DirectorySeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Descriptive name. */
  readonly name: string;
  /** Organization that the directory belongs to; none by default. */
  readonly organization_id?: string | null | undefined;
  /** Email domain of the users; by default the first domain of the organization. */
  readonly domain?: string | null | undefined;
  /** Provider; default `generic scim v2.0`. */
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
  /** Connection state; default `linked`. */
  readonly state?: 'linked' | 'unlinked' | 'validating' | 'invalid_credentials' | 'deleting' | undefined;
  /** Key for the provider's access to the directory; generated by default. */
  readonly external_key?: string | null | undefined;
  /** Key for the service's access to the provider, if it needs one. */
  readonly api_key?: string | null | undefined;
  /** The customer's subdomain at the provider, if any. */
  readonly subdomain?: string | null | undefined;
  /** Endpoint between the provider and the service, if any. */
  readonly endpoint?: string | null | undefined;
  /** User name of the service at the provider, if it needs one. */
  readonly username?: string | null | undefined;
  /** Groups of the directory. */
  readonly groups?: readonly DirectoryGroupSeed[] | null | undefined;
  /** Users of the directory. */
  readonly users?: readonly DirectoryUserSeed[] | null | undefined;
}

/** A group in a directory. */
export interface DirectoryGroupSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Name at the provider. */
  readonly name: string;
  /** Id of the group at the provider; generated by default. */
  readonly idp_id?: string | undefined;
  /** All attributes from the provider. Keys are never renamed. */
  readonly raw_attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** A user in a directory. */
export interface DirectoryUserSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** Id of the user at the provider; generated by default. */
  readonly idp_id?: string | undefined;
  /** Main email address. Default: the primary entry of `emails`, or the first one. */
  readonly email?: string | null | undefined;
  /** All email addresses. Default: only `email`. */
  readonly emails?: readonly DirectoryUserEmailSeed[] | undefined;
  /** Given name. */
  readonly first_name?: string | null | undefined;
  /** Family name. */
  readonly last_name?: string | null | undefined;
  /** User name at the provider; default the email address. */
  readonly username?: string | null | undefined;
  /** Job title. */
  readonly job_title?: string | null | undefined;
  /** State at the provider; default `active`. */
  readonly state?: 'active' | 'inactive' | 'suspended' | undefined;
  /** Role, by slug. */
  readonly role?: RoleReferenceSeed | null | undefined;
  /** Attributes mapped for the application. Keys are never renamed. */
  readonly custom_attributes?: Readonly<Record<string, unknown>> | undefined;
  /** All attributes from the provider. Keys are never renamed. */
  readonly raw_attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Ids of the user's groups, which must be in the same directory. */
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

/** The fields of a new webhook endpoint. */
export interface WebhookEndpointSeed {
  /** Id of the new object; generated by default. */
  readonly id?: string | undefined;
  /** URL of the receiver. */
  readonly endpoint_url: string;
  /** Event types to deliver; all if empty or omitted. */
  readonly events?:
    | readonly (
        | 'agent.blueprint.created'
        | 'agent.blueprint.deleted'
        | 'agent.blueprint.updated'
        | 'agent.instance.created'
        | 'agent.instance.deleted'
        | 'agent.instance.session.created'
        | 'agent.instance.session.revoked'
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
        | 'pipes.account_connection.add_failed'
        | 'pipes.account_connection.connected'
        | 'pipes.account_connection.connection_failed'
        | 'pipes.account_connection.disconnected'
        | 'pipes.account_connection.reauthorization_needed'
        | 'pipes.connected_account.connected'
        | 'pipes.connected_account.connection_failed'
        | 'pipes.connected_account.disconnected'
        | 'pipes.connected_account.reauthorization_needed'
        | 'radar.challenge_created'
        | 'resource_export.completed'
        | 'resource_export.created'
        | 'resource_export.downloaded'
        | 'resource_export.failed'
        | 'role.created'
        | 'role.deleted'
        | 'role.updated'
        | 'session.created'
        | 'session.reauthenticated'
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
  /** `enabled` (default), or `disabled` to deliver nothing. */
  readonly status?: 'enabled' | 'disabled' | undefined;
  /** Secret for signing deliveries; generated by default. */
  readonly secret?: string | undefined;
}

/** An audit log action and its schema. */
export interface AuditLogActionSeed {
  /** Name of the action, such as `invoice.viewed`. */
  readonly name: string;
  /** Schema that its events must match. */
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

/** A warrant, which grants a subject a relation to a resource. */
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
  /** Relation to the subject, such as `member` of a group, if the warrant is for all subjects with that relation. Omit it for the subject itself. */
  readonly relation?: string | null | undefined;
}
