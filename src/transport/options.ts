import { InvalidArgumentError } from '../errors/index.js';
import { checkArgumentNames, type OptionNames } from '../errors/known-options.js';

/** What an address may carry that this version does not describe. */
export interface ExtraQuery {
  /** Query parameters, by their wire names, that this version does not describe. */
  readonly extraQuery?:
    | Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>
    | undefined;
}

/** Options that every method takes last. */
export interface RequestOptions extends ExtraQuery {
  /** Key under which the service answers a repeated request with its first answer, for 24 hours. Each POST has one by itself. */
  readonly idempotencyKey?: string | undefined;
  /** Aborts the call, which then rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, its body included; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for the whole call: attempts, waits and bodies; default 60,000. */
  readonly deadlineMs?: number | undefined;
  /** How often a failed attempt is repeated, if that is safe; default 2. */
  readonly maxRetries?: number | undefined;
  /** Headers to add, or with `undefined` to leave out. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Body fields, by their wire names, that this version does not describe. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Options that every method that lists takes last. */
export interface ListOptions extends RequestOptions {
  /**
   * What becomes of a record that is not as described: `skip` leaves it out, a function is given it as it came, with what is
   * wrong with it, and then it is left out. When not given, the list throws behind the last item that precedes it.
   */
  readonly onInvalid?: 'skip' | ((record: unknown, problem: string) => void) | undefined;
}

/** Which part of a list to get; null and undefined are as if not given. */
export interface ListParams {
  /** Items per page, 1 to 100. The default is 10 for one page and 100 for iteration. */
  readonly limit?: number | null | undefined;
  /** By time of creation; newest first, `desc`, is the default. */
  readonly order?: 'asc' | 'desc' | null | undefined;
  /** Id of an object; the list starts after it. */
  readonly after?: string | null | undefined;
  /** Id of an object; the list ends before it, and iteration walks backwards. */
  readonly before?: string | null | undefined;
}

/** Whether a parameter of a query is given: null leaves it out, as `undefined` does. */
export const isGiven = <T>(parameter: T | null | undefined): parameter is T =>
  parameter !== undefined && parameter !== null;

const optionNames: OptionNames<ListOptions> = {
  idempotencyKey: 1,
  signal: 1,
  timeoutMs: 1,
  deadlineMs: 1,
  maxRetries: 1,
  headers: 1,
  extraQuery: 1,
  extraBody: 1,
  onInvalid: 1,
};

/** Refuses options that cannot be kept, by name and before anything is sent. */
export function checkOptions(client: string, options: ListOptions): void {
  const refuse = (argument: string, expected: string): never => {
    throw new InvalidArgumentError({
      what: `${client} needs ${argument} to be ${expected}`,
      next: `Correct ${argument}`,
      argument,
    });
  };
  checkArgumentNames(client, options, optionNames);
  const { timeoutMs, deadlineMs, maxRetries, signal, onInvalid } = options;
  if (timeoutMs !== undefined && !(timeoutMs > 0)) refuse('timeoutMs', 'a number greater than 0');
  if (deadlineMs !== undefined && !(deadlineMs > 0)) refuse('deadlineMs', 'a number greater than 0');
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0))
    refuse('maxRetries', 'a whole number, 0 or more');
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') refuse('signal', 'an AbortSignal');
  if (onInvalid !== undefined && onInvalid !== 'skip' && typeof onInvalid !== 'function')
    refuse('onInvalid', 'skip or a function');
}
