import { nullable, number, part, ref, string, timestamp } from '../../../service/describe/define.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';

const refreshTokenRecord = part({
  id: string,
  token: string,
  sessionId: string,
  /** When the token was exchanged, in milliseconds since 1970; null for the current token of its session. */
  usedAt: nullable(number),
  /** The access token that was returned with it; null for the tokens of a sign-in. */
  accessToken: nullable(string),
  expiresAt: timestamp,
});
/** A refresh token as the emulator stores it. */
interface RefreshTokenRecord extends Stored<typeof refreshTokenRecord> {}

/** The current refresh token of every session, and recently used ones. */
export const refreshTokens = collection<RefreshTokenRecord>({
  object: 'refresh token',
  prefix: 'refresh_token',
  unique: ['token'],
  publicToken: 'token',
  belongsTo: { sessionId: 'session' },
  record: ref(refreshTokenRecord),
});

/** Get the expiry time of a refresh token that is issued or used now. */
export const refreshExpiry = (memory: Memory): string => memory.fromNow(memory.settings.refreshTokenLifetimeMs);

/** Issue a new current refresh token for a session. */
export function issueRefreshToken(memory: Memory, sessionId: string, accessToken: string | null = null): string {
  const expiresAt = refreshExpiry(memory);
  return memory
    .of(refreshTokens)
    .insert({ token: memory.ids.token(25), sessionId, usedAt: null, accessToken, expiresAt }).token;
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

/** The tokens that a refresh returns. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Exchange an unused refresh token for a new one that comes with this access token. Without rotation, returns the same refresh token.
 */
export function exchangeRefreshToken(
  memory: Memory,
  { id, token, sessionId }: RefreshTokenRecord,
  accessToken: string,
): TokenPair {
  const tokens = memory.of(refreshTokens);
  if (!memory.settings.rotateRefreshTokens) {
    tokens.update(id, { expiresAt: refreshExpiry(memory) });
    return { accessToken, refreshToken: token };
  }
  // Used tokens are stored only as long as they can be reused.
  for (const other of tokens.where('sessionId', sessionId).values())
    if (other.usedAt !== null && !isReusable(memory, other.usedAt)) memory.delete(refreshTokens, other.id);
  tokens.update(id, { usedAt: memory.clock.now() });
  return { accessToken, refreshToken: issueRefreshToken(memory, sessionId, accessToken) };
}

/**
 * Return the current tokens of a session: those of the first use of a used token, unless they have been used since.
 *
 * @param accessToken Replaces the current access token, after a switch of the organization.
 */
export function currentTokens(memory: Memory, sessionId: string, accessToken?: string): TokenPair {
  const tokens = memory.of(refreshTokens);
  // A session with a used token has a current one, which came with an access token.
  const current = tokens
    .where('sessionId', sessionId)
    .values()
    .find(({ usedAt }) => usedAt === null)!;
  if (accessToken !== undefined) tokens.update(current.id, { accessToken });
  return { accessToken: accessToken ?? current.accessToken!, refreshToken: current.token };
}
