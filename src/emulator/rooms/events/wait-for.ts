import { between, body, type Fields, opaque, optional, string } from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { event } from '../../../service/events.js';
import type { EventRecord } from '../../world/event-log.js';
import { Refusal } from '../../world/refusal.js';
import type { View } from '../../world/view.js';
import { slot, type World } from '../../world/world.js';

/** The longest a timer of the runtime can wait. */
const longestTimeoutMs = 2 ** 31 - 1;
const defaultTimeoutMs = 5000;

export const eventWait = body({
  /** Type of the event, `user.created`; any when not given. */
  event: optional(string),
  /** What its `data` has to have, by its names on the wire or in process; more may be there. */
  match: optional(opaque),
  /** How long to wait, in milliseconds of real time, whatever the emulator's clock says; default 5000. */
  timeoutMs: optional(between(0, longestTimeoutMs)),
});
/** Which event to wait for, and how long; any event where nothing is said. */
export interface EventWait extends Readonly<Fields<typeof eventWait>> {}

/** An event that somebody has waited for; the form of `data` follows from `event`. */
export interface AwaitedEvent extends Readonly<Fields<typeof event>> {}

/** Who waits for events of a world, and which events somebody has got. */
export const eventWaits = slot('event waits', 'whoever waits is not there in a copy of the world', () => ({
  handedOut: new WeakSet<EventRecord>(),
  waiters: new Set<(error: Refusal) => void>(),
}));

/**
 * The next event that fits, there already or still to come; each is handed out once, in the order in which they happened. Nothing is
 * handed out to whoever has gone, as `signal` says.
 *
 * @throws {Refusal} 404 `no_event` when none has come in time, naming those that have; 409 `closed` when the world ends meanwhile.
 */
export async function waitForEvent(world: World, wait: EventWait, signal?: AbortSignal): Promise<View<AwaitedEvent>> {
  const { timeoutMs = defaultTimeoutMs } = wait;
  const { handedOut, waiters } = world.of(eventWaits);
  const fits = (record: EventRecord): boolean => isFitting(world, record, wait) && !handedOut.has(record);
  const take = (record: EventRecord): View<AwaitedEvent> => {
    handedOut.add(record);
    return record;
  };
  if (signal?.aborted) throw gone();
  const found = world.events.records.values().find(fits);
  if (found) return take(found);
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      deaf();
      waiters.delete(end);
      signal?.removeEventListener('abort', go);
    };
    const end = (error: Refusal): void => {
      leave();
      reject(error);
    };
    const go = (): void => end(gone());
    const deaf = world.onEvent((record) => {
      if (!fits(record)) return;
      leave();
      resolve(take(record));
    });
    const timer = setTimeout(() => end(noEvent(world, wait, timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', go, { once: true });
    waiters.add(end);
  });
}

const gone = (): Refusal => new Refusal(409, 'closed', 'Whoever waited for an event has gone');

/** Send whoever waits away: nothing will happen any more. */
export function endEventWaits(world: World): void {
  for (const end of [...world.of(eventWaits).waiters])
    end(
      new Refusal(
        409,
        'closed',
        'The emulator was reset or closed, and no event will come any more. Await the event before you reset or close the emulator',
      ),
    );
}

function isFitting(world: World, record: EventRecord, wait: EventWait): boolean {
  if (wait.event !== undefined && wait.event !== record.event) return false;
  const { match } = wait;
  return match === undefined || has(record.data, match) || has(wireDataOf(world, record), match);
}

const descriptor = descriptorOf(event);
const wireDataOf = (world: World, record: EventRecord): unknown =>
  (project(world.codec, descriptor, record) as { readonly data: unknown }).data;

/** Whether a value is another, or has all that the other has. */
function has(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && wanted.length !== (value as readonly unknown[]).length) return false;
  return Object.entries(wanted).every(([key, one]) => has((value as Readonly<Record<string, unknown>>)[key], one));
}

/** Events named one by one in an error. */
const mostDescriptions = 10;

/** Say what was waited for and what came instead: types, and what differs where the type is right; never a secret, which no event has. */
function noEvent(world: World, wait: EventWait, timeoutMs: number): Refusal {
  const { handedOut } = world.of(eventWaits);
  const all = world.events.records.values();
  const texts = all.slice(-mostDescriptions).map((record) => {
    const isNear = wait.match !== undefined && record.event === wait.event;
    const difference = isNear ? ` with ${JSON.stringify(pick(wireDataOf(world, record), wait.match!))}` : '';
    return `${record.event}${difference}${handedOut.has(record) ? ' (handed out before)' : ''}`;
  });
  const earlier = all.length - texts.length;
  const wanted = `${wait.event ?? 'event'}${wait.match === undefined ? '' : ` with ${JSON.stringify(wait.match)}`}`;
  const instead =
    all.length === 0
      ? 'Nothing has happened'
      : `What happened: ${earlier > 0 ? `${earlier} earlier events, then ` : ''}${texts.join(', ')}`;
  return new Refusal(
    404,
    'no_event',
    `No ${wanted} came within ${timeoutMs} ms. ${instead}. Check the type and the data that you wait for, and that a seed emits no events`,
  );
}

/** The fields of a value that are asked for, by their names on the wire. */
function pick(value: unknown, wanted: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(wanted).map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return Object.fromEntries(names.map((name) => [name, (value as Readonly<Record<string, unknown>>)[name]]));
}
