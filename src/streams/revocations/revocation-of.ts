import type { EventName } from '../../service/events/names.js';
import type { Event } from '../../service/events.js';
import type { SessionChange } from '../../session/read/revocations.js';

/**
 * The effect of an event: it revokes a session or all sessions of a user, or makes tokens that were issued before it outdated.
 */
export interface Revocation {
  /**
   * The kind of revocation. `session` and `user` end sessions. `member`, `organization`, `role` and `permission` make tokens
   * outdated. `switch` keeps the cookies of older tokens of a session out of responses.
   */
  readonly kind: 'session' | 'user' | 'member' | 'organization' | 'role' | 'permission' | 'switch';
  /** Id of the session, user or organization, or slug of the role or permission. For a member, the id of the user. */
  readonly id: string;
  /**
   * Organization of a member or of an organization role; otherwise an empty string. For a switch, the id and the organization of the new
   * token, as JSON.
   */
  readonly within: string;
  /** Time of the event, in milliseconds since 1970. For a switch, when the new token was issued. */
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

/** The revocation of a change that a replica has made itself. */
export const revocationOfChange = (change: SessionChange, now: number): Revocation =>
  change.kind === 'ended'
    ? { kind: 'session', id: change.sessionId, within: '', at: now }
    : {
        kind: 'switch',
        id: change.claims.sid,
        within: JSON.stringify([change.claims.jti, change.claims.org_id]),
        at: (change.claims.iat ?? 0) * 1_000,
      };
