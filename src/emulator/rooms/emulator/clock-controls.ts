import { type Fields, part, ref, timestamp, valueAs } from '../../../service/describe/define.js';
import { get, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../http/control.js';
import { unprocessableField } from '../../store/refusal.js';
import { type Clock, type Duration, type Instant, instantOf, millisecondsOf } from '../../world/clock.js';
import type { Memory } from '../../world/memory.js';

const clockReading = part({
  /** Time of the emulator's clock; ISO 8601 UTC with milliseconds. */
  now: timestamp,
});
/** The time of the emulator's clock. */
export interface ClockReading extends Readonly<Fields<typeof clockReading>> {}

const advance = part({
  /** Duration, such as `31d`, `12h`, `10m`, `5s`, `250ms`, or a number of milliseconds. */
  by: valueAs<Duration>(),
});
const clockSetting = part({
  /** ISO 8601 time, or milliseconds since 1970. */
  to: valueAs<Instant>(),
});

const readClock = ({ clock }: Memory): ClockReading => ({ now: clock.iso() });

/** The emulator's clock. It drives expiry, retries and timestamps. */
export const clockControls = {
  /** Read the clock. */
  read: lookup(get('/_emulator/clock', { returns: ref<ClockReading>(clockReading) }), ({ memory }) =>
    readClock(memory),
  ),
  /**
   * Move the clock forward. Tasks that become due run in order, each at its scheduled time. Resolves when they have finished. Do
   * not await it inside a scheduled task: it would wait for itself.
   *
   * @throws {EmulatorRefusal} 422 if `by` is not a duration.
   */
  advance: control(
    post('/_emulator/clock/advance', { body: advance, returns: ref<ClockReading>(clockReading) }),
    async ({ memory }, by: Duration) => {
      const ms = parseField('by', "milliseconds, or a duration such as '31d', '12h', '10m', '5s' or '250ms'", () =>
        millisecondsOf(by),
      );
      refuseOutOfRange('by', memory.clock.now() + ms);
      await memory.clock.advance(ms);
      return readClock(memory);
    },
    { positional: ['by'] },
  ),
  /**
   * Set the clock to a time. Moving it forward runs the tasks that become due; moving it back runs none.
   *
   * @throws {EmulatorRefusal} 422 if `to` is not a time.
   */
  set: control(
    post('/_emulator/clock/set', { body: clockSetting, returns: ref<ClockReading>(clockReading) }),
    async ({ memory }, to: Instant) => {
      await memory.clock.set(instantIn('to', to));
      return readClock(memory);
    },
    { positional: ['to'] },
  ),
  /** Reset the clock to its start: the configured time, or real time. Scheduled tasks stay scheduled. */
  reset: control(post('/_emulator/clock/reset', { returns: ref<ClockReading>(clockReading) }), ({ memory }) => {
    memory.clock.reset();
    return readClock(memory);
  }),
};

/** The emulator's clock. If you pass your own clock in the options, these methods move it. */
export interface EmulatorClock
  extends Methods<typeof clockControls>,
    Pick<Clock, 'now' | 'iso' | 'schedule' | 'close'> {}

/** Timestamps outside these years would not sort correctly as strings. */
const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-01-01T00:00:00.000Z');

/** Parse the time in a field, in milliseconds since 1970. @throws {EmulatorRefusal} 422. */
export function instantIn(field: string, instant: Instant): number {
  const expected = "an ISO 8601 time such as '2026-01-31T12:00:00.000Z', or milliseconds since 1970";
  const ms = parseField(field, expected, () => instantOf(instant));
  refuseOutOfRange(field, ms);
  return ms;
}

function refuseOutOfRange(field: string, ms: number): void {
  if (ms < earliest || ms > latest)
    throw unprocessableField(field, 'out_of_range', 'must keep the clock between the years 1 and 9998');
}

function parseField<T>(field: string, expected: string, value: () => T): T {
  try {
    return value();
  } catch {
    throw unprocessableField(field, 'invalid_value', `must be ${expected}`);
  }
}
