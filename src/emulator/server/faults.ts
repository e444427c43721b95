import { type Fields, integer, nullable, number, part, ref } from '../../service/describe/define.js';
import { maxEvents } from '../world/event-log.js';
import { Refusal, type RequestProblem, unprocessable } from '../world/refusal.js';
import type { Table } from '../world/table.js';
import { slot, table, type World } from '../world/world.js';
import { type Answer, ownAnswer } from './answer.js';
import { brokenAnswer } from './broken-answer.js';
import { type ActiveFault, type CheckedFault, checkedFault, type Fault, fault as faultModel } from './fault.js';

/** A fault under way, described. */
const runningFault = part({
  fault: ref<Fault>(faultModel),
  /** How many times it is still to happen; null where nobody says. */
  left: nullable(integer),
  /** What has come together of its share since it last happened: at 1 it happens. */
  portion: number,
});
/** A fault under way, as the emulator stores it. */
interface RunningFault extends Readonly<Fields<typeof runningFault>> {}

/** What goes wrong, by the ids of the faults. */
const runningFaults = table<RunningFault>('fault', ref<RunningFault>(runningFault), objectionToFault);
/** When events become visible that are late, in milliseconds since 1970, by their ids. */
const lateEvents = table<number>('late event', number);

/** A request as faults see it. */
export interface FaultyRequest {
  /** Absent for a page. */
  readonly operation: string | undefined;
  readonly path: string;
  /** Made when it is asked for: over HTTP that costs as much as half an answer, and most requests need none. */
  readonly signal: () => AbortSignal;
  /** A fault that the request brings along, for itself alone. */
  readonly own: Fault | undefined;
  /** How it is refused: a browser gets a page that says why. */
  readonly refuse: (refusal: Refusal) => Answer;
}

/** What goes wrong in one world on purpose, and the answers that are being held back. */
export class Faults {
  readonly #world: World;
  readonly #faults: Table<RunningFault>;
  readonly #visibleAt: Table<number>;
  /** Each fault as it is carried out. */
  readonly #checked = new WeakMap<Fault, CheckedFault>();
  readonly #waiting = new Set<() => void>();

