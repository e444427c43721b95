/**
 * The resources of the service and their fields: a transcription of the service's specification ("Resources and their
 * fields", the reply shapes under "Endpoints" and "Errors"), kept by hand, never generated from `src/service`.
 *
 * An inline object that the specification leaves unnamed is named by us, e.g. `role_reference`.
 */

import type { SpecifiedResource } from './format.js';

/** One table for both: inside a connection only the value of `object` differs. The shortest form has id, object, domain. */
const organizationDomain: SpecifiedResource = {
  object: 'string',
  id: 'string',
  organization_id: 'string?',
  domain: 'string',
  state: 'string?',
  verification_strategy: 'string?',
  verification_token: 'string?',
};

export const resources: Readonly<Record<string, SpecifiedResource>> = {
  // Organizations
  organization: {
    object: 'string',
    id: 'string',
    name: 'string',
    allow_profiles_outside_organization: 'boolean',
    domains: 'organization_domain[]',
    billing_customer_id: 'string?',
    external_id: 'string?|null', // null: D-118
    metadata: 'labels?',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  organization_domain: organizationDomain,
  audit_logs_retention: {
    retention_period_in_days: 'integer|null', // null: D-98
  },
  role: {
    object: 'string',
    id: 'string',
    name: 'string',
    slug: 'string',
    description: 'string',
    permissions: 'string[]?',
    type: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  role_reference: { slug: 'string' },

  // Users
  user: {
    object: 'string',
    id: 'string',
    email: 'string',
    first_name: 'string|null', // null: D-118
    last_name: 'string|null', // null: D-118
    email_verified: 'boolean',
    profile_picture_url: 'string?|null', // null: D-118
    external_id: 'string?|null', // null: D-118
    metadata: 'labels?',
    last_sign_in_at: 'timestamp?|null', // null: D-118
    locale: 'string?|null', // null: D-118
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  user_response: { user: 'user' },
  email_change: { object: 'string', user: 'user' },
  email_change_confirmation: { object: 'string', user: 'user' },
  identity: { idp_id: 'string', type: 'string', provider: 'string' },
  authorized_connect_application: {
    object: 'string',
    id: 'string',
    granted_scopes: 'string[]',
    oauth_resource: 'string',
    application: 'connect_application',
  },
  connect_application: {
    application_type: 'string',
    redirect_uris: 'connect_application_redirect_uri[]',
    uses_pkce: 'boolean',
    is_first_party: 'boolean',
    object: 'string',
    id: 'string',
    client_id: 'string',
    description: 'string',
    name: 'string',
    scopes: 'string[]',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  connect_application_redirect_uri: { uri: 'string', default: 'boolean' },
  organization_membership: {
    object: 'string',
    id: 'string',
    user_id: 'string',
    organization_id: 'string',
    role: 'role_reference',
    status: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  invitation: {
    object: 'string',
    id: 'string',
    email: 'string',
    state: 'string',
    accepted_at: 'timestamp|null',
    revoked_at: 'timestamp|null',
    expires_at: 'timestamp',
    token: 'string',
    organization_id: 'string|null', // null: an invitation may name no organization, and no value is null by D-118
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },

  // Signing in
  authentication_response: {
    user: 'user',
    organization_id: 'string?|null', // a user may belong to no organization
    access_token: 'string',
    refresh_token: 'string',
    impersonator: 'impersonator?',
  },
  /** The earlier form of the answer to a one-time code. */
  legacy_magic_auth_response: { user: 'user', organization_id: 'string?|null' },
  impersonator: { email: 'string', reason: 'string' },
  organization_choice: { id: 'string', name: 'string' },

  // Multi-factor
  authentication_factor: {
    object: 'string',
    id: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
    type: 'string',
    totp: 'totp?',
    userId: 'string?',
  },
  totp: { qr_code: 'string', secret: 'string', uri: 'string', issuer: 'string?', user: 'string?' },
  authentication_challenge: {
    object: 'string',
    id: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
    expires_at: 'timestamp?',
    authentication_factor_id: 'string',
  },
  factor_enrollment_response: {
    authentication_factor: 'authentication_factor',
    authentication_challenge: 'authentication_challenge',
  },
  challenge_verification_response: { challenge: 'authentication_challenge', valid: 'boolean' },
  factor_choice: { id: 'string', type: 'string' }, // D-41

  // Single sign-on
  profile: {
    object: 'string',
    id: 'string',
    connection_id: 'string',
    connection_type: 'string',
    organization_id: 'string',
    email: 'string',
    first_name: 'string|null', // null: D-114
    last_name: 'string|null', // null: D-114
    idp_id: 'string',
    role: 'role_reference?', // a role can be assigned: D-114
    custom_attributes: 'object',
    raw_attributes: 'object',
  },
  profile_and_token_response: { access_token: 'string', profile: 'profile' },
  connection: {
    object: 'string',
    id: 'string',
    organization_id: 'string',
    connection_type: 'string',
    name: 'string',
    state: 'string',
    domains: 'connection_domain[]',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  connection_domain: organizationDomain,

  // Directory sync
  directory: {
    id: 'string',
    domain: 'string',
    name: 'string',
    organization_id: 'string',
    state: 'string',
    type: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  directory_user: {
    object: 'string',
    id: 'string',
    idp_id: 'string',
    directory_id: 'string',
    organization_id: 'string',
    first_name: 'string|null', // null: D-118
    last_name: 'string|null', // null: D-118
    email: 'string',
    emails: 'directory_user_email[]',
    username: 'string',
    job_title: 'string',
    groups: 'directory_group[]',
    state: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
    custom_attributes: 'object',
    raw_attributes: 'object',
    role: 'role_reference?', // a role can be assigned
  },
  directory_user_email: { primary: 'boolean', type: 'string', value: 'string' },
  directory_group: {
    id: 'string',
    idp_id: 'string',
    directory_id: 'string',
    organization_id: 'string',
    name: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
    raw_attributes: 'object',
  },
  /** Payload of `dsync.group.user_added`. */
  directory_group_user: { user: 'directory_user', group: 'directory_group' },

  // Events and webhook endpoints
  event: {
    object: 'string',
    id: 'string',
    event: 'string',
    data: 'object',
    created_at: 'timestamp',
    context: 'object?', // may be absent: D-122
  },
  webhook_endpoint: {
    object: 'string',
    id: 'string',
    endpoint_url: 'string',
    secret: 'string',
    status: 'string',
    events: 'string[]',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },

  // Audit logs
  audit_log_schema: {
    object: 'string',
    version: 'integer',
    actor: 'audit_log_schema_actor',
    targets: 'audit_log_schema_target[]',
    metadata: 'object?',
    created_at: 'timestamp?', // "created_at or updated_at"
    updated_at: 'timestamp?',
  },
  audit_log_schema_actor: { metadata: 'object' },
  audit_log_schema_target: { type: 'string', metadata: 'object?' },
  audit_log_action: {
    object: 'string',
    name: 'string',
    schema: 'audit_log_schema',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  audit_log_export: {
    object: 'string',
    id: 'string',
    state: 'string',
    url: 'string?',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },

  // Admin portal
  portal_link: { link: 'string' }, // D-99

  // Passwordless sessions, deprecated
  passwordless_session: { object: 'string', id: 'string', email: 'string', expires_at: 'timestamp', link: 'string' },
  success: { success: 'boolean' },

  // Fine-grained authorization
  resource_type: { type: 'string', relations: 'object' },
  /** A value of `relations`. */
  relation_definition: {
    inherit_if: 'string?',
    rules: 'relation_definition[]?',
    of_type: 'string?',
    with_relation: 'string?',
    allowed_types: 'string[]?',
  },
  resource: { resource_type: 'string', resource_id: 'string', meta: 'object?' },
  resource_batch: { data: 'resource[]' }, // D-101
  warrant: { resource_type: 'string', resource_id: 'string', relation: 'string', subject: 'warrant_subject' },
  warrant_subject: { resource_type: 'string', resource_id: 'string' },
  warrant_token: { warrant_token: 'string' }, // D-101

  // Earlier interfaces
  legacy_profile: {
    identity_provider: 'string',
    idp_id: 'string',
    first_name: 'string',
    last_name: 'string',
    email: 'string',
    id: 'string',
    object: 'string',
    workos_id: 'string',
  },
  scim_directory_user: {
    id: 'string',
    first_name: 'string',
    last_name: 'string',
    username: 'string',
    emails: 'directory_user_email[]',
    raw_attributes: 'object',
  },
  scim_directory_group: { id: 'string', name: 'string' },
  audit_trail_event: {
    id: 'string?',
    group: 'string',
    location: 'string',
    action: 'string',
    action_type: 'string',
    actor_name: 'string',
    actor_id: 'string',
    target_name: 'string',
    target_id: 'string',
    metadata: 'object?',
    occurred_at: 'timestamp',
  },
};

/** Bodies of the errors that steer a sign-in, by the error's code. */
export const flowErrors: Readonly<Record<string, SpecifiedResource>> = {
  organization_selection_required: {
    code: 'string',
    message: 'string',
    pending_authentication_token: 'string',
    organizations: 'organization_choice[]',
    user: 'user',
  },
  sso_required: {
    error: 'string',
    error_description: 'string',
    email: 'string',
    connection_ids: 'string[]',
    pending_authentication_token: 'string|null',
  },
  organization_authentication_methods_required: {
    error: 'string',
    error_description: 'string',
    email: 'string',
    sso_connection_ids: 'string[]',
    auth_methods: 'object', // booleans, three of the names are not shown: D-44
  },
  // D-40
  email_verification_required: {
    code: 'string',
    message: 'string',
    pending_authentication_token: 'string',
    email: 'string',
    email_verification_id: 'string',
  },
  // D-41
  mfa_challenge: {
    code: 'string',
    message: 'string',
    pending_authentication_token: 'string',
    authentication_factors: 'factor_choice[]',
    authentication_challenge: 'authentication_challenge?',
    user: 'user',
  },
  // D-41
  mfa_enrollment: {
    code: 'string',
    message: 'string',
    pending_authentication_token: 'string',
    user: 'user',
  },
};
