import { type Fields, integer, nullable, number, part, ref } from '../../../service/describe/define.js';
import { type Answer, markAnswer } from '../../http/answer.js';
import { EmulatorRefusal, type RequestProblem, unprocessable } from '../../store/refusal.js';
import type { Table } from '../../store/table.js';
import type { Facts } from '../../world/facts.js';
import { type Memory, slot, table } from '../../world/memory.js';
import { Waits } from '../../world/waits.js';
import {
  type ActiveFault,
  activeFault,
  type CheckedFault,
  checkedFault,
  type Fault,
  fault as faultModel,
} from './fault.js';
import { faultyAnswer } from './faulty-answer.js';

/** Description of an active fault. */
const runningFault = part({
  fault: ref<Fault>(faultModel),
  /** Number of times left; null for unlimited. */
  left: nullable(integer),
  /** Share accumulated since it last happened. The fault happens at 1. */
  portion: number,
});
/** An active fault, as the emulator stores it. */
interface RunningFault extends Readonly<Fields<typeof runningFault>> {}

/** Active faults by id. */
const runningFaults = table<RunningFault>('fault', ref<RunningFault>(runningFault), problemOfFault);
/** When delayed events become visible, in milliseconds since 1970, by event id. */
const lateEvents = table<number>('late event', number);

/** A request that faults may apply to. */
interface FaultyRequest {
  /** Id of the operation. Undefined for a page. */
  readonly operation: string | undefined;
  readonly path: string;
  /** Created on demand: it takes half as long as an HTTP response, and most requests do not need it. */
  readonly signal: () => AbortSignal;
  /** Fault from the header of the request. */
  readonly headerFault: Fault | undefined;
  /** Creates the response to a refused request: a page for browsers, JSON for others. */
  readonly refuse: (refusal: EmulatorRefusal) => Answer;
}

