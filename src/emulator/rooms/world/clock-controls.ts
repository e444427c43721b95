import { type Fields, part, ref, timestamp, valueAs } from '../../../service/describe/define.js';
import { get, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import { type Clock, type Duration, type Instant, instantOf, millisecondsOf } from '../../world/clock.js';
import { unprocessableField } from '../../world/refusal.js';
import type { World } from '../../world/world.js';

const clockReading = part({
  /** The time by the emulator's clock; ISO 8601 in UTC with milliseconds. */
  now: timestamp,
});
/** What the clock shows. */
export interface ClockReading extends Readonly<Fields<typeof clockReading>> {}

const advance = part({
  /** `31d`, `12h`, `10m`, `5s`, `250ms`, or milliseconds. */
  by: valueAs<Duration>(),
});
const clockSetting = part({
  /** An ISO 8601 text, or milliseconds since 1970. */
  to: valueAs<Instant>(),
});

const readClock = ({ clock }: World): ClockReading => ({ now: clock.iso() });

/** The time by which everything expires, retries and is dated. */
export const clockControls = {
  /** Read the clock. */
  read: lookup(get('/_emulator/clock', { returns: ref<ClockReading>(clockReading) }), ({ world }) => readClock(world)),
  /**
   * Move the clock forward. What falls due on the way is done in order, each at its own time; resolves when it is done.
   * Not to be awaited from inside a scheduled task, which it would wait for.
   *
   * @throws {Refusal} 422 unless it is a duration.
   */
  advance: control(
    post('/_emulator/clock/advance', { body: advance, returns: ref<ClockReading>(clockReading) }),
    async ({ world }, by: Duration) => {
      const ms = parseField('by', "milliseconds, or a text such as '31d', '12h', '10m', '5s' or '250ms'", () =>
        millisecondsOf(by),
      );
      refuseOutOfRange('by', world.clock.now() + ms);
      await world.clock.advance(ms);
      return readClock(world);
    },
    { positional: ['by'] },
  ),
  /**
   * Move the clock to a point in time. Forward, what falls due on the way is done; backwards does nothing that was due.
   *
   * @throws {Refusal} 422 unless it is a point in time.
   */
  set: control(
    post('/_emulator/clock/set', { body: clockSetting, returns: ref<ClockReading>(clockReading) }),
    async ({ world }, to: Instant) => {
      await world.clock.set(instantIn('to', to));
      return readClock(world);
    },
    { positional: ['to'] },
  ),
  /** Put the clock back to its start: the given time, or the real one. What is scheduled stays scheduled. */
  reset: control(post('/_emulator/clock/reset', { returns: ref<ClockReading>(clockReading) }), ({ world }) => {
    world.clock.reset();
    return readClock(world);
  }),
};

/** The emulator's clock. A clock of yours in the options stays what it is: these methods move it. */
export interface EmulatorClock
  extends Methods<typeof clockControls>,
    Pick<Clock, 'now' | 'iso' | 'schedule' | 'close'> {}

/** Years of four digits: timestamps beyond them would sort wrongly as texts, and further out there are none. */
const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-01-01T00:00:00.000Z');

/** A point in time that a field holds, in milliseconds. @throws {Refusal} 422. */
export function instantIn(field: string, instant: Instant): number {
  const expected = "an ISO 8601 text such as '2026-01-31T12:00:00.000Z', or milliseconds since 1970";
  const ms = parseField(field, expected, () => instantOf(instant));
  refuseOutOfRange(field, ms);
  return ms;
}

function refuseOutOfRange(field: string, ms: number): void {
  if (ms < earliest || ms > latest)
    throw unprocessableField(field, 'out_of_range', 'must leave the clock between the years 1 and 9998');
}

function parseField<T>(field: string, expected: string, value: () => T): T {
  try {
    return value();
  } catch {
    throw unprocessableField(field, 'invalid_value', `must be ${expected}`);
  }
}
