import { unprocessableField } from '../../world/refusal.js';
import { slot, type World } from '../../world/world.js';

/** Times by the clock, in milliseconds since 1970: a read sees the writes up to then. */
export type Moment = number;

/** The moments after writes; each has a token. */
class Moments {
  readonly #times = new Map<string, Moment>();
  readonly #tokens: string[] = [];

  constructor(first: string) {
    // What was seeded was there before everything.
    this.add(first, Number.NEGATIVE_INFINITY);
  }

  timeOf(token: string): Moment | undefined {
    return this.#times.get(token);
  }

  /** The token of the last write up to a moment. */
  at(moment: Moment): string {
    // The first one is older than every moment.
    return this.#tokens.findLast((token) => this.#times.get(token)! <= moment)!;
  }

  add(token: string, time: Moment): string {
    this.#times.set(token, time);
    this.#tokens.push(token);
    return token;
  }
}

const moments = slot((world) => new Moments(world.ids('warrant_token')));

/** How many milliseconds a read without a token may lag behind. */
const lag = slot((world) => ({ ms: world.settings.fgaLagMs }));

/** Let reads without a token lag behind by this much from now on. */
export const setLag = (world: World, ms: number): void => {
  world.of(lag).ms = ms;
};

/** The token of the last write that a read of a moment sees. */
export const warrantTokenAt = (world: World, moment: Moment): string => world.of(moments).at(moment);

/**
 * The moment that a read is about: as long ago as reads lag behind, and not before the write whose token it brings;
 * with `latest` it is the present.
 *
 * @throws {Refusal} 422 for the token of no write.
 */
export function momentOf(world: World, request: Request): Moment {
  const token = request.headers.get('warrant-token');
  const { ms } = world.of(lag);
  // Whatever is there, though the clock may have been set back since it was written.
  if (token === 'latest') return Number.POSITIVE_INFINITY;
  const ago = ms === 0 ? Number.POSITIVE_INFINITY : world.clock.now() - ms;
  if (token === null) return ago;
  const time = world.of(moments).timeOf(token);
  if (time !== undefined) return Math.max(ago, time);
  throw unprocessableField(
    'Warrant-Token',
    'unknown_warrant_token',
    'must be latest, or a warrant_token that a write was answered with',
  );
}

/** Note that a write has happened; return the token of the moment after it. */
export const passWarrantWrite = (world: World): string =>
  world.of(moments).add(world.ids('warrant_token'), world.clock.now());
