import { subscribed } from '../../async/diagnostics.js';
import { redact } from '../../errors/index.js';
import { quietly } from '../../errors/problem.js';

/** Passed to hooks, diagnostics channels and the logger: names and numbers, never data from requests or responses. */
export interface RequestRecord {
  /** Id of the call, such as `k3x9qz-17`; the same for all its attempts. Each page of a list is a call. */
  readonly callId: string;
  /** Operation of the service, such as `organizations.get`; `request` or `list` if no operation describes the call. */
  readonly operation: string;
  /** Method of the client, such as `organizations.getOrganization`. */
  readonly client: string;
  readonly method: string;
  /** Path template, such as `/organizations/:id`; `(request)` for `request` and `list` without a `route`. */
  readonly route: string;
  /** Number of this attempt, from 1; 0 in `onError` if nothing was sent. */
  readonly attempt: number;
}
/** A response arrived, with any status. */
export interface ResponseRecord extends RequestRecord {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Milliseconds since the attempt began. */
  readonly durationMs: number;
}
/** The request will be sent again. */
export interface RetryRecord extends RequestRecord {
  /** Milliseconds until the next attempt. */
  readonly waitMs: number;
  /** Status of the response, if there was one. */
  readonly status: number | undefined;
  /** `status`, `network` or `timeout`. */
  readonly because: string;
}
/** The call failed for good. */
export interface ErrorRecord extends RequestRecord {
  /** `code` of the error the caller gets; `aborted` if the caller aborted. */
  readonly code: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds since the call began. */
  readonly durationMs: number;
}

/** Functions called for every request. Errors that they throw or reject with are ignored. Records are frozen. */
export interface Hooks {
  readonly onRequest?: (record: RequestRecord) => void;
  readonly onRetry?: (record: RetryRecord) => void;
  readonly onResponse?: (record: ResponseRecord) => void;
  readonly onError?: (record: ErrorRecord) => void;
  /** The loop over a list ended, by `break` for example, while this request was fetching a page ahead. Its response is not needed. */
  readonly onCancel?: (record: RequestRecord) => void;
}

/** Random per process, so that the ids of several processes differ in one log. */
let processId: string | undefined;
let calls = 0;
/** Return the id of a new call. */
export function nextCallId(): string {
  // Unlike randomUUID, it also exists on pages without HTTPS.
  processId ??= crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36);
  calls += 1;
  return `${processId}-${calls}`;
}

/** Minimum level to log; `off` logs nothing. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';
/** Receives log lines. `console` is one. */
export interface Logger {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** A logger and the minimum level of the lines that it gets. */
export interface LeveledLogger {
  readonly level?: LogLevel | undefined;
  readonly to: Logger;
}

interface Records {
  request: RequestRecord;
  retry: RetryRecord;
  response: ResponseRecord;
  error: ErrorRecord;
  cancel: RequestRecord;
}

/** Reason of the abort of a page that a list fetched ahead, after the loop over the list has ended. */
export const loopEnded = Symbol('loop ended');

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];
/** Whether a value is a log level. */
export const isLogLevel = (value: unknown): value is LogLevel => levels.includes(value as LogLevel);

const levelOf: Record<keyof Records, Exclude<LogLevel, 'off'>> = {
  request: 'debug',
  response: 'debug',
  retry: 'info',
  error: 'warn',
  cancel: 'debug',
};
/** Aborts by the caller are logged at debug level. */
const levelFor = (what: keyof Records, { code }: AnyRecord) => (code === 'aborted' ? 'debug' : levelOf[what]);
const hookOf = {
  request: 'onRequest',
  retry: 'onRetry',
  response: 'onResponse',
  error: 'onError',
  cancel: 'onCancel',
} as const;

/** Notifies hooks, the diagnostics channels `sallyport:request`, `:retry`, `:response`, `:error`, `:cancel`, and the logger. */
export class Observers {
  readonly #hooks: Hooks;
  readonly #logger: Logger | undefined;
  readonly #level: number;

  constructor(hooks: Hooks, logger: Logger | undefined, level: LogLevel) {
    this.#hooks = hooks;
    this.#logger = logger;
    this.#level = levels.indexOf(level);
  }

  notify<K extends keyof Records>(what: K, record: () => Records[K]): void {
    const hook = this.#hooks[hookOf[what]] as ((record: Records[K]) => void) | undefined;
    const channel = subscribed<Records[K]>(what);
    const logs = this.#logger !== undefined && this.#level <= levels.indexOf(levelOf[what]);
    if (!hook && !channel && !logs) return;
    const frozen: Records[K] = Object.freeze(record()) as Records[K];
    quietly(() => hook?.(frozen));
    quietly(() => channel?.publish(frozen));
    const level = levelFor(what, frozen);
    if (this.#level <= levels.indexOf(level)) quietly(() => this.#logger?.[level](redact(lineOf(what, frozen))));
  }
}

interface AnyRecord extends RequestRecord {
  readonly status?: number | undefined;
  readonly because?: string;
  readonly code?: string;
  readonly waitMs?: number;
  readonly durationMs?: number;
  readonly requestId?: string | undefined;
}

function lineOf(what: keyof Records, record: AnyRecord): string {
  const { callId, method, route, attempt, status, because, code, waitMs, durationMs, requestId } = record;
  const parts = [
    `sallyport ${what} ${method} ${route} attempt ${attempt}`,
    `call ${callId}`,
    status !== undefined && `status ${status}`,
    because && `because of ${because}`,
    code,
    waitMs !== undefined && `again in ${Math.round(waitMs)} ms`,
    durationMs !== undefined && `${Math.round(durationMs)} ms`,
    requestId,
  ];
  return parts.filter(Boolean).join(', ');
}
