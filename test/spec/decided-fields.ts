/**
 * Fields that the specification does not name and that the project settled for, by resource. Kept by hand next to the
 * transcription of the service's specification, never generated from `src/service`.
 *
 * Each may be absent from a reply: a model may carry it, and nothing may depend on it.
 */

import type { SpecifiedResource } from './format.js';

export const decidedFields: Readonly<Record<string, SpecifiedResource>> = {
  organization_domain: {
    verification_prefix: 'string?', // D-74
    created_at: 'timestamp?', // the public schema has both
    updated_at: 'timestamp?',
  },
  connection_domain: {
    verification_prefix: 'string?', // the same model as organization_domain
    created_at: 'timestamp?', // the same model as organization_domain; no deployment is known to send them here
    updated_at: 'timestamp?',
  },
  role: {
    resource_type_slug: 'string?', // D-81
  },
  email_change: {
    new_email: 'string?', // D-107
    expires_at: 'timestamp?', // D-107
    created_at: 'timestamp?', // D-107
  },
  // Fields of the public service, which only some deployments send.
  user: {
    name: 'string?|null',
    radar_auth_attempt_id: 'string?|null',
  },
  organization_membership: {
    roles: 'role_reference[]?', // D-79
    directory_managed: 'boolean?', // D-79
    custom_attributes: 'object?', // D-79
    organization_name: 'string?', // D-79
    user: 'user?', // the public schema has it
  },
  invitation: {
    inviter_user_id: 'string?|null', // D-72
    accepted_user_id: 'string?|null', // D-72
    role_slug: 'string?|null', // D-72
    accept_invitation_url: 'string?', // D-72
  },
  organization_authentication_methods_required: {
    pending_authentication_token: 'string?|null', // D-140
  },
  authentication_response: {
    authentication_method: 'string?', // D-36
    oauth_tokens: 'object?', // D-36
    authkit_authorization_code: 'string?|null', // the public schema has it
  },
  authentication_factor: {
    user_id: 'string?', // D-21, the other spelling of userId, which only some deployments write
  },
  profile: {
    name: 'string?|null', // D-114
    roles: 'role_reference[]?', // D-114
    groups: 'string[]?', // D-114
  },
  profile_and_token_response: {
    token_type: 'string?', // D-113
    expires_in: 'integer?', // D-113
    oauth_tokens: 'object?', // D-113, drift of the reply of /sso/token
  },
  connection: {
    status: 'string?', // D-83
    external_key: 'string?', // D-119, in connection.activated and connection.deactivated
  },
  directory: {
    object: 'string?', // D-86
    external_key: 'string?', // D-86
    metadata: 'object?', // D-86
    // The specification includes what only the provider has, "keys, subdomains, endpoints, usernames", and names none.
    api_key: 'string?',
    subdomain: 'string?',
    endpoint: 'string?',
    username: 'string?',
    domains: 'organization_domain[]?', // D-119, in dsync.activated
  },
  directory_user: {
    roles: 'role_reference[]?', // the public schema has them
    previous_attributes: 'object?', // D-123, in dsync.user.updated
  },
  directory_group: {
    object: 'string?', // as directory, D-86
    previous_attributes: 'object?', // D-123, in dsync.group.updated
  },
  directory_group_user: {
    directory_id: 'string?', // D-121
  },
  warrant: {
    policy: 'string?', // D-103
  },
  warrant_subject: {
    relation: 'string?', // D-103
  },
};
