import { number, part, ref, string } from '../../../service/describe/define.js';
import { unprocessableField } from '../../world/refusal.js';
import { collection, value, type World } from '../../world/world.js';

/** Times by the clock, in milliseconds since 1970: a read sees the writes up to then. */
export type Moment = number;

/** Before everything: the earliest time that a date can have. */
export const beginning: Moment = -8.64e15;

/** The moment after a write; its id is the token. */
interface MomentRecord {
  readonly id: string;
  readonly time: Moment;
}

const moments = collection<MomentRecord>({
  object: 'warrant token',
  prefix: 'warrant_token',
  record: ref<MomentRecord>(part({ id: string, time: number })),
});

/** How many moments are remembered; the token of an older one stands for the oldest of them. */
const mostMoments = 10_000;

/** The moments, of which there always is one: what was seeded was there before everything. */
function momentsIn(world: World) {
  const all = world.of(moments);
  if (all.size === 0) all.insert({ time: beginning });
  return all;
}

/** How many milliseconds a read without a token may lag behind. */
const lag = value<number | undefined>('fga lag', undefined, number);

/** Let reads without a token lag behind by this much from now on. */
export const setLag = (world: World, ms: number): void => world.of(lag).set(ms);

/** The token of the last write that a read of a moment sees. */
export function warrantTokenAt(world: World, moment: Moment): string {
  const all = momentsIn(world);
  const [last] = all.page({ limit: 1, order: 'desc' }, {}, ({ time }) => time <= moment).data;
  return (last ?? all.first!).id;
}

/**
 * The moment that a read is about: as long ago as reads lag behind, and not before the write whose token it brings;
 * with `latest` it is the present.
 *
 * @throws {Refusal} 422 for the token of no write.
 */
export function momentOf(world: World, request: Request): Moment {
  const token = request.headers.get('warrant-token');
  const ms = world.of(lag).get() ?? world.settings.fgaLagMs;
  // Whatever is there, though the clock may have been set back since it was written.
  if (token === 'latest') return Number.POSITIVE_INFINITY;
  const ago = ms === 0 ? Number.POSITIVE_INFINITY : world.clock.now() - ms;
  if (token === null) return ago;
  const all = momentsIn(world);
  const written = all.find(token) ?? (all.knows(token) ? all.first : undefined);
  if (written) return Math.max(ago, written.time);
  throw unprocessableField(
    'Warrant-Token',
    'unknown_warrant_token',
    'must be latest, or a warrant_token that a write was answered with',
  );
}

/** Note that a write has happened; return the token of the moment after it. */
export function passWarrantWrite(world: World): string {
  const all = momentsIn(world);
  const { id } = all.insert({ time: world.clock.now() });
  if (all.size > mostMoments) all.delete(all.first!.id);
  return id;
}
