import { boolean, nullable, number, oneOf, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { Session } from '../../../service/sessions.js';
import { users } from '../../rooms/users/records.js';
import type { View } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import { collection, type World } from '../../world/world.js';
import { originFields, type SignIn, type SignInMethod, signInRecord } from '../flow/sign-in.js';
import { issueRefreshToken, refreshExpiry, refreshTokens } from './refresh-tokens.js';

/** A session as the emulator stores it. `status` is never `expired`: see `statusOf`. */
export interface SessionRecord {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  readonly organizationId: string | null;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  /** How the user signed in. Responses to grants contain this name. */
  readonly method: SignInMethod;
  /** Connection of a sign-in by SSO; otherwise null. */
  readonly connectionId: string | null;
  readonly secondFactor: boolean;
  readonly impersonator: SignIn['impersonator'];
  /** When the user signed in, in milliseconds since 1970. A refresh does not change it. */
  readonly authenticatedAt: number;
  /** Authorization code that created the session; null if there is none. */
  readonly codeId: string | null;
  /** Whether the client may refresh the session without a secret. */
  readonly isPublic: boolean;
  readonly status: 'active' | 'revoked';
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The sessions of all users, active and ended. */
export const sessions = collection<SessionRecord>({
  object: 'session',
  prefix: 'session',
  index: ['userId', 'organizationId', 'codeId'],
  record: ref<SessionRecord>(
    part({
      ...originFields,
      id: string,
      userId: string,
      organizationId: nullable(string),
      method: string,
      connectionId: nullable(string),
      secondFactor: boolean,
      impersonator: signInRecord.shape.impersonator,
      authenticatedAt: number,
      codeId: nullable(string),
      isPublic: boolean,
      status: oneOf('active', 'revoked'),
      expiresAt: timestamp,
      endedAt: nullable(timestamp),
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

/** Get the current status of a session. An active session becomes `expired` at its expiry time. */
export const statusOf = (world: World, { status, expiresAt }: SessionRecord): 'active' | 'expired' | 'revoked' =>
  status === 'active' && world.isPast(expiresAt) ? 'expired' : status;

/** Convert a session to the API format. */
export function sessionView(world: World, session: SessionRecord): View<Session> {
  const { id, userId, organizationId, ipAddress, userAgent, method, impersonator } = session;
  const { expiresAt, createdAt, updatedAt } = session;
  const status = statusOf(world, session);
  return {
    id,
    userId,
    organizationId: organizationId ?? undefined,
    ipAddress,
    userAgent,
    authMethod: authMethodOf(method),
    status,
    ...(impersonator === null ? {} : { impersonator }),
    expiresAt,
    endedAt: status === 'expired' ? expiresAt : session.endedAt,
    createdAt,
    updatedAt,
  };
}

const authMethods: Readonly<Record<string, string>> = {
  Password: 'password',
  MagicAuth: 'magic_code',
  SSO: 'sso',
  Passkey: 'passkey',
  Impersonation: 'impersonation',
};
const authMethodOf = (method: SignInMethod): string =>
  authMethods[method] ?? (method.endsWith('OAuth') ? 'oauth' : 'external_auth');

/** Open a session for a completed sign-in, in its organization, and emit the event. */
export function openSession(
  world: World,
  signIn: SignIn,
): { readonly session: SessionRecord; readonly refreshToken: string } {
  const { userId, clientId, organizationId, ipAddress, userAgent, method, connectionId, secondFactor } = signIn;
  const { now } = world;
  dropSpent(
    world.of(sessions),
    (session) => statusOf(world, session) !== 'active',
    ({ id }) => forgetSession(world, id),
  );
  const session = world.of(sessions).insert({
    userId,
    clientId,
    organizationId,
    ipAddress,
    userAgent,
    method,
    connectionId,
    secondFactor,
    impersonator: signIn.impersonator,
    authenticatedAt: signIn.authenticatedAt ?? world.clock.now(),
    codeId: signIn.codeId ?? null,
    isPublic: signIn.isPublic ?? false,
    status: 'active',
    expiresAt: refreshExpiry(world),
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  });
  const refreshToken = issueRefreshToken(world, session.id);
  // This emits no `user.updated` event, because applications do not store the time of the last sign-in.
  world.of(users).update(userId, { lastSignInAt: now });
  world.emit('session.created', sessionView(world, session));
  return { session, refreshToken };
}

/** Revoke a session and emit the event. Does nothing if it has already ended. @throws {Refusal} 404. */
export function revokeSession(world: World, id: string): SessionRecord {
  const before = world.of(sessions).get(id);
  world.of(refreshTokens).deleteWhere('sessionId', id);
  if (statusOf(world, before) !== 'active') return before;
  const { now } = world;
  const session = world.of(sessions).update(id, { status: 'revoked', endedAt: now, updatedAt: now });
  world.emit('session.revoked', sessionView(world, session));
  return session;
}

/** Delete an ended session and its refresh tokens. */
function forgetSession(world: World, id: string): void {
  world.of(refreshTokens).deleteWhere('sessionId', id);
  world.of(sessions).delete(id);
}

/** Make a session expire now. Does nothing if it has already ended. @throws {Refusal} 404. */
export function expireSession(world: World, id: string): SessionRecord {
  const before = world.of(sessions).get(id);
  if (statusOf(world, before) !== 'active') return before;
  return world.of(sessions).update(id, { expiresAt: world.now, updatedAt: world.now });
}

/** Revoke and delete all sessions of a user. Active ones emit `session.revoked`. */
export function dropSessionsOf(world: World, userId: string): void {
  for (const { id } of world.of(sessions).where('userId', userId).values()) {
    revokeSession(world, id);
    world.of(sessions).delete(id);
  }
}

/** Revoke all sessions in an organization, or only those of one user. */
export function revokeSessionsIn(world: World, organizationId: string, userId?: string): void {
  for (const session of world.of(sessions).where('organizationId', organizationId).values())
    if (session.userId === (userId ?? session.userId)) revokeSession(world, session.id);
}
