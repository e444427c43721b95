import { number, part, ref, string } from '../../../service/describe/define.js';
import { unprocessableField } from '../../store/refusal.js';
import { collection, type Memory, value } from '../../world/memory.js';

/** Time of the emulator's clock in milliseconds since 1970. A read sees all writes up to its moment. */
export type Moment = number;

/** The earliest time that a `Date` can have. */
export const beginning: Moment = -8.64e15;

/** The moment of a write. Its id is the warrant token. */
interface MomentRecord {
  readonly id: string;
  readonly time: Moment;
}

const moments = collection<MomentRecord>({
  object: 'warrant token',
  prefix: 'warrant_token',
  record: ref<MomentRecord>(part({ id: string, time: number })),
});

/** Maximum number of stored moments. An older token is treated as the oldest of them. */
const maxMoments = 10_000;

/** Get all moments. The first one represents the time before any write. */
function momentsIn(memory: Memory) {
  const all = memory.of(moments);
  if (all.size === 0) all.insert({ time: beginning });
  return all;
}

/** Lag of reads without a token, in milliseconds. */
const lag = value<number | undefined>('fga lag', undefined, number);

/** Set the lag of reads without a token. */
export const setLag = (memory: Memory, ms: number): void => memory.of(lag).set(ms);

/** Get the token of the last write that a read at this moment sees. */
export function warrantTokenAt(memory: Memory, moment: Moment): string {
  const all = momentsIn(memory);
  const [last] = all.page({ limit: 1, order: 'desc' }, {}, ({ time }) => time <= moment).data;
  return (last ?? all.first!).id;
}

/**
 * Get the moment that a read sees. This is in the past by the configured lag, but not before the write of its token. With
 * `latest`, the read sees everything.
 *
 * @throws {Refusal} 422 for an unknown token.
 */
export function momentOf(memory: Memory, request: Request): Moment {
  const token = request.headers.get('warrant-token');
  const ms = memory.of(lag).get() ?? memory.settings.fgaLagMs;
  // Not the current time: the clock may have been set back since the last write.
  if (token === 'latest') return Number.POSITIVE_INFINITY;
  const ago = ms === 0 ? Number.POSITIVE_INFINITY : memory.clock.now() - ms;
  if (token === null) return ago;
  const all = momentsIn(memory);
  const written = all.find(token) ?? (all.knows(token) ? all.first : undefined);
  if (written) return Math.max(ago, written.time);
  throw unprocessableField(
    'Warrant-Token',
    'unknown_warrant_token',
    'must be latest or the warrant_token from the response to a write',
  );
}

/** Record a write and return its token. */
export function recordWarrantWrite(memory: Memory): string {
  const all = momentsIn(memory);
  const { id } = all.insert({ time: memory.clock.now() });
  if (all.size > maxMoments) all.remove(all.first!.id);
  return id;
}
