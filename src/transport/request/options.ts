import { checkArgumentNames, isPlainObject, type OptionNames } from '../../errors/known-options.js';
import { kindOfValue } from '../../service/describe/codec.js';
import type { Operation } from '../../service/describe/operation.js';
import { rejectArgument } from './reject-argument.js';

/** The value of a query parameter. A list is joined by commas, a Date is its ISO text, and null or undefined omits the parameter. */
export type QueryValue =
  | string
  | number
  | boolean
  | Date
  | readonly (string | number | boolean | Date)[]
  | null
  | undefined;

/** Query parameters by wire name. */
export type QueryParameters = Readonly<Record<string, QueryValue>> | URLSearchParams;

/** Extra query parameters of a URL. */
export interface ExtraQuery {
  /** Query parameters that this version does not know, by wire name. */
  readonly extraQuery?: QueryParameters | undefined;
}

/** Options of every method, as its last argument. */
export interface RequestOptions extends ExtraQuery {
  /**
   * A service that honors the key repeats its first response, for 24 hours. By default, each call other than a GET gets a random key. To
   * send none, pass `headers: { 'idempotency-key': undefined }`.
   */
  readonly idempotencyKey?: string | undefined;
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, including its body; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for the whole call, including retries and waits; default 60,000. */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries; default 2. A POST or PATCH without an idempotency key is not retried. */
  readonly maxRetries?: number | undefined;
  /** Headers to add, with names in any letter case; `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>> | Headers | undefined;
  /** Body fields that this version does not know, by wire name. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of `client.request` and `client.list` that other methods do not have. */
export interface DirectOptions {
  /**
   * Query parameters by wire name, or URLSearchParams. Each value is encoded, a Date is its ISO text, a list is joined by commas, and
   * null omits a parameter.
   */
  readonly query?: QueryParameters | undefined;
  /**
   * Path template, such as `/organizations/:id`. Hooks, logs, errors and `limits` use it in place of the path, which may contain
   * ids. Without it they use `(request)`, and the call counts only towards the limit of all requests.
   */
  readonly route?: string | undefined;
}

/** Options of `client.request`. */
export interface DirectRequestOptions extends DirectOptions, Omit<RequestOptions, 'extraQuery' | 'extraBody'> {
  /**
   * Body, sent as JSON without changing any name: any JSON value. A Date is its ISO text, and an instance of your class is sent as its
   * `toJSON` or its fields.
   */
  readonly body?: unknown;
}

/** Options of every list method, as its last argument. */
export interface ListOptions extends RequestOptions {
  /**
   * What to do with an invalid record: `skip` leaves it out; a function gets the record as received and the problem, and then the
   * record is left out. By default, the list throws after the last item before the record.
   */
  readonly onInvalid?: 'skip' | ((record: unknown, problem: string) => void) | undefined;
}

/** Options of `client.list`. `query` may contain `limit`, `order`, `after` and `before`, as for every list. */
export interface DirectListOptions extends DirectOptions, Omit<ListOptions, 'extraQuery' | 'extraBody'> {}

/** Which part of a list to get; null is treated as undefined. */
export interface ListParams {
  /** Items per page, 1 to 100; default 10 for one page, 100 when iterating. */
  readonly limit?: number | null | undefined;
  /** Order by creation time; default `desc`, newest first. */
  readonly order?: 'asc' | 'desc' | null | undefined;
  /** Id of an object; the list starts after it. */
  readonly after?: string | null | undefined;
  /** Id of an object; the list ends before it, and iterating walks backwards. */
  readonly before?: string | null | undefined;
}

/** Names of the options of every list method. */
export const optionNames: OptionNames<ListOptions> = {
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

/** Reject invalid options by name, before anything is sent. */
export function checkOptions(operation: Operation, options: ListOptions): void {
  checkArgumentNames(operation.client, options, optionNames);
  const check = (name: keyof ListOptions, expected: string, isValid: (value: never) => unknown): void => {
    const value = options[name];
    if (value === undefined || isValid(value as never)) return;
    const found = typeof value === 'number' ? `${value}` : kindOfValue(value);
    rejectArgument(operation, { at: name, expected, found });
  };
  for (const name of ['timeoutMs', 'deadlineMs'] as const)
    check(name, 'a number greater than 0', (ms: unknown) => typeof ms === 'number' && ms > 0);
  check('maxRetries', 'a whole number, 0 or more', (count: number) => Number.isInteger(count) && count >= 0);
  check('signal', 'an AbortSignal', (signal: AbortSignal | null) => typeof signal?.addEventListener === 'function');
  check('onInvalid', 'skip or a function', (value: unknown) => value === 'skip' || typeof value === 'function');
  check('extraBody', 'a plain object', (body: unknown) => body === null || isPlainObject(body));
}
