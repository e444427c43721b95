/**
 * The names of your application's roles, permissions, features, entitlements and claims. Declare them once in a `.ts` file of your
 * project; the types of all entries then use them: those of sessions, of requests such as `sendInvitation`, and of results.
 *
 * @example
 * import 'sallyport';
 *
 * declare module 'sallyport' {
 *   interface SallyportTypes {
 *     roles: 'admin' | 'member';
 *     permissions: 'reports:read' | 'reports:write';
 *     features: 'new-dashboard';
 *     entitlements: 'audit-logs';
 *     claims: { readonly 'urn:acme:plan'?: 'free' | 'enterprise' };
 *   }
 * }
 */
export interface SallyportTypes {}

/** Types of the names that are not declared. */
interface AnyNames {
  roles: string;
  permissions: string;
  features: string;
  entitlements: string;
  claims: unknown;
}

// `& {}` changes no type. It keeps the names of these types in the types that derive from the description of the service.

/** Slug of a role; any string unless `SallyportTypes` declares yours. */
export type RoleName = (SallyportTypes & AnyNames)['roles'] & {};
/** Slug of a permission; any string unless `SallyportTypes` declares yours. */
export type PermissionName = (SallyportTypes & AnyNames)['permissions'] & {};
/** Slug of a feature; any string unless `SallyportTypes` declares yours. */
export type FeatureName = (SallyportTypes & AnyNames)['features'] & {};
/** Slug of a paid feature; any string unless `SallyportTypes` declares yours. */
export type EntitlementName = (SallyportTypes & AnyNames)['entitlements'] & {};
/** Custom claims of access tokens; unknown unless `SallyportTypes` declares yours. */
export type CustomClaims = (SallyportTypes & AnyNames)['claims'];
