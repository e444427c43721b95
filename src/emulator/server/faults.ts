import { mostEvents } from '../world/event-log.js';
import { Refusal, type RequestProblem, unprocessable } from '../world/refusal.js';
import { slot, type World } from '../world/world.js';
import { type Answer, ownAnswer } from './answer.js';
import { brokenAnswer } from './broken-answer.js';
import { type ActiveFault, type CheckedFault, checkedFault, type Fault, fault as faultModel } from './fault.js';

/** A fault under way. */
interface RunningFault extends CheckedFault {
  readonly id: string;
  /** How many times it is still to happen; infinite where nobody says. */
  left: number;
  /** What has come together of its share since it last happened: at 1 it happens. */
  portion: number;
}

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
  #faults: RunningFault[] = [];
  readonly #waiting = new Set<() => void>();
  /** When events become visible that are late, by their ids. */
  readonly #visibleAt = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
    world.onEvent(({ id, event }) => this.#note(id, event));
    world.onClose(() => {
      for (const release of this.#waiting) release();
    });
  }

  /** Those under way, the first one given first. */
  get list(): readonly ActiveFault[] {
    return this.#faults.map(listed);
  }

  /** Have something go wrong, after what goes wrong already. @throws {Refusal} 422 for what contradicts itself. */
  add(fault: Fault): ActiveFault {
    const running: RunningFault = {
      ...checkedFault(fault),
      id: this.#world.ids('fault'),
      left: fault.times ?? Number.POSITIVE_INFINITY,
      portion: 0,
    };
    this.#faults.push(running);
    return listed(running);
  }

  /** End one. Answers that are held back already stay so. @returns Whether there was one. */
  remove(id: string): boolean {
    const at = this.#faults.findIndex((one) => one.id === id);
    if (at >= 0) this.#faults.splice(at, 1);
    return at >= 0;
  }

  /** End all; answers that are held back stay so. */
  clear(): void {
    this.#faults = [];
  }

  /** The answer to a request: what `perform` gives, or what a fault makes of it. */
  async answer(request: FaultyRequest, perform: () => Promise<Answer>): Promise<Answer> {
    const { operation, path, own, refuse } = request;
    if (this.#faults.length === 0 && !own) return perform();
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
    if (this.#visibleAt.size <= mostEvents) return;
    // So many events have come since that the first one noted is forgotten.
    for (const first of this.#visibleAt.keys()) {
      this.#visibleAt.delete(first);
      return;
    }
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
  #next(fits: (one: RunningFault) => boolean): RunningFault | undefined {
    for (const one of this.#faults) {
      if (!fits(one)) continue;
      one.portion += one.share;
      // Shares are fractions, and their sums fall a little short.
      if (one.portion < 1 - 1e-9) continue;
      one.portion -= 1;
      one.left -= 1;
      if (one.left <= 0) this.remove(one.id);
      return one;
    }
    return undefined;
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

/** Whether the answer is the one that the request would get anyway, late or broken. */
const isRealAnswer = ({ status, code, retryAfterSeconds, never, connection, ...rest }: Fault): boolean =>
  (status ?? code ?? retryAfterSeconds) === undefined &&
  !never &&
  connection !== 'reset' &&
  (connection ?? rest.delay ?? rest.body ?? rest.contentType ?? rest.drip) !== undefined;

const listed = ({ id, fault, left }: RunningFault): ActiveFault =>
  // Nothing in it is undefined: a description reads what is left out as absent.
  ({ id, ...fault, ...(Number.isFinite(left) ? { times: left } : {}) }) as ActiveFault;

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
export const faults = slot('faults', 'it is not saved so far', (world) => new Faults(world));

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
  const errors: RequestProblem[] = Object.keys(fields)
    .filter((name) => !names.includes(name))
    .map((name) => ({ field: name, code: 'unknown_field', message: 'is not something that can go wrong' }));
  if ('errors' in known) errors.push(...known.errors);
  if (errors.length > 0) throw unprocessable(errors);
  // The parser has checked it against the description.
  return (known as { readonly value: Fault }).value;
}
