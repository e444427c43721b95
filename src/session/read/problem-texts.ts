import { reasonOf } from '../../errors/printable-cause.js';
import type { Problem } from '../../errors/problem.js';
import { explain } from '../../errors/sallyport-error.js';
import { adviceFor } from '../../http/fetch-advice.js';
import { type KeyOutage, outageOf } from './key-outage.js';

/** A problem found while a session is checked or ended: the reason in a result, or another one. */
type CheckProblemCode =
  | 'forged'
  | 'unknown_password'
  | 'not_yet_valid'
  | 'lives_too_long'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_client'
  | 'unknown_key'
  /** An outage of the keys began. Until it ends, only sessions of keys that this process or its store knows are checked. */
  | 'keys_unavailable'
  /** An outage of the keys ended. */
  | 'keys_restored'
  | 'service_refused'
  | 'store_down'
  | 'hook_failed'
  | 'sign_out_failed'
  | 'large_cookies'
  | 'missing_setting'
  | 'wrong_clock';

/** Code of a problem with the configuration of an application, or with its source of revocations. */
export type SessionProblemCode =
  | CheckProblemCode
  /** Revocations are overdue. Until they arrive, revoked sessions last until their tokens expire. */
  | 'revocations_stale';

/** The argument of `onProblem`. Contains no tokens, cookies or keys. */
export type SessionProblem = Problem<SessionProblemCode>;

/** The destinations of problem reports. */
export interface ProblemTarget {
  readonly baseUrl?: string | undefined;
  readonly onProblem: ((problem: SessionProblem) => void) | undefined;
  /** Whether to log to the console as well. */
  readonly logsToConsole: boolean;
}

/** What happened, why (if known in advance), and what to change. */
type ProblemText = readonly [what: string, why: string, next: string];

const refusedToken = 'A session was refused because its access token';
const password =
  'Use the same password in every replica and application that shares the cookie, and a different cookie.name in other applications';
const clock = 'Synchronize the clock of this machine, for example with NTP';

const texts: Readonly<Record<CheckProblemCode, ProblemText>> = {
  forged: [
    'A session cookie could not be opened',
    'It was sealed with another password, or changed in transit',
    password,
  ],
  unknown_password: ['A session cookie could not be opened', 'It names a password that is not in the list', password],
  not_yet_valid: [
    `${refusedToken} was issued in the future`,
    'The clock of this machine is behind the clock of the service',
    clock,
  ],
  lives_too_long: [
    `${refusedToken} has too long a lifetime`,
    '',
    'Shorten it in the service, or raise maxTokenLifetimeMs',
  ],
  wrong_issuer: [
    `${refusedToken} has the wrong issuer`,
    '',
    'Compare the issuer option with the iss claim of your tokens',
  ],
  wrong_audience: [
    `${refusedToken} has the wrong audience`,
    '',
    'Compare the audience option with the aud claim of your tokens',
  ],
  wrong_client: [
    `${refusedToken} is for another application`,
    '',
    'Compare the clientId option with the client_id claim of your tokens',
  ],
  unknown_key: [
    `${refusedToken} is signed with a key that the service does not publish`,
    'It may come from another service or environment',
    'Check baseUrl and clientId, or the keys option',
  ],
  keys_unavailable: [
    'The keys of the service could not be fetched, so sessions signed with a key that this process does not have cannot be checked',
    '',
    'Check baseUrl and clientId',
  ],
  keys_restored: [
    'The keys of the service were fetched again',
    'The outage of the keys has ended',
    'There is nothing to do',
  ],
  service_refused: [
    'The service refuses to issue tokens to this application',
    '',
    'Check apiKey, clientId and baseUrl',
  ],
  store_down: [
    'The refresh store is down, and sessions are refreshed without it',
    '',
    'Restore it: until then, a service that ignores idempotency keys may refuse refreshes',
  ],
  hook_failed: ['A hook of createSessions failed', '', 'Correct it: the session is not affected, except by onSignedIn'],
  sign_out_failed: [
    'A session was not ended at the service, unless the browser did it',
    '',
    'Check that this server reaches baseUrl, or set endSessions to false',
  ],
  large_cookies: [
    'A sign-in sets more cookies than proxies with small buffers accept, such as nginx by default: they answer 502',
    '',
    "Store less in the user's metadata and in the claims of the access token, or raise the limits of the proxy as in docs/guides/deployment.md#headers-of-16-kb",
  ],
  missing_setting: [
    'A setting is missing, so users cannot sign in',
    '',
    'Set it where the application runs: only a build works without it',
  ],
  wrong_clock: ['A refreshed session is not valid here', '', clock],
};

/** What to do about an outage of the service, which no setting causes. */
const outageAdvice: Readonly<Record<KeyOutage, string>> = {
  refused: 'Check that the service runs, and that no firewall stops the connection',
  timeout: 'Check the network and the proxies on the way to the service',
  server_error: 'The service is down: wait until it answers',
};

/** Problems that were logged to the console, or reported if they are reported only once. */
const known = new Set<string>();

/** Call `onProblem`, for large cookies only once, and log to the console once. Returns the result of `onProblem`, which may reject later. */
export function reportProblem(
  { baseUrl, onProblem, logsToConsole }: ProblemTarget,
  reason: string,
  cause: unknown,
): unknown {
  if (!Object.hasOwn(texts, reason)) return undefined;
  // Only codes have a text.
  const code = reason as CheckProblemCode;
  const [what, knownWhy, usually] = texts[code];
  const outage = code === 'keys_unavailable' ? outageOf(cause) : undefined;
  const next = outage ? outageAdvice[outage] : usually;
  // Why a fetch failed is in the causes of its error.
  const why = code === 'keys_unavailable' ? reasonOf(cause) : cause instanceof Error ? cause.message : knownWhy;
  const message = explain({
    what: baseUrl ? `${what} (${baseUrl})` : what,
    why,
    next: cause ? adviceFor(cause, next) : next,
  });
  const key = `${code} ${baseUrl}`;
  const isReportedOnce = code === 'large_cookies';
  const isKnown = known.has(key);
  if (logsToConsole || isReportedOnce) known.add(key);
  if (logsToConsole && !isKnown) console.warn(`sallyport: ${message}`);
  if (isReportedOnce && isKnown) return undefined;
  return onProblem?.({ code, message, cause });
}
