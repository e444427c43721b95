/**
 * Id prefixes by path: the specification's prefix first, then those of other deployments. Callers and providers choose
 * all other ids.
 */
export const idPrefixes = {
  '/organizations': ['org_'],
  '/organizations/:organization_id/roles': ['role_'],
  '/organization_domains': ['org_domain_'],
  '/user_management/users': ['user_'],
  '/user_management/users/:user_id/authorized_applications': ['conn_app_', 'authorized_connect_app_'],
  '/user_management/organization_memberships': ['om_'],
  '/user_management/invitations': ['invitation_', 'inv_'],
  '/user_management/sessions': ['session_'],
  '/user_management/magic_auth': ['magic_auth_'],
  '/user_management/password_reset': ['password_reset_'],
  '/auth/factors': ['auth_factor_'],
  '/auth/challenges': ['auth_challenge_'],
  '/sso/profile': ['prof_'],
  '/connections': ['conn_'],
  '/directories': ['directory_'],
  '/directories/:scim_endpoint_id/users': ['scim_usr_'],
  '/directories/:scim_endpoint_id/groups': ['scim_grp_'],
  '/directory_users': ['directory_user_', 'directory_usr_'],
  '/directory_groups': ['directory_group_', 'directory_grp_'],
  '/events': ['event_', 'evt_'],
  '/webhook_endpoints': ['we_'],
  '/audit_logs/exports': ['audit_log_export_', 'audit_export_'],
  '/passwordless/sessions': ['passwordless_session_'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A path with known id prefixes. */
export type IdsPath = keyof typeof idPrefixes;

/** Return the id prefixes of a path, or undefined if they are unknown. */
export const prefixesUnder = (path: string): readonly string[] | undefined =>
  // A path begins with a slash, so it cannot name an inherited property.
  (idPrefixes as Readonly<Record<string, readonly string[]>>)[path];

let known: ReadonlySet<string> | undefined;

/** Return the longest known prefix of an id, or undefined. Most ids that callers choose have none. */
export function prefixOf(id: string): string | undefined {
  known ??= new Set(Object.values(idPrefixes).flat());
  for (let at = id.lastIndexOf('_'); at > 0; at = id.lastIndexOf('_', at - 1)) {
    const prefix = id.slice(0, at + 1);
    if (known.has(prefix)) return prefix;
    // Everything before the 26 characters of a ULID is the prefix, so this prefix is unknown.
    if (id.length - prefix.length === 26) return undefined;
  }
  return undefined;
}
