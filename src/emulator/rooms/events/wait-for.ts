import { wireName } from '../../../http/json.js';
import { between, body, type Fields, opaque, optional, string } from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { event } from '../../../service/events.js';
import { EmulatorRefusal } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import type { EventRecord } from '../../world/event-log.js';
import { type Memory, slot } from '../../world/memory.js';
import { Waits, within } from '../../world/waits.js';

/** Maximum delay of `setTimeout`. */
const maxTimeoutMs = 2 ** 31 - 1;
const defaultTimeoutMs = 5000;

export const eventWait = body({
  /** Type of the event, such as `user.created`; any by default. */
  event: optional(string),
  /** Fields that `data` must contain, under their wire or camelCase names. */
  match: optional(opaque),
  /** Maximum wait in milliseconds; default 5000. Measured in real time, not by the emulator's clock. */
  timeoutMs: optional(between(0, maxTimeoutMs)),
});
/** Which event to wait for, and how long; any event by default. */
export interface EventWait extends Readonly<Fields<typeof eventWait>> {}

/** An event returned by `waitFor`. The shape of `data` depends on `event`. */
export interface AwaitedEvent extends Readonly<Fields<typeof event>> {}

/** The open waits of a world, and the events returned so far. */
const eventWaits = slot('event waits', 'open requests do not exist in a copy of the world', (memory) => {
  const waits = new Waits<EventRecord>();
  const handedOut = new WeakSet<EventRecord>();
  memory.onEvent((record) => {
    if (waits.offer(record)) handedOut.add(record);
  });
  memory.onClose(() => waits.close());
  return { waits, handedOut };
});

/**
 * Wait for the next matching event, past or future. Each event is returned once, in order. An aborted call returns no event.
 *
 * @throws {EmulatorRefusal} 404 `no_event` after the timeout, listing the events that did occur; 409 `closed` if the world ends
 * meanwhile.
 */
export async function waitForEvent(memory: Memory, wait: EventWait, signal?: AbortSignal): Promise<View<AwaitedEvent>> {
  const { timeoutMs = defaultTimeoutMs } = wait;
  const { handedOut, waits } = memory.of(eventWaits);
  const matches = (record: EventRecord): boolean => matchesWait(memory, record, wait);
  if (signal?.aborted) throw aborted();
  const found = memory.events.records.values().find((record) => matches(record) && !handedOut.has(record));
  if (found) {
    handedOut.add(found);
    return found;
  }
  const result = await waits.next(matches, within(timeoutMs), signal);
  if (result === 'late') throw noEvent(memory, wait, timeoutMs);
  if (result === 'aborted') throw aborted();
  if (result === 'closed') throw closed();
  return result;
}

const aborted = (): EmulatorRefusal =>
  new EmulatorRefusal(409, 'closed', 'The request that waited for an event was aborted');

const closed = (): EmulatorRefusal =>
  new EmulatorRefusal(
    409,
    'closed',
    'The emulator was reset or closed while waiting for an event. Await the event before you reset or close the emulator',
  );

function matchesWait(memory: Memory, record: EventRecord, wait: EventWait): boolean {
  if (wait.event !== undefined && wait.event !== record.event) return false;
  const { match } = wait;
  return match === undefined || contains(record.data, match) || contains(wireDataOf(memory, record), match);
}

const descriptor = descriptorOf(event);
const wireDataOf = (memory: Memory, record: EventRecord): unknown =>
  (project(memory.codec, descriptor, record) as { readonly data: unknown }).data;

/** Check whether a value equals another, or contains all fields of the other. */
function contains(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected) && expected.length !== (value as readonly unknown[]).length) return false;
  return Object.entries(expected).every(([key, one]) =>
    contains((value as Readonly<Record<string, unknown>>)[key], one),
  );
}

/** Maximum number of events listed in an error. */
const maxDescriptions = 10;

/**
 * Create the error for a timeout. It lists the events that did occur, with the requested fields if the type matches. Events
 * contain no secrets.
 */
function noEvent(memory: Memory, wait: EventWait, timeoutMs: number): EmulatorRefusal {
  const { handedOut } = memory.of(eventWaits);
  const all = memory.events.records.values();
  const texts = all.slice(-maxDescriptions).map((record) => {
    const isSameType = wait.match !== undefined && record.event === wait.event;
    const difference = isSameType ? ` with ${JSON.stringify(pick(wireDataOf(memory, record), wait.match!))}` : '';
    return `${record.event}${difference}${handedOut.has(record) ? ' (already returned)' : ''}`;
  });
  const earlier = all.length - texts.length;
  const description = `${wait.event ?? 'event'}${wait.match === undefined ? '' : ` with ${JSON.stringify(wait.match)}`}`;
  const instead =
    all.length === 0
      ? 'No events have occurred'
      : `Events so far: ${earlier > 0 ? `${earlier} earlier events, then ` : ''}${texts.join(', ')}`;
  return new EmulatorRefusal(
    404,
    'no_event',
    `No ${description} occurred within ${timeoutMs} ms. ${instead}. Check the type and the data. A seed does not emit events`,
  );
}

/** Pick the requested fields of a value. The result has their wire names. */
function pick(value: unknown, pattern: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(pattern).map(wireName);
  return Object.fromEntries(names.map((name) => [name, (value as Readonly<Record<string, unknown>>)[name]]));
}
