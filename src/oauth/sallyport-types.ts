/**
 * The names of your application's roles, permissions, features, entitlements and claims. Declare them once, in a `.ts` file of your
 * project, and the sessions of all entries know them.
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

/** What holds for those that nobody has said anything about. */
interface AnyNames {
  roles: string;
  permissions: string;
  features: string;
  entitlements: string;
  claims: unknown;
}

/** Slug of a role; any text unless `SallyportTypes` names yours. */
export type RoleName = (SallyportTypes & AnyNames)['roles'];
/** Slug of a permission; any text unless `SallyportTypes` names yours. */
export type PermissionName = (SallyportTypes & AnyNames)['permissions'];
/** Slug of a feature; any text unless `SallyportTypes` names yours. */
export type FeatureName = (SallyportTypes & AnyNames)['features'];
/** Slug of what can be paid for; any text unless `SallyportTypes` names yours. */
export type EntitlementName = (SallyportTypes & AnyNames)['entitlements'];
/** Claims that you had added to access tokens; unknown unless `SallyportTypes` describes yours. */
export type CustomClaims = (SallyportTypes & AnyNames)['claims'];