/** The faults of one world, and the responses that they delay. */
export class Faults {
  readonly #memory: Memory;
  readonly #faults: Table<RunningFault>;
  readonly #visibleAt: Table<number>;
  readonly #checked = new WeakMap<Fault, CheckedFault>();
  readonly #waits = new Waits<never>();

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#faults = memory.of(runningFaults);
    this.#visibleAt = memory.of(lateEvents);
    memory.onEvent(({ id, event }) => this.#note(id, event));
    memory.onClose(() => this.#waits.close());
  }

  /** Active faults, oldest first. */
  get list(): readonly ActiveFault[] {
    return this.#faults.entries().map(listed);
  }

  /** Add a fault. Earlier faults apply first. @throws {EmulatorRefusal} 422 if the fault contradicts itself. */
  add(fault: Fault): ActiveFault {
    this.#checked.set(fault, checkedFault(fault));
    const id = this.#memory.ids('fault');
    const running: RunningFault = { fault, left: fault.times ?? null, portion: 0 };
    this.#faults.set(id, running);
    return listed([id, running]);
  }

  /** Remove a fault. Responses that it already delays stay delayed. @returns Whether the fault existed. */
  remove(id: string): boolean {
    return this.#faults.delete(id);
  }

  /** Remove all faults. Responses that they already delay stay delayed. */
  clear(): void {
    this.#faults.clear();
  }

  /** Answer a request with the response of `perform`, and apply the fault that matches it, if any. */
  async answer(request: FaultyRequest, perform: () => Promise<Answer>): Promise<Answer> {
    const { operation, path, headerFault, refuse } = request;
    if (this.#faults.size === 0 && !headerFault) return perform();
    const checked = headerFault
      ? checkedFault(headerFault)
      : this.#next((one) => (one.fault.of ?? 'answers') === 'answers' && one.fits(operation, path));
    if (!checked) return perform();
    const { fault, delayMs, dripMs } = checked;
    const isReal = isRealAnswer(fault);
    const dueAt = fault.never ? Number.POSITIVE_INFINITY : this.#memory.clock.now() + delayMs;
    const signal = request.signal();
    const answer = (fault.carriedOut ?? isReal) ? await perform() : undefined;
    if (!(await this.#waitUntil(dueAt, signal))) return closedAnswer(refuse);
    const sent = isReal && answer ? answer : refuse(plannedRefusal(operation ?? path, fault));
    const startedAt = this.#memory.clock.now();
    return faultyAnswer(sent, fault, (share) => this.#waitUntil(startedAt + dripMs * share, signal));
  }

  /** Record when an event becomes visible, if a fault delays it. */
  #note(id: string, event: string): void {
    const late = this.#next(({ fault }) => fault.of === 'events' && (fault.event ?? event) === event);
    if (!late) return;
    this.#visibleAt.set(id, this.#memory.clock.now() + late.delayMs);
    const { first } = this.#visibleAt;
    // The event log keeps no more events than this, so the oldest has been dropped there.
    if (first && this.#visibleAt.size > this.#memory.settings.maxEvents) this.#visibleAt.delete(first[0]);
  }

  /** Whether an event can be listed. */
  isVisible(id: string): boolean {
    const at = this.#visibleAt.get(id);
    if (at === undefined) return true;
    if (at > this.#memory.clock.now()) return false;
    this.#visibleAt.delete(id);
    return true;
  }

  /** Get the delay of a webhook in milliseconds, and the number of times it is delivered. */
  ofWebhook(event: string): { readonly delayMs: number; readonly copies: number } {
    const checked = this.#next(({ fault }) => fault.of === 'webhooks' && (fault.event ?? event) === event);
    return { delayMs: checked?.delayMs ?? 0, copies: checked?.fault.copies ?? 1 };
  }

  /** Find the first matching fault that is due to happen, and update its counts. */
  #next(fits: (one: CheckedFault) => boolean): CheckedFault | undefined {
    for (const [id, running] of this.#faults.entries()) {
      const one = this.#checkedOf(running);
      if (!fits(one)) continue;
      const sum = running.portion + one.share;
      // Sums of fractions such as 0.1 fall slightly short of 1.
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

  /** Wait until a time of the clock. Resolves to true then, or to false if the world ends or the caller disconnects first. */
  async #waitUntil(at: number, signal: AbortSignal): Promise<boolean> {
    if (at <= this.#memory.clock.now()) return true;
    const end = await this.#waits.next(
      () => false,
      (end) => (Number.isFinite(at) ? this.#memory.schedule(at, end) : undefined),
      signal,
    );
    return end === 'late';
  }
}

/** Check an active fault of a saved world. Returns the problem, or undefined if there is none. */
function problemOfFault({ fault }: RunningFault): string | undefined {
  try {
    checkedFault(fault);
    return undefined;
  } catch (error) {
    if (!(error instanceof EmulatorRefusal)) throw error;
    // checkedFault refuses with at least one problem.
    const [problem] = error.fields.errors as readonly RequestProblem[];
    return `fault.${problem!.field} ${problem!.message}`;
  }
}

/** Whether the fault only delays or breaks the real response, instead of replacing it. */
const isRealAnswer = ({ status, code, retryAfterMs, never, connection, ...rest }: Fault): boolean =>
  (status ?? code ?? retryAfterMs) === undefined &&
  !never &&
  connection !== 'reset' &&
  (connection ?? rest.delay ?? rest.body ?? rest.contentType ?? rest.drip) !== undefined;

const listed = ([id, { fault, left }]: readonly [string, RunningFault]): ActiveFault =>
  // The parser leaves out absent fields, so no field is undefined.
  ({ id, ...fault, ...(left === null ? {} : { times: left }) }) as ActiveFault;

const plannedRefusal = (what: string, { status = 503, code, retryAfterMs }: Fault): EmulatorRefusal =>
  new EmulatorRefusal(
    status,
    code ?? 'planned_failure',
    `A planned fault made ${what} fail`,
    {},
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
  );

const closedAnswer = (refuse: FaultyRequest['refuse']): Answer =>
  markAnswer(
    'control',
    refuse(new EmulatorRefusal(503, 'closed', 'The emulator was reset or closed while a fault delayed this response')),
  );

/** The faults of a world. */
export const faults = slot(
  'faults',
  'stored in tables; delayed requests do not survive',
  (memory) => new Faults(memory),
);

/** Request header that plans a fault for this request only. */
export const faultHeader = 'sallyport-fault';

/** Parse the header, such as `status=429, retry_after_ms=7000`. A name without a value means `true`. @throws {EmulatorRefusal} 422. */
export function faultIn(memory: Memory, header: string): Fault {
  const fields = Object.fromEntries(
    header.split(',').map((part) => {
      const [name = '', value = 'true'] = part.split('=').map((text) => text.trim());
      return [name, value];
    }),
  );
  const known = memory.parser.query(faultModel, fields);
  const names = Object.entries(faultModel.shape).flatMap(([key, field]) => memory.codec.readNames(key, field));
  const unknown: RequestProblem[] = Object.keys(fields)
    .filter((name) => !names.includes(name))
    .map((name) => ({ field: name, code: 'unknown_field', message: 'is not a field of a fault' }));
  const errors = 'errors' in known ? [...unknown, ...known.errors] : unknown;
  if (errors.length > 0) throw unprocessable(errors);
  // The parser has checked it against the description.
  return (known as { readonly value: Fault }).value;
}

export const faultFacts: Facts<ActiveFault> = {
  model: activeFault,
  all: (memory) => memory.of(faults).list,
  columns: [
    { label: 'Applies to', of: ({ of = 'answers' }) => of },
    { label: 'Where', of: ({ operation, path, event }) => operation ?? path ?? event ?? 'all' },
    { label: 'Settings', of: ({ id: _, of: __, operation, path, event, times, ...settings }) => settings },
    { label: 'Times left', of: ({ times }) => times ?? 'until removed' },
  ],
  empty: 'No faults.',
  actions: [{ control: 'faults.remove', label: 'Remove' }],
};
