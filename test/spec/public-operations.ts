/**
 * The operations of the public service with the names of their parameters and body fields, as its published description 0.61 has
 * them: a transcription, never generated from `src`. Query parameters follow `?`, the fields of the body follow `=`, and `list` stands
 * for the four parameters of a list.
 */

const table = `
PATCH /agents/claims/attempts = claim_attempt_token organization_id type user
POST /agents/credentials/validate = audience credential type
GET /agents/registrations/:id
POST /api_keys/validations = value
DELETE /api_keys/:id
POST /api_keys/:id/expire = expires_at
GET /audit_logs/actions ? list
GET /audit_logs/actions/:action_name/schemas ? list
POST /audit_logs/actions/:action_name/schemas = actor metadata targets
POST /audit_logs/events = event organization_id
POST /audit_logs/exports = actions actor_ids actor_names actors organization_id range_end range_start targets
GET /audit_logs/exports/:audit_log_export_id
POST /auth/challenges/:id/verify = code
POST /auth/factors/enroll = phone_number totp_issuer totp_user type user_id
GET /auth/factors/:id
DELETE /auth/factors/:id
POST /auth/factors/:id/challenge = sms_template
POST /authkit/oauth2/complete = external_auth_id user user_consent_options
GET /authorization/groups/:group_id/role_assignments ? list
POST /authorization/groups/:group_id/role_assignments = resource_external_id resource_id resource_type_slug role_slug
PUT /authorization/groups/:group_id/role_assignments = role_assignments
DELETE /authorization/groups/:group_id/role_assignments = resource_external_id resource_id resource_type_slug role_slug
GET /authorization/groups/:group_id/role_assignments/:role_assignment_id
DELETE /authorization/groups/:group_id/role_assignments/:role_assignment_id
POST /authorization/organization_memberships/:organization_membership_id/check = permission_slug resource_external_id resource_id resource_type_slug
GET /authorization/organization_memberships/:organization_membership_id/resources ? list parent_resource_external_id parent_resource_id parent_resource_type_slug permission_slug
GET /authorization/organization_memberships/:organization_membership_id/resources/:resource_id/permissions ? list
GET /authorization/organization_memberships/:organization_membership_id/resources/:resource_type_slug/:external_id/permissions ? list
GET /authorization/organization_memberships/:organization_membership_id/role_assignments ? list resource_external_id resource_id resource_type_slug
POST /authorization/organization_memberships/:organization_membership_id/role_assignments = resource_external_id resource_id resource_type_slug role_slug
DELETE /authorization/organization_memberships/:organization_membership_id/role_assignments = resource_external_id resource_id resource_type_slug role_slug
DELETE /authorization/organization_memberships/:organization_membership_id/role_assignments/:role_assignment_id
GET /authorization/organizations/:organization_id/roles
POST /authorization/organizations/:organization_id/roles = description name resource_type_slug slug
GET /authorization/organizations/:organization_id/roles/:slug
PATCH /authorization/organizations/:organization_id/roles/:slug = description name
DELETE /authorization/organizations/:organization_id/roles/:slug
POST /authorization/organizations/:organization_id/roles/:slug/permissions = slug
PUT /authorization/organizations/:organization_id/roles/:slug/permissions = permissions
DELETE /authorization/organizations/:organization_id/roles/:slug/permissions/:permission_slug
GET /authorization/organizations/:organization_id/resources/:resource_type_slug/:external_id
PATCH /authorization/organizations/:organization_id/resources/:resource_type_slug/:external_id = description name parent_resource_external_id parent_resource_id parent_resource_type_slug
DELETE /authorization/organizations/:organization_id/resources/:resource_type_slug/:external_id ? cascade_delete
GET /authorization/organizations/:organization_id/resources/:resource_type_slug/:external_id/organization_memberships ? list assignment permission_slug
GET /authorization/organizations/:organization_id/resources/:resource_type_slug/:external_id/role_assignments ? list role_slug
GET /authorization/permissions ? list
POST /authorization/permissions = description name resource_type_slug slug
GET /authorization/permissions/:slug
PATCH /authorization/permissions/:slug = description name
DELETE /authorization/permissions/:slug
GET /authorization/resources ? list organization_id parent_external_id parent_resource_id parent_resource_type_slug resource_external_id resource_type_slug
POST /authorization/resources = description external_id name organization_id parent_resource_external_id parent_resource_id parent_resource_type_slug resource_type_slug
GET /authorization/resources/:resource_id
PATCH /authorization/resources/:resource_id = description name parent_resource_external_id parent_resource_id parent_resource_type_slug
DELETE /authorization/resources/:resource_id ? cascade_delete
GET /authorization/resources/:resource_id/organization_memberships ? list assignment permission_slug
GET /authorization/resources/:resource_id/role_assignments ? list role_slug
GET /authorization/roles
POST /authorization/roles = description name resource_type_slug slug
GET /authorization/roles/:slug
PATCH /authorization/roles/:slug = description name
POST /authorization/roles/:slug/permissions = slug
PUT /authorization/roles/:slug/permissions = permissions
POST /client/token = organization_id user_id
GET /connect/applications ? list organization_id registration_types
POST /connect/applications = application_type description is_first_party name organization_id redirect_uris scopes uses_pkce
GET /connect/applications/:id
PUT /connect/applications/:id = description name redirect_uris scopes
DELETE /connect/applications/:id
GET /connect/applications/:id/client_secrets
POST /connect/applications/:id/client_secrets
DELETE /connect/client_secrets/:id
GET /connections ? list connection_type domain organization_id search
GET /connections/:id
DELETE /connections/:id
GET /data-integrations ? list
POST /data-integrations = api_key auth_methods config credentials custom_provider description enabled provider scopes
GET /data-integrations/:slug
PUT /data-integrations/:slug = api_key credentials custom_provider description enabled scopes
DELETE /data-integrations/:slug
PUT /data-integrations/:slug/api-key = organization_id secret user_id
POST /data-integrations/:slug/authorize = config organization_id return_to user_id
PUT /data-integrations/:slug/client-credentials = client_id client_secret config organization_id user_id
POST /data-integrations/:slug/credentials = organization_id user_id
POST /data-integrations/:slug/token = organization_id user_id
GET /directories ? list domain organization_id search
GET /directories/:id
DELETE /directories/:id
GET /directory_groups ? list directory user
GET /directory_groups/:id
GET /directory_users ? list directory email group idp_id
GET /directory_users/:id
GET /events ? list events organization_id range_end range_start
GET /feature-flags ? list
GET /feature-flags/:slug
PUT /feature-flags/:slug/disable
PUT /feature-flags/:slug/enable
POST /feature-flags/:slug/targets/:resource_id
DELETE /feature-flags/:slug/targets/:resource_id
POST /organization_domains = domain organization_id
GET /organization_domains/:id
DELETE /organization_domains/:id
POST /organization_domains/:id/verify
GET /organizations ? list domains search
POST /organizations = allow_profiles_outside_organization domain_data domains external_id metadata name
GET /organizations/external_id/:external_id
GET /organizations/:id
PUT /organizations/:id = allow_profiles_outside_organization domain_data domains external_id metadata name stripe_customer_id
DELETE /organizations/:id
GET /organizations/:id/audit_log_configuration
GET /organizations/:id/audit_logs_retention
PUT /organizations/:id/audit_logs_retention = retention_period_in_days
GET /organizations/:organization_id/api_keys ? list
POST /organizations/:organization_id/api_keys = expires_at name permissions
GET /organizations/:organization_id/data_integration_configurations
PUT /organizations/:organization_id/data_integration_configurations/:slug = client_id client_secret config enabled scopes
GET /organizations/:organization_id/feature-flags ? list
GET /organizations/:organization_id/groups ? list
POST /organizations/:organization_id/groups = description name
GET /organizations/:organization_id/groups/:group_id
PATCH /organizations/:organization_id/groups/:group_id = description name
DELETE /organizations/:organization_id/groups/:group_id
GET /organizations/:organization_id/groups/:group_id/organization-memberships ? list
POST /organizations/:organization_id/groups/:group_id/organization-memberships = organization_membership_id
DELETE /organizations/:organization_id/groups/:group_id/organization-memberships/:om_id
GET /organizations/:organization_id/authorized_applications ? list
POST /portal/generate_link = intent it_contact_emails organization return_url success_url
POST /radar/attempts = action auth_method email ip_address signals_id user_agent
PUT /radar/attempts/:id = attempt_status challenge_status
POST /radar/lists/:type/:action = entry
DELETE /radar/lists/:type/:action = entry
GET /sso/authorize ? client_id connection domain domain_hint login_hint nonce organization prompt provider provider_query_params provider_scopes redirect_uri response_type state
GET /sso/jwks/:client_id
GET /sso/logout ? token
POST /sso/logout/authorize = profile_id
GET /sso/profile
POST /sso/token ? client_id client_secret code grant_type = client_id client_secret code grant_type
POST /user_management/authenticate = authentication_challenge_id client_id client_secret code code_verifier device_code device_id email grant_type invitation_token ip_address organization_id password pending_authentication_token phone_number radar_auth_attempt_id radar_challenge_id refresh_token signals_id user_agent verification_id
GET /user_management/authorize ? client_id code_challenge code_challenge_method connection_id domain_hint invitation_token login_hint max_age organization_id prompt provider provider_query_params provider_scopes redirect_uri response_type screen_hint state
POST /user_management/authorize/device = client_id
GET /user_management/cors_origins ? list
POST /user_management/cors_origins = origin
GET /user_management/email_verification/:id
GET /user_management/invitations ? list email organization_id
POST /user_management/invitations = email expires_in_days inviter_user_id locale organization_id role_slug
GET /user_management/invitations/by_token/:token
GET /user_management/invitations/:id
POST /user_management/invitations/:id/accept
POST /user_management/invitations/:id/resend = locale
POST /user_management/invitations/:id/revoke
GET /user_management/jwt_template
PUT /user_management/jwt_template = content
POST /user_management/magic_auth = email invitation_token ip_address radar_auth_attempt_id signals_id user_agent
GET /user_management/magic_auth/:id
GET /user_management/organization_memberships ? list organization_id statuses user_id
POST /user_management/organization_memberships = organization_id role_slug role_slugs user_id
GET /user_management/organization_memberships/:id
PUT /user_management/organization_memberships/:id = role_slug role_slugs
DELETE /user_management/organization_memberships/:id
PUT /user_management/organization_memberships/:id/deactivate
PUT /user_management/organization_memberships/:id/reactivate
GET /user_management/organization_memberships/:om_id/groups ? list
POST /user_management/password_reset = email
POST /user_management/password_reset/confirm = new_password token
GET /user_management/password_reset/:id
POST /user_management/radar_challenges = ip_address pending_authentication_token phone_number user_agent user_id
GET /user_management/radar_challenges/:id
GET /user_management/redirect_uris ? list
POST /user_management/redirect_uris = uri
DELETE /user_management/redirect_uris/:id
GET /user_management/sessions/logout ? return_to session_id
POST /user_management/sessions/revoke = session_id
GET /user_management/users ? list email organization organization_id
POST /user_management/users = email email_verified external_id first_name ip_address last_name metadata name password password_hash password_hash_type password_salt_position signals_id user_agent
GET /user_management/users/external_id/:external_id
GET /user_management/users/:id
PUT /user_management/users/:id = email email_verified external_id first_name last_name locale metadata name password password_hash password_hash_type password_salt_position
DELETE /user_management/users/:id
POST /user_management/users/:id/email_change/confirm = code
POST /user_management/users/:id/email_change/send = new_email
POST /user_management/users/:id/email_verification/confirm = code
POST /user_management/users/:id/email_verification/send
GET /user_management/users/:id/identities
GET /user_management/users/:id/sessions ? list
GET /user_management/users/:user_id/api_keys ? list organization_id
POST /user_management/users/:user_id/api_keys = expires_at name organization_id permissions
GET /user_management/users/:user_id/feature-flags ? list
GET /user_management/users/:user_id/authorized_applications ? list
DELETE /user_management/users/:user_id/authorized_applications/:application_id
GET /user_management/users/:user_id/connected_accounts/:slug ? organization_id
POST /user_management/users/:user_id/connected_accounts/:slug ? organization_id = access_token expires_at refresh_token scopes state
PUT /user_management/users/:user_id/connected_accounts/:slug ? organization_id = access_token expires_at refresh_token scopes state
DELETE /user_management/users/:user_id/connected_accounts/:slug ? organization_id
GET /user_management/users/:user_id/data_providers ? organization_id
GET /user_management/users/:userland_user_id/auth_factors ? list
POST /user_management/users/:userland_user_id/auth_factors = totp_issuer totp_secret totp_user type
POST /vault/v1/keys/data-key = context
POST /vault/v1/keys/decrypt = keys
POST /vault/v1/keys/rekey = context encrypted_keys
GET /vault/v1/kv ? list search updatedAfter
POST /vault/v1/kv = key_context name value
GET /vault/v1/kv/name/:name
GET /vault/v1/kv/:id
PUT /vault/v1/kv/:id = value version_check
DELETE /vault/v1/kv/:id ? version_check
GET /vault/v1/kv/:id/metadata
GET /vault/v1/kv/:id/versions
GET /webhook_endpoints ? list
POST /webhook_endpoints = endpoint_url events
PATCH /webhook_endpoints/:id = endpoint_url events status
DELETE /webhook_endpoints/:id
POST /widgets/token = organization_id scopes user_id
`;

/** An operation of the public service. */
export interface PublicOperation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: readonly string[];
}

const listParameters = ['after', 'before', 'limit', 'order'];

const operationIn = (row: string): PublicOperation => {
  const [before = '', body = ''] = row.split(' = ');
  const [address = '', query = ''] = before.split(' ? ');
  const [method = '', path = ''] = address.split(' ');
  const names = (text: string): string[] => text.split(' ').filter(Boolean);
  return {
    method,
    path,
    query: names(query).flatMap((name) => (name === 'list' ? listParameters : name)),
    body: names(body),
  };
};

export const publicOperations: readonly PublicOperation[] = table.trim().split('\n').map(operationIn);
