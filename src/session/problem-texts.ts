import { explain } from '../errors/sallyport-error.js';

/** A problem that is found where a session is looked at: a word of its result, or `wrong_clock`. */
type FoundCode =
  | 'forged'
  | 'unknown_password'
  | 'not_yet_valid'
  | 'lives_too_long'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_client'
  | 'unknown_key'
  | 'keys_unavailable'
  | 'service_refused'
  | 'store_down'
  | 'wrong_clock';

/** What is wrong with how an application is set up, or with what it is told of. */
export type SessionProblemCode =
  | FoundCode
  /** Nothing was heard for too long of what is revoked: sessions last until their tokens end. */
  | 'revocations_stale';

/** What `onProblem` is passed. Holds no token, cookie or key. */
export interface SessionProblem {
  readonly code: SessionProblemCode;
  /** What happened, why, and what to change. */
  readonly message: string;
  /** What went wrong, where a request was made. */
  readonly cause: unknown;
}

/** What is needed to tell of problems. */
export interface Listening {
  readonly baseUrl: string;
  readonly onProblem: ((problem: SessionProblem) => void) | undefined;
  /** Whether the console is told too. */
  readonly speaks: boolean;
}

/** What happened, why if it is known beforehand, and what to change. */
type Text = readonly [what: string, why: string, next: string];

const refusedToken = 'A session was refused: its access token';
const password =
  'Give every replica and every application that shares the cookie the same password, and others a cookie.name of their own';
const clock = "Set this machine's clock right, by NTP";

const texts: Readonly<Record<FoundCode, Text>> = {
  forged: ['A session cookie did not open', 'It was sealed with another password, or changed on its way', password],
  unknown_password: ['A session cookie did not open', 'It names a password that is not in the list', password],
  not_yet_valid: [
    `${refusedToken} is from the future`,
    'The clock of this machine is behind that of the service',
    clock,
  ],
  lives_too_long: [`${refusedToken} lives too long`, '', 'Shorten it at the service, or raise maxTokenLifetimeSec'],
  wrong_issuer: [
    `${refusedToken} has another issuer`,
    '',
    'Compare the option issuer with the claim iss of your tokens',
  ],
  wrong_audience: [`${refusedToken} is for another audience`, '', 'Compare the option audience with the claim aud'],
  wrong_client: [
    `${refusedToken} is for another application`,
    '',
    'Compare the option clientId with the claim client_id',
  ],
  unknown_key: [
    `${refusedToken} is signed by a key that the service does not publish`,
    'It comes from another service or environment',
    'Check baseUrl and clientId, or the option keys',
  ],
  keys_unavailable: ['No session can be checked without the keys of the service', '', 'Check baseUrl and clientId'],
  service_refused: ['The service gives this application no tokens', '', 'Check apiKey, clientId and baseUrl'],
  store_down: [
    'The store of refreshes is down, and sessions are refreshed without it',
    '',
    'Bring it back: a service that does not honour idempotency keys may refuse a refresh until then',
  ],
  wrong_clock: ['A refreshed session is of no use here', '', clock],
};

/** What the console was told already. */
const said = new Set<string>();

/** Tells the listener, and the console once. Gives what the listener does, which may fail later. */
export function tell({ baseUrl, onProblem, speaks }: Listening, word: string, cause: unknown): unknown {
  if (!Object.hasOwn(texts, word)) return undefined;
  // It is one of theirs, as was just looked at.
  const code = word as FoundCode;
  const [what, reason, next] = texts[code];
  const why = cause instanceof Error ? cause.message : reason;
  const message = explain({ what: `${what} (${baseUrl})`, why, next });
  const key = `${code} ${baseUrl}`;
  if (speaks && !said.has(key)) {
    said.add(key);
    console.warn(`sallyport: ${message}`);
  }
  return onProblem?.({ code, message, cause });
}
