import {
  boolean,
  nullable,
  number,
  oneOf,
  open,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import { type Session, session } from '../../../service/sessions.js';
import { users } from '../../rooms/users/records.js';
import type { Stored, View } from '../../store/view.js';
import { dropSpent } from '../../world/expired.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import { originFields, type SignIn, type SignInMethod, signInRecord } from '../proof/sign-in.js';
import { issueRefreshToken, refreshExpiry, refreshTokens } from './refresh-tokens.js';

const sessionRecord = part({
  ...originFields,
  id: string,
  userId: string,
  organizationId: nullable(string),
  /** How the user signed in. Responses to grants contain this name. */
  method: open<SignInMethod>(),
  /** Connection of a sign-in by SSO; otherwise null. */
  connectionId: nullable(string),
  secondFactor: boolean,
  impersonator: signInRecord.shape.impersonator,
  /** When the user signed in, in milliseconds since 1970. A refresh does not change it. */
  authenticatedAt: number,
  /** Authorization code that created the session; null if there is none. */
  codeId: nullable(string),
  /** Whether the client may refresh the session without a secret. */
  isPublic: boolean,
  status: oneOf('active', 'revoked'),
  expiresAt: timestamp,
  endedAt: nullable(timestamp),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A session as the emulator stores it. `status` is never `expired`: see `statusOf`. */
export interface SessionRecord extends Stored<typeof sessionRecord> {}

/** The sessions of all users, active and ended. */
export const sessions = collection<SessionRecord>({
  object: 'session',
  prefix: 'session',
  publicToken: 'id',
  index: ['codeId'],
  refersTo: { userId: 'user', organizationId: 'organization' },
  record: ref(sessionRecord),
});

/** Get the current status of a session. An active session becomes `expired` at its expiry time. */
export const statusOf = (memory: Memory, { status, expiresAt }: SessionRecord): 'active' | 'expired' | 'revoked' =>
  status === 'active' && memory.isPast(expiresAt) ? 'expired' : status;

/** Convert a session to the API format. */
export function sessionView(memory: Memory, session: SessionRecord): View<Session> {
  const { id, userId, organizationId, ipAddress, userAgent, method, impersonator } = session;
  const { expiresAt, createdAt, updatedAt } = session;
  const status = statusOf(memory, session);
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
  memory: Memory,
  signIn: SignIn,
): { readonly session: SessionRecord; readonly refreshToken: string } {
  const { userId, clientId, organizationId, ipAddress, userAgent, method, connectionId, secondFactor } = signIn;
  dropSpent(memory, sessions, (session) => statusOf(memory, session) !== 'active');
  const session = memory.of(sessions).insert({
    userId,
    clientId,
    organizationId,
    ipAddress,
    userAgent,
    method,
    connectionId,
    secondFactor,
    impersonator: signIn.impersonator,
    authenticatedAt: signIn.authenticatedAt ?? memory.clock.now(),
    codeId: signIn.codeId ?? null,
    isPublic: signIn.isPublic ?? false,
    status: 'active',
    expiresAt: refreshExpiry(memory),
    endedAt: null,
  });
  const refreshToken = issueRefreshToken(memory, session.id);
  // This emits no `user.updated` event, because applications do not store the time of the last sign-in.
  const { updatedAt } = memory.of(users).get(userId);
  memory.of(users).update(userId, { lastSignInAt: session.createdAt, updatedAt });
  memory.emit('session.created', sessionView(memory, session));
  return { session, refreshToken };
}

/** Revoke a session and emit the event. Does nothing if it has already ended. @throws {EmulatorRefusal} 404. */
export function revokeSession(memory: Memory, id: string): SessionRecord {
  const before = memory.of(sessions).get(id);
  memory.deleteWhere(refreshTokens, 'sessionId', id);
  if (statusOf(memory, before) !== 'active') return before;
  const { now } = memory;
  const session = memory.of(sessions).update(id, { status: 'revoked', endedAt: now, updatedAt: now });
  memory.emit('session.revoked', sessionView(memory, session));
  return session;
}

/** Make a session expire now. Does nothing if it has already ended. @throws {EmulatorRefusal} 404. */
export function expireSession(memory: Memory, id: string): SessionRecord {
  const before = memory.of(sessions).get(id);
  if (statusOf(memory, before) !== 'active') return before;
  return memory.of(sessions).update(id, { expiresAt: memory.now });
}

/** Revoke and delete all sessions of a user. Active ones emit `session.revoked`. */
export function dropSessionsOf(memory: Memory, userId: string): void {
  for (const { id } of memory.of(sessions).where('userId', userId).values()) {
    revokeSession(memory, id);
    memory.delete(sessions, id);
  }
}

/** Revoke all sessions in an organization, or only those of one user. */
export function revokeSessionsIn(memory: Memory, organizationId: string, userId?: string): void {
  for (const session of memory.of(sessions).where('organizationId', organizationId).values())
    if (session.userId === (userId ?? session.userId)) revokeSession(memory, session.id);
}

export const sessionFacts: Facts<SessionRecord> = {
  model: session,
  all: (memory) => memory.of(sessions),
  columns: [
    ['createdAt', 'Signed in'],
    'method',
    'organizationId',
    { label: 'Status', of: (record, memory) => statusOf(memory, record) },
    { label: 'Expires', of: ({ endedAt, expiresAt }) => endedAt ?? expiresAt, as: timestamp },
    'id',
  ],
  empty: 'No sessions.',
  actions: [
    { control: 'endSession', label: 'End', when: (record, memory) => statusOf(memory, record) === 'active' },
    { control: 'expireSession', label: 'Expire', when: (record, memory) => statusOf(memory, record) === 'active' },
  ],
};
