import type { EventName } from '../../service/events/names.js';
import type { Event } from '../../service/events.js';

/**
 * The effect of an event: it revokes a session or all sessions of a user, or makes tokens that were issued before it outdated.
 */
export interface Revocation {
  /**
   * The kind of revocation. `session` and `user` end sessions. `member`, `organization`, `role` and `permission` make tokens
   * outdated.
   */
  readonly kind: 'session' | 'user' | 'member' | 'organization' | 'role' | 'permission';
  /** Id of the session, user or organization, or slug of the role or permission. For a member, the id of the user. */
  readonly id: string;
  /** Organization of a member or of an organization role; otherwise an empty string. */
  readonly within: string;
  /** Time of the event, in milliseconds since 1970. */
  readonly at: number;
}

/** The event types that revoke something. */
export const revokingTypes = [
  'session.revoked',
  'user.deleted',
  'organization_membership.updated',
  'organization_membership.deleted',
  'organization.deleted',
  'organization_role.updated',
  'organization_role.deleted',
  'role.updated',
  'role.deleted',
  'permission.deleted',
] as const satisfies readonly EventName[];

/** The revocation of an event, or undefined if its type revokes nothing. */
export function revocationOf(event: Event): Revocation | undefined {
  const at = Date.parse(event.createdAt);
  switch (event.event) {
    case 'session.revoked':
      return { kind: 'session', id: event.data.id, within: '', at };
    case 'user.deleted':
      return { kind: 'user', id: event.data.id, within: '', at };
    case 'organization_membership.updated':
    case 'organization_membership.deleted':
      return { kind: 'member', id: event.data.userId, within: event.data.organizationId, at };
    case 'organization.deleted':
      return { kind: 'organization', id: event.data.id, within: '', at };
    case 'organization_role.updated':
    case 'organization_role.deleted':
      return { kind: 'role', id: event.data.slug, within: event.data.organizationId, at };
    case 'role.updated':
    case 'role.deleted':
      return { kind: 'role', id: event.data.slug, within: '', at };
    case 'permission.deleted':
      return { kind: 'permission', id: event.data.slug, within: '', at };
    default:
      return undefined;
  }
}