  constructor(world: World) {
    this.#world = world;
    this.#faults = world.of(runningFaults);
    this.#visibleAt = world.of(lateEvents);
    world.onEvent(({ id, event }) => this.#note(id, event));
    world.onClose(() => {
      for (const release of this.#waiting) release();
    });
  }

  /** Those under way, the first one given first. */
  get list(): readonly ActiveFault[] {
    return this.#faults.entries().map(listed);
  }

  /** Have something go wrong, after what goes wrong already. @throws {Refusal} 422 for what contradicts itself. */
  add(fault: Fault): ActiveFault {
    this.#checked.set(fault, checkedFault(fault));
    const id = this.#world.ids('fault');
    const running: RunningFault = { fault, left: fault.times ?? null, portion: 0 };
    this.#faults.set(id, running);
    return listed([id, running]);
  }

  /** End one. Answers that are held back already stay so. @returns Whether there was one. */
  remove(id: string): boolean {
    return this.#faults.delete(id);
  }

  /** End all; answers that are held back stay so. */
  clear(): void {
    this.#faults.clear();
  }

  /** The answer to a request: what `perform` gives, or what a fault makes of it. */
  async answer(request: FaultyRequest, perform: () => Promise<Answer>): Promise<Answer> {
    const { operation, path, own, refuse } = request;
    if (this.#faults.size === 0 && !own) return perform();
    const checked = own
      ? checkedFault(own)
      : this.#next((one) => (one.fault.of ?? 'answers') === 'answers' && one.fits(operation, path));
    if (!checked) return perform();
    const { fault, delayMs, dripMs } = checked;
    const isReal = isRealAnswer(fault);
    const dueAt = fault.never ? Number.POSITIVE_INFINITY : this.#world.clock.now() + delayMs;
    const signal = request.signal();
    const answer = (fault.carriedOut ?? isReal) ? await perform() : undefined;
    if (!(await this.#due(dueAt, signal))) return closed(refuse);
    const given = isReal && answer ? answer : refuse(failed(operation ?? path, fault));
    const begun = this.#world.clock.now();
    return brokenAnswer(given, fault, (part) => this.#due(begun + dripMs * part, signal));
  }

  /** Note an event, which a fault may keep from being listed for a while. */
  #note(id: string, event: string): void {
    const late = this.#next(({ fault }) => fault.of === 'events' && (fault.event ?? event) === event);
    if (!late) return;
    this.#visibleAt.set(id, this.#world.clock.now() + late.delayMs);
    const { first } = this.#visibleAt;
    // So many events have come since that the first one noted is forgotten.
    if (first && this.#visibleAt.size > maxEvents) this.#visibleAt.delete(first[0]);
  }

  /** How many events are noted as late: a note goes when its event is listed, or is forgotten. */
  get notes(): number {
    return this.#visibleAt.size;
  }

  /** Whether an event can be listed already. */
  isVisible(id: string): boolean {
    const at = this.#visibleAt.get(id);
    if (at === undefined) return true;
    if (at > this.#world.clock.now()) return false;
    this.#visibleAt.delete(id);
    return true;
  }

  /** How late a webhook comes, in milliseconds, and how many times. */
  ofWebhook(event: string): { readonly delayMs: number; readonly copies: number } {
    const wrong = this.#next(({ fault }) => fault.of === 'webhooks' && (fault.event ?? event) === event);
    return { delayMs: wrong?.delayMs ?? 0, copies: wrong?.fault.copies ?? 1 };
  }

  /** The first fault that fits and whose turn it is. */
  #next(fits: (one: CheckedFault) => boolean): CheckedFault | undefined {
    for (const [id, running] of this.#faults.entries()) {
      const one = this.#checkedOf(running);
      if (!fits(one)) continue;
      const sum = running.portion + one.share;
      // Shares are fractions, and their sums fall a little short.
      const happens = sum >= 1 - 1e-9;
      const portion = happens ? sum - 1 : sum;
      const left = running.left === null || !happens ? running.left : running.left - 1;
      if (left === 0) this.remove(id);
      else if (portion !== running.portion || left !== running.left)
        this.#faults.set(id, { ...running, portion, left });
      if (happens) return one;
    }
    return undefined;
  }

  #checkedOf({ fault }: RunningFault): CheckedFault {
    const checked = this.#checked.get(fault) ?? checkedFault(fault);
    this.#checked.set(fault, checked);
    return checked;
  }

  /** Resolve with true at a time of the clock, or with false when the world ends or whoever waits goes first. */
  async #due(at: number, signal: AbortSignal): Promise<boolean> {
    if (at <= this.#world.clock.now()) return true;
    return new Promise((resolve) => {
      const end = (isDue: boolean): void => {
        cancel?.();
        this.#waiting.delete(release);
        signal.removeEventListener('abort', release);
        resolve(isDue);
      };
      const release = (): void => end(false);
      const cancel = Number.isFinite(at) ? this.#world.schedule(at, () => end(true)) : undefined;
      this.#waiting.add(release);
      signal.addEventListener('abort', release);
    });
  }
}

/** What contradicts itself in a fault that is said to be under way. */
function objectionToFault({ fault }: RunningFault): string | undefined {
  try {
    checkedFault(fault);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Such a refusal names what is wrong.
    const [problem] = error.fields.errors as readonly RequestProblem[];
    return `fault.${problem!.field} ${problem!.message}`;
  }
}

/** Whether the answer is the one that the request would get anyway, late or broken. */
const isRealAnswer = ({ status, code, retryAfterSeconds, never, connection, ...rest }: Fault): boolean =>
  (status ?? code ?? retryAfterSeconds) === undefined &&
  !never &&
  connection !== 'reset' &&
  (connection ?? rest.delay ?? rest.body ?? rest.contentType ?? rest.drip) !== undefined;

const listed = ([id, { fault, left }]: readonly [string, RunningFault]): ActiveFault =>
  // Nothing in it is undefined: a description reads what is left out as absent.
  ({ id, ...fault, ...(left === null ? {} : { times: left }) }) as ActiveFault;

const failed = (what: string, { status = 503, code, retryAfterSeconds }: Fault): Refusal =>
  new Refusal(
    status,
    code ?? 'planned_failure',
    `This answer of ${what} was planned to fail`,
    {},
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  );

const closed = (refuse: FaultyRequest['refuse']): Answer =>
  ownAnswer(
    'control',
    refuse(new Refusal(503, 'closed', 'The emulator was reset or closed while it held this answer back')),
  );

/** What goes wrong in a world. */
export const faults = slot('faults', 'they are in tables, and whoever waits has gone', (world) => new Faults(world));

/** Request header that has the answer to this request alone go wrong. */
export const faultHeader = 'sallyport-fault';

/** Read the header: `status=429, retry_after_seconds=7`; a name alone stands for `true`. @throws {Refusal} 422. */
export function faultIn(world: World, header: string): Fault {
  const fields = Object.fromEntries(
    header.split(',').map((part) => {
      const [name = '', value = 'true'] = part.split('=').map((text) => text.trim());
      return [name, value];
    }),
  );
  const known = world.parser.query(faultModel, fields);
  const names = Object.entries(faultModel.shape).flatMap(([key, field]) => world.codec.readNames(key, field));
  const unknown: RequestProblem[] = Object.keys(fields)
    .filter((name) => !names.includes(name))
    .map((name) => ({ field: name, code: 'unknown_field', message: 'is not something that can go wrong' }));
  const errors = 'errors' in known ? [...unknown, ...known.errors] : unknown;
  if (errors.length > 0) throw unprocessable(errors);
  // The parser has checked it against the description.
  return (known as { readonly value: Fault }).value;
}
