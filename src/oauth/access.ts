import { textIn, textsIn } from '../http/json.js';
import type { Impersonator } from '../service/authentication.js';
import type { EntitlementName, FeatureName, PermissionName, RoleName } from '../service/sallyport-types.js';

/** Access that a session must have. All given fields are required. */
export interface AccessRequirement {
  /** A permission of the session. */
  readonly permission?: PermissionName;
  /** A role of the session. */
  readonly role?: RoleName;
  /** A feature flag that is on. */
  readonly feature?: FeatureName;
  /** A feature that the organization has paid for. */
  readonly entitlement?: EntitlementName;
}

/** Access granted by a token. */
export interface Access {
  /** The user's role in the organization of the session; null if none. */
  readonly role: RoleName | null;
  /** All of the user's roles there. */
  readonly roles: readonly RoleName[];
  /** The user's permissions there. */
  readonly permissions: readonly PermissionName[];
  /** Features that the organization has paid for. */
  readonly entitlements: readonly EntitlementName[];
  /** Feature flags that are on. */
  readonly featureFlags: readonly FeatureName[];
  /**
   * Whether the session has all required access: `session.has({ permission: 'reports:read' })`. Copies of the session, such as by
   * JSON, are plain data without this method.
   */
  has(requirement: AccessRequirement): boolean;
}

/** The fields of `Access` without its method. */
type AccessData = Omit<Access, 'has'>;

/** Read the access from the claims of an access token. */
export function accessFromClaims(claims: Readonly<Record<string, unknown>>): AccessData {
  const role = textIn(claims.role);
  // Only the application knows the possible names.
  return {
    role,
    roles: textsIn(Array.isArray(claims.roles) ? claims.roles : [role]),
    permissions: textsIn(claims.permissions),
    entitlements: textsIn(claims.entitlements),
    featureFlags: textsIn(claims.feature_flags),
  } as AccessData;
}

/** Read the impersonator from the claims of an access token, which have no reason. */
export function impersonatorFromClaims({ act }: Readonly<Record<string, unknown>>): Impersonator | null {
  const email = textIn(Object(act).sub);
  return email === null ? null : { email, reason: null };
}

/** Return the names of a kind that a session has. Empty for unknown kinds. */
const namesOf = (session: AccessData, kind: string): readonly string[] =>
  textsIn(Object(session)[kind === 'feature' ? 'featureFlags' : `${kind}s`]);

/** Add the method to a session. It is not enumerable, so copies of the session are plain data. */
export const withCheck = <Session extends AccessData>(session: Session): Session & Access =>
  Object.defineProperty(session, 'has', {
    value: (requirement: AccessRequirement): boolean => {
      const required = Object.entries(requirement);
      return required.length > 0 && required.every(([kind, name]) => namesOf(session, kind).includes(name));
    },
    // defineProperty has just added the method.
  }) as Session & Access;
