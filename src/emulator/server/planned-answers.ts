import { between, body, boolean, type Fields, optional, string, valueAs } from '../../service/describe/define.js';
import { type Duration, millisecondsOf } from '../world/clock.js';
import { Refusal, unprocessableField } from '../world/refusal.js';
import { slot, type World } from '../world/world.js';
import { type Answer, ownAnswer, refusalOf } from './answer.js';

export const plannedFailure = body({
  /** How many answers fail; default 1. */
  times: optional(between(1, 1_000_000)),
  /** Status of the answers, 400 to 599; default 503, unless `delay` or `never` says what goes wrong. */
  status: optional(between(400, 599)),
  /** Code in the answers; default `planned_failure`. */
  code: optional(string),
  /** `Retry-After` of the answers, in seconds. */
  retryAfterSeconds: optional(between(0, 86_400)),
  /**
   * The answers come so much later by the emulator's clock: `5s`, `250ms`, or milliseconds. That is real time while the clock runs; while
   * it stands, until it is moved.
   */
  delay: optional(valueAs<Duration>()),
  /** No answer comes at all; whoever waits has to give up. */
  never: optional(boolean),
  /** Whether the requests are carried out all the same, so that only the answers are lost; by default only where they are just late. */
  carriedOut: optional(boolean),
});
/** How the next answers of an operation fail; with nothing said, one answer with status 503. */
export interface PlannedFailure extends Readonly<Fields<typeof plannedFailure>> {}

/** A failure that is planned, as it is carried out. */
interface Plan {
  /** Id of an operation, or `*`. */
  readonly operation: string;
  readonly failure: PlannedFailure;
  readonly delayMs: number;
  left: number;
}

/** Stands for all operations. */
export const anyOperation = '*';

/** The answers that are to fail in one world, and those that are being held back. */
export class PlannedAnswers {
  readonly #world: World;
  #plans: Plan[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(world: World) {
    this.#world = world;
    world.onClose(() => {
      for (const release of this.#waiting) release();
    });
  }

  /** Plan a failure behind those that are planned already. @throws {Refusal} 422 for what contradicts itself. */
  plan(operation: string, failure: PlannedFailure): void {
    const { times = 1, delay, never, status, code, retryAfterSeconds } = failure;
    if (never && (delay ?? status ?? code ?? retryAfterSeconds) !== undefined)
      throw unprocessableField('never', 'mutually_exclusive', 'must be left out where an answer is described');
    this.#plans.push({ operation, failure, delayMs: delayOf(delay), left: times });
  }

  /** Forget what is planned; answers that are held back stay so. */
  clear(): void {
    this.#plans = [];
  }

  /** The answer to a request for an operation: what `perform` gives, or the failure that is planned. */
  async answer(operation: string, signal: AbortSignal, perform: () => Promise<Answer>): Promise<Answer> {
    const plan = this.#plans.find((one) => one.operation === operation || one.operation === anyOperation);
    if (!plan) return perform();
    plan.left--;
    if (plan.left === 0) this.#plans.splice(this.#plans.indexOf(plan), 1);
    const { failure, delayMs } = plan;
    const { never, delay, status, code, carriedOut } = failure;
    const isJustLate = delay !== undefined && status === undefined && code === undefined;
    const dueAt = never ? Number.POSITIVE_INFINITY : this.#world.clock.now() + delayMs;
    const answer = (carriedOut ?? isJustLate) ? await perform() : undefined;
    if (!(await this.#due(dueAt, signal))) return closed();
    return isJustLate && answer ? answer : refusalOf(failed(operation, failure));
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

function delayOf(delay: Duration | undefined): number {
  try {
    return delay === undefined ? 0 : millisecondsOf(delay);
  } catch {
    throw unprocessableField('delay', 'invalid_value', "must be milliseconds, or a text such as '5s' or '250ms'");
  }
}

const failed = (operation: string, { status = 503, code, retryAfterSeconds }: PlannedFailure): Refusal =>
  new Refusal(
    status,
    code ?? 'planned_failure',
    `This answer of ${operation} was planned to fail`,
    {},
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  );

const closed = (): Answer =>
  ownAnswer(
    'control',
    refusalOf(new Refusal(503, 'closed', 'The emulator was reset or closed while it held this answer back')),
  );

/** What is planned in a world. */
export const plannedAnswers = slot((world) => new PlannedAnswers(world));
