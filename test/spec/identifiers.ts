/**
 * How ids begin, and what each parameter is an id of: a transcription of the service's specification ("General
 * conventions" 3, "Earlier-interface objects"), kept by hand, never generated from `src/service`.
 */

/** The prefixes that the specification names, by the value of `object`. */
export const specifiedPrefixes: Readonly<Record<string, string>> = {
  organization: 'org_',
  user: 'user_',
  connection: 'conn_',
  directory: 'directory_',
  directory_user: 'directory_user_',
  directory_group: 'directory_group_',
  organization_membership: 'om_',
  invitation: 'invitation_',
  authentication_factor: 'auth_factor_',
  authentication_challenge: 'auth_challenge_',
  audit_log_export: 'audit_log_export_',
  event: 'event_',
  profile: 'prof_',
  role: 'role_',
  organization_domain: 'org_domain_',
  webhook_endpoint: 'we_',
  session: 'session_',
  passwordless_session: 'passwordless_session_',
  scim_user: 'scim_usr_',
  scim_group: 'scim_grp_',
};

/** What is known besides: ids of extensions (D-57, D-58), of applications, and of other emulators (D-23). */
export const decidedPrefixes: Readonly<Record<string, readonly string[]>> = {
  audit_log_export: ['audit_export_'],
  authorized_connect_application: ['authorized_connect_app_'],
  connect_application: ['conn_app_'],
  directory_group: ['directory_grp_'],
  directory_user: ['directory_usr_'],
  event: ['evt_'],
  invitation: ['inv_'],
  magic_auth: ['magic_auth_'],
  password_reset: ['password_reset_'],
};

/** The resources that an id in a path may be of, by the operation's path up to the parameter. */
export const specifiedPathIds: Readonly<Record<string, readonly string[]>> = {
  '/organizations/:id': ['organization'],
  '/organizations/:organization_id': ['organization'],
  '/organization_domains/:id': ['organization_domain'],
  '/user_management/users/:id': ['user'],
  '/user_management/users/:user_id': ['user'],
  '/user_management/users/:user_id/authorized_applications/:application_id': [
    'connect_application',
    'authorized_connect_application',
  ],
  '/user_management/organization_memberships/:id': ['organization_membership'],
  '/user_management/invitations/:id': ['invitation'],
  '/user_management/magic_auth/:id': ['magic_auth'],
  '/user_management/password_reset/:id': ['password_reset'],
  '/auth/factors/:id': ['authentication_factor'],
  '/auth/challenges/:id': ['authentication_challenge'],
  '/connections/:id': ['connection'],
  '/directories/:id': ['directory'],
  '/directories/:scim_endpoint_id': ['directory'],
  '/directory_users/:id': ['directory_user'],
  '/directory_groups/:id': ['directory_group'],
  '/directories/:scim_endpoint_id/users/:id': ['scim_user'],
  '/webhook_endpoints/:id': ['webhook_endpoint'],
  '/audit_logs/exports/:id': ['audit_log_export'],
  '/passwordless/sessions/:id': ['passwordless_session'],
};

/** The parameters of paths that callers or providers choose: nothing is known of their form. */
export const freePathParameters: readonly string[] = [
  '/organizations/external_id/:external_id',
  '/user_management/users/external_id/:external_id',
  '/user_management/invitations/by_token/:token',
  '/sso/jwks/:client_id',
  '/audit_logs/actions/:name',
  '/fga/v1/resource-types/:type',
  '/fga/v1/resources/:resource_type',
  '/fga/v1/resources/:resource_type/:resource_id',
];

/** The resource that a field of a body or a parameter of a query is an id of, by its wire name. */
export const specifiedFieldIds: Readonly<Record<string, string>> = {
  user_id: 'user',
  inviter_user_id: 'user',
  organization_id: 'organization',
  organization: 'organization',
  connection_id: 'connection',
  connection: 'connection',
  directory: 'directory',
  group: 'directory_group',
  user: 'directory_user',
  session_id: 'session',
  authenticationChallengeId: 'authentication_challenge',
};

/** Fields and parameters that end like ids and that callers or providers choose; `group` and `user` elsewhere are names. */
export const freeFields: readonly string[] = [
  'external_id',
  'client_id',
  'billing_customer_id',
  'resource_id',
  'subject_id',
  'idp_id',
  'actor_id',
  'target_id',
  'legacy.auditTrail.createEvent group',
];

/** The resources of lists whose cursors are ids that are known; the items of other lists have none, or it is not said which. */
export const specifiedItems: Readonly<Record<string, readonly string[]>> = {
  'organizations.list': ['organization'],
  'users.list': ['user'],
  'users.listAuthorizedApplications': ['connect_application', 'authorized_connect_application'],
  'organizationMemberships.list': ['organization_membership'],
  'invitations.list': ['invitation'],
  'sso.listConnections': ['connection'],
  'directorySync.listDirectories': ['directory'],
  'directorySync.listUsers': ['directory_user'],
  'directorySync.listGroups': ['directory_group'],
  'legacy.scim.listUsers': ['scim_user'],
  'legacy.scim.listGroups': ['scim_group'],
  'events.list': ['event'],
  'webhooks.listEndpoints': ['webhook_endpoint'],
};
