import { collection, type World } from '../world.js';

/** A refresh token as it is kept. */
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
});

/** When a refresh token that is made or used now stops working. */
export const refreshExpiry = (world: World): string => world.fromNow(world.settings.refreshTokenSeconds * 1_000);

/** Gives a session its next refresh token, in place of the one before. */
export function issueRefreshToken(world: World, sessionId: string): string {
  const { token } = world
    .of(refreshTokens)
    .insert({ token: world.ids.token(25), sessionId, usedAt: null, expiresAt: refreshExpiry(world) });
  return token;
}

/** What came of a refresh token: the one to use from now on, or why there is none. */
export type Exchanged = { readonly token: string } | { readonly refused: 'unknown' | 'used' | 'expired' };

/** The session that a refresh token belongs to, whether it still works or not. */
export const sessionOfRefreshToken = (world: World, token: string): string | undefined =>
  world.of(refreshTokens).by('token', token)?.sessionId;

/** Uses a refresh token: it gives the next one, the same again, or the present one of its session, by the settings. */
export function exchangeRefreshToken(world: World, token: string): Exchanged {
  const tokens = world.of(refreshTokens);
  const given = tokens.by('token', token);
  if (!given) return { refused: 'unknown' };
  if (world.isPast(given.expiresAt)) return { refused: 'expired' };
  const now = world.clock.now();
  const { rotateRefreshTokens, refreshReuseSeconds } = world.settings;
  const reusable = (usedAt: number): boolean => now < usedAt + refreshReuseSeconds * 1_000;
  if (given.usedAt !== null) {
    if (!reusable(given.usedAt)) return { refused: 'used' };
    const present = tokens.where('sessionId', given.sessionId).find(({ usedAt }) => usedAt === null);
    return present ? { token: present.token } : { refused: 'used' };
  }
  if (!rotateRefreshTokens) {
    tokens.update(given.id, { expiresAt: refreshExpiry(world) });
    return { token };
  }
  // Of those used earlier only the ones that may still be asked for are kept.
  for (const { id, usedAt } of tokens.where('sessionId', given.sessionId).values())
    if (usedAt !== null && !reusable(usedAt)) tokens.delete(id);
  tokens.update(given.id, { usedAt: now });
  return { token: issueRefreshToken(world, given.sessionId) };
}

/** What goes with a session: its refresh tokens. */
export function dropRefreshTokensOf(world: World, sessionId: string): void {
  for (const { id } of world.of(refreshTokens).where('sessionId', sessionId).values())
    world.of(refreshTokens).delete(id);
}
