import type { Fetch } from '../http/fetch.js';
import type { Dialect, DialectChoice } from '../service/describe/dialect.js';
import type { Operation } from '../service/describe/operation.js';
import type { LimitsMode, LimitsOptions } from './limits/options.js';
import type { Hooks, LeveledLogger, Logger, LogLevel, Notify } from './sending/observe.js';

/** Options of `client.with({ ... })`. */
export interface WithOptions {
  /** Milliseconds for one attempt, including its body; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for a whole call, including retries and waits; default 60,000. */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries; default 2. A POST or PATCH without an idempotency key is not retried. */
  readonly maxRetries?: number | undefined;
  /** Headers sent with every request, with names in any letter case. */
  readonly headers?: Readonly<Record<string, string>> | Headers | undefined;
  /** Functions called for every request, response, retry and error. */
  readonly hooks?: Hooks | undefined;
  /**
   * A minimum level to log to `console`, a logger, or a logger with a level: `{ level: 'debug', to: logger }`. A logger without a level gets
   * that of `SALLYPORT_LOG`, or `info`.
   */
  readonly logger?: LogLevel | Logger | LeveledLogger | undefined;
  /** Maximum response size in bytes, after decompression; default 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
}

/** Options of `new Sallyport({ ... })`. Some default to environment variables. */
export interface SallyportOptions extends WithOptions {
  /** Secret key, prefix `sk_`; default `SALLYPORT_API_KEY`, or `WORKOS_API_KEY` in dialect `workos`. A client without one is a public client. */
  readonly apiKey?: string | undefined;
  /** Id of your application; default `SALLYPORT_CLIENT_ID`, or `WORKOS_CLIENT_ID` in dialect `workos`. Required for sign-in. */
  readonly clientId?: string | undefined;
  /**
   * URL of the service, with or without a path; default `SALLYPORT_BASE_URL`, or `https://api.workos.com` in dialect `workos`. If this option
   * is present without a value and nothing chooses a dialect, the error is `missing_base_url`.
   */
  readonly baseUrl?: string | undefined;
  /**
   * Names that differ between deployments: `spec`, `workos`, or your own; default `SALLYPORT_DIALECT`, or `spec`. If nothing chooses a dialect
   * or an address, it is `workos`.
   */
  readonly dialect?: DialectChoice | undefined;
  /** Maximum number of requests in flight; further calls wait, first in, first out. Default 0, no limit. */
  readonly maxConcurrent?: number | undefined;
  /**
   * Respects the service's rate limits: `'published'` delays calls that would exceed a limit, `'observed'` only counts. With
   * `{ mode, limiter }`, replicas share the limits. Off by default.
   */
  readonly limits?: LimitsMode | LimitsOptions | undefined;
  /** Replaces the global `fetch`, for example with `emulator.fetch`, or with that of undici or node-fetch. */
  readonly fetch?: Fetch | undefined;
  /** Options passed to every `fetch`, such as `{ dispatcher }` for a proxy. Headers belong in `headers`. */
  readonly fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Allow plain `http:` to hosts other than this machine. */
  readonly allowInsecure?: boolean | undefined;
  /** Allow an API key in a browser, where anyone can read it. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** The validated options that may differ between clients that share their queues. */
export interface CallConfig {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly notify: Notify;
  readonly maxResponseBytes: number;
}

/** The validated options, with defaults. */
export interface Config extends CallConfig {
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly host: string;
  readonly loopback: boolean;
  readonly dialect: Dialect;
  readonly maxConcurrent: number;
  readonly limits: SallyportOptions['limits'];
  readonly fetch: Fetch | undefined;
  readonly fetchOptions: Readonly<Record<string, unknown>>;
}

/** An operation, or a function that loads it. */
export type Loadable<O extends Operation = Operation> = O | (() => Promise<O>);
