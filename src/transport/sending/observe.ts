import { redact } from '../../errors/index.js';
import { quietly } from '../../errors/problem.js';

/** Passed to hooks: names and numbers, never data from requests or responses. */
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

/** Reason of the abort of a page that a list fetched ahead, after the loop over the list has ended. */
export const loopEnded = Symbol('loop ended');

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];
/** Whether a value is a log level. */
export const isLogLevel = (value: unknown): value is LogLevel => levels.includes(value as LogLevel);

type RecordOf<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0];

/** Calls a hook. The record is only created if there is one. */
export type Notify = <Name extends keyof Hooks>(name: Name, record: () => RecordOf<Name>) => void;

/** Create the function that calls all of these hooks. */
export const notifierOf =
  (all: readonly Hooks[]): Notify =>
  (name, record) => {
    const listening = all.filter((hooks) => hooks[name]);
    if (listening.length === 0) return;
    const frozen = Object.freeze(record());
    // The record has the type of the hook's name, which the compiler cannot follow.
    for (const hooks of listening) quietly(() => hooks[name]?.(frozen as never));
  };

/** Create hooks that write a line for each record to a logger, from a level on. */
export function loggingHooks(logger: Logger, minLevel: LogLevel): Hooks {
  const log = (level: Exclude<LogLevel, 'off'>, what: string) => (record: AnyRecord) => {
    if (levels.indexOf(level) >= levels.indexOf(minLevel)) logger[level](redact(lineOf(what, record)));
  };
  return {
    onRequest: log('debug', 'request'),
    onRetry: log('info', 'retry'),
    onResponse: log('debug', 'response'),
    onError: (record) => log(record.code === 'aborted' ? 'debug' : 'warn', 'error')(record),
    onCancel: log('debug', 'cancel'),
  };
}

interface AnyRecord extends RequestRecord {
  readonly status?: number | undefined;
  readonly because?: string;
  readonly code?: string;
  readonly waitMs?: number;
  readonly durationMs?: number;
  readonly requestId?: string | undefined;
}

function lineOf(what: string, record: AnyRecord): string {
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
