import { textIn, textsIn } from '../http/json.js';
import type { Impersonator } from '../service/authentication.js';
import type { EntitlementName, FeatureName, PermissionName, RoleName } from './sallyport-types.js';

/** What a session is asked for: everything that is named has to be there. */
export interface AccessRequirement {
  /** One of its permissions. */
  readonly permission?: PermissionName;
  /** One of its roles. */
  readonly role?: RoleName;
  /** One of the features switched on. */
  readonly feature?: FeatureName;
  /** Something that the organization has paid for. */
  readonly entitlement?: EntitlementName;
}

/** What an access token lets its user do. */
export interface Access {
  /** The user's role in the organization of the session; null for none. */
  readonly role: RoleName | null;
  /** All of the user's roles there. */
  readonly roles: readonly RoleName[];
  /** What the user may do there. */
  readonly permissions: readonly PermissionName[];
  /** What the organization has paid for. */
  readonly entitlements: readonly EntitlementName[];
  /** Features switched on. */
  readonly featureFlags: readonly FeatureName[];
  /**
   * Whether the session has all that is named: `session.has({ permission: 'reports:read' })`. Copies of the session, by JSON
   * or otherwise, are plain data and lack this method.
   */
  has(requirement: AccessRequirement): boolean;
}

/** What is data about it. */
type AccessData = Omit<Access, 'has'>;

/** What an access token says of access. */
export function accessIn(claims: Readonly<Record<string, unknown>>): AccessData {
  const role = textIn(claims.role);
  // Texts are what the service says; which there are, only the application knows.
  return {
    role,
    roles: textsIn(Array.isArray(claims.roles) ? claims.roles : [role]),
    permissions: textsIn(claims.permissions),
    entitlements: textsIn(claims.entitlements),
    featureFlags: textsIn(claims.feature_flags),
  } as AccessData;
}

/** Who acts as the user by the access token, which gives no reason. */
export function impersonatorIn({ act }: Readonly<Record<string, unknown>>): Impersonator | null {
  const email = textIn(Object(act).sub);
  return email === null ? null : { email, reason: null };
}

/** What a session has of a kind; nothing of one that is not known. */
const listed = (session: AccessData, kind: string): readonly string[] =>
  textsIn(Object(session)[kind === 'feature' ? 'featureFlags' : `${kind}s`]);

/** The session with its method; not enumerable, so that what is made of the session is plain data. */
export const withCheck = <Session extends AccessData>(session: Session): Session & Access =>
  Object.defineProperty(session, 'has', {
    value: (requirement: AccessRequirement): boolean => {
      const required = Object.entries(requirement);
      return required.length > 0 && required.every(([kind, name]) => listed(session, kind).includes(name));
    },
    // The property has just been defined.
  }) as Session & Access;
