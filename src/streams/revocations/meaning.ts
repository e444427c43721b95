import type { EventName } from '../../service/event-names.js';
import type { Event } from '../../service/events.js';

/** What an event takes back: a session, all sessions of a user, or what the tokens that were issued before it say. */
export interface Revocation {
  /**
   * What is taken back. Sessions of a `session` or `user` are over; tokens of a `member`, of an `organization`, with a `role` or with a
   * `permission` are outdated.
   */
  readonly kind: 'session' | 'user' | 'member' | 'organization' | 'role' | 'permission';
  /** Id of the session, user or organization, slug of the role or permission. */
  readonly id: string;
  /** Organization of a member, or of a role that only one organization has; empty for all. */
  readonly within: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
}

/** The types of events that take something back. */
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

/** What an event takes back; nothing for every other type. */
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
