import { nullable, number, part, ref, string, timestamp } from '../../service/describe/define.js';
import { collection, type World } from '../world/world.js';

/** A refresh token as the emulator stores it. */
export interface RefreshTokenRecord {
  readonly id: string;
  readonly token: string;
  readonly sessionId: string;
  /** When it was exchanged for another; null for the present one of its session. */
  readonly usedAt: number | null;
  readonly expiresAt: string;
}

/** The present refresh token of every session, and those used last. */
export const refreshTokens = collection<RefreshTokenRecord>({
  object: 'refresh token',
  prefix: 'refresh_token',
  unique: ['token'],
  index: ['sessionId'],
  record: ref<RefreshTokenRecord>(
    part({ id: string, token: string, sessionId: string, usedAt: nullable(number), expiresAt: timestamp }),
  ),
});

/** When a refresh token that is made or used now stops working. */
export const refreshExpiry = (world: World): string => world.fromNow(world.settings.refreshTokenSeconds * 1_000);

/** Give a session its next refresh token, in place of the one before. */
export function issueRefreshToken(world: World, sessionId: string): string {
  const { token } = world
    .of(refreshTokens)
    .insert({ token: world.ids.token(25), sessionId, usedAt: null, expiresAt: refreshExpiry(world) });
  return token;
}

/** Why a refresh token does not work. */
export type TokenRefusal = 'unknown' | 'used' | 'expired';

/** The refresh token that a client shows, or why it does not work; nothing changes. */
export function workingRefreshToken(world: World, token: string): RefreshTokenRecord | TokenRefusal {
  const record = world.of(refreshTokens).by('token', token);
  if (!record) return 'unknown';
  if (record.usedAt !== null && !isReusable(world, record.usedAt)) return 'used';
  return world.isPast(record.expiresAt) ? 'expired' : record;
}

/** Whether the window for reuse is open; a clock that is set back opens none. */
const isReusable = (world: World, usedAt: number): boolean =>
  Math.abs(world.clock.now() - usedAt) < world.settings.refreshReuseSeconds * 1_000;

/** Use a refresh token that works: it gives the next one, the same again, or the present one of its session. */
export function exchangeRefreshToken(world: World, { id, token, sessionId, usedAt }: RefreshTokenRecord): string {
  const tokens = world.of(refreshTokens);
  const ofSession = tokens.where('sessionId', sessionId).values();
  // A session that runs always has one.
  if (usedAt !== null) return ofSession.find((other) => other.usedAt === null)!.token;
  if (!world.settings.rotateRefreshTokens) {
    tokens.update(id, { expiresAt: refreshExpiry(world) });
    return token;
  }
  // Of those used earlier only the ones that may still be asked for are kept.
  for (const other of ofSession) if (other.usedAt !== null && !isReusable(world, other.usedAt)) tokens.delete(other.id);
  tokens.update(id, { usedAt: world.clock.now() });
  return issueRefreshToken(world, sessionId);
}
