import { nullable, number, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { collection, type Memory } from '../../world/memory.js';

/** A refresh token as the emulator stores it. */
interface RefreshTokenRecord {
  readonly id: string;
  readonly token: string;
  readonly sessionId: string;
  /** When the token was exchanged, in milliseconds since 1970; null for the current token of its session. */
  readonly usedAt: number | null;
  readonly expiresAt: string;
}

/** The current refresh token of every session, and recently used ones. */
export const refreshTokens = collection<RefreshTokenRecord>({
  object: 'refresh token',
  prefix: 'refresh_token',
  unique: ['token'],
  publicToken: 'token',
  belongsTo: { sessionId: 'session' },
  record: ref<RefreshTokenRecord>(
    part({ id: string, token: string, sessionId: string, usedAt: nullable(number), expiresAt: timestamp }),
  ),
});

/** Get the expiry time of a refresh token that is issued or used now. */
export const refreshExpiry = (memory: Memory): string => memory.fromNow(memory.settings.refreshTokenLifetimeMs);

/** Issue a new current refresh token for a session. */
export function issueRefreshToken(memory: Memory, sessionId: string): string {
  const { token } = memory
    .of(refreshTokens)
    .insert({ token: memory.ids.token(25), sessionId, usedAt: null, expiresAt: refreshExpiry(memory) });
  return token;
}

/** Why a refresh token does not work. */
export type TokenRefusal = 'unknown' | 'used' | 'expired';

/** Find a refresh token, or return why it does not work. Changes nothing. */
export function workingRefreshToken(memory: Memory, token: string): RefreshTokenRecord | TokenRefusal {
  const record = memory.of(refreshTokens).by('token', token);
  if (!record) return 'unknown';
  if (record.usedAt !== null && !isReusable(memory, record.usedAt)) return 'used';
  return memory.isPast(record.expiresAt) ? 'expired' : record;
}

/**
 * Check whether the reuse window is open. It uses the absolute difference in time, so setting the clock back does not extend the
 * window.
 */
const isReusable = (memory: Memory, usedAt: number): boolean =>
  Math.abs(memory.clock.now() - usedAt) < memory.settings.refreshReuseMs;

/**
 * Exchange a working refresh token for a new one. Without rotation, returns the same token. For a reused token, returns the
 * session's current token.
 */
export function exchangeRefreshToken(memory: Memory, { id, token, sessionId, usedAt }: RefreshTokenRecord): string {
  const tokens = memory.of(refreshTokens);
  const ofSession = tokens.where('sessionId', sessionId).values();
  // An active session always has a current token.
  if (usedAt !== null) return ofSession.find((other) => other.usedAt === null)!.token;
  if (!memory.settings.rotateRefreshTokens) {
    tokens.update(id, { expiresAt: refreshExpiry(memory) });
    return token;
  }
  // Used tokens are stored only as long as they can be reused.
  for (const other of ofSession)
    if (other.usedAt !== null && !isReusable(memory, other.usedAt)) memory.delete(refreshTokens, other.id);
  tokens.update(id, { usedAt: memory.clock.now() });
  return issueRefreshToken(memory, sessionId);
}
