import { printableCause } from '../errors/printable-cause.js';
import { quotable, type Redactor, redactor } from '../errors/redact.js';
import { isText } from '../http/json.js';
import { isRefreshEnd } from '../oauth/flow-errors.js';
import type { GrantRefusal } from '../oauth/token-answer.js';
import type { Grant } from '../oauth/token-request.js';
import type { SignedOutReason } from './reader.js';

/** Why refreshed tokens are of no use, behind `The refreshed access token`. */
const problems = {
  timeout: 'has expired, and following the later ones took too long',
  keys_unavailable: 'has an unpublished key',
  stale: 'would have expired already',
  foreign: 'belongs to another session',
  expired: 'has expired already, or is for another organization',
};

/** A problem by its word; any other word is why the token was refused. */
export type TokenProblem = keyof typeof problems | SignedOutReason;

/** The cause where a refresh brought tokens of no use; says too what is wrong with our clock, by which the service's is ahead. */
export function unusableTokens(word: TokenProblem, aheadMs: number): Error {
  const problem = Object.hasOwn(problems, word) ? problems[word as keyof typeof problems] : `is of no use: ${word}`;
  const seconds = Math.round(aheadMs / 1_000);
  const clock = seconds
    ? ` The clock of this machine is ${Math.abs(seconds)} seconds ${seconds < 0 ? 'ahead of' : 'behind'} the service's: set it right`
    : '';
  return new Error(`The refreshed access token ${problem}.${clock}`);
}

/** What a request for tokens carries: the grant, and secrets of the application. */
export type Sent = Grant & { readonly apiKey: string | undefined; readonly idempotencyKey: string };

/** Removes the secrets of a request for tokens. */
function redactorOf(sent: Sent): Redactor {
  const { grantType: _, organizationId: __, ...secrets } = { organizationId: undefined, ...sent };
  return redactor(Object.values(secrets).filter(isText));
}

/** A refusal without the secrets of the request, which the service may repeat. Codes that decide something stay as they are. */
export function refusalWithoutSecrets(error: GrantRefusal, sent: Sent): GrantRefusal {
  const quoted = (text: string): string => quotable(text, redactorOf(sent));
  const { code, message } = error;
  return {
    ...error,
    code: isRefreshEnd(code) ? code : quoted(code),
    message: message === null ? null : quoted(message),
  };
}

/** What `fetch` threw, without the secrets of the request. */
export const causeWithoutSecrets = (thrown: unknown, sent: Sent): unknown => printableCause(thrown, redactorOf(sent));

/** The cause where the service does not know who asks; says no more of the answer than its code. */
export const unknownClient = (status: number, code: string): Error =>
  new Error(
    `The service answered a request for tokens with status ${status}${/^\w{1,80}$/.test(code) ? `, ${code}` : ''}; check clientId, apiKey and baseUrl of createSessions`,
  );

/** The cause where an answer cannot be the service's last word. */
export const unanswered = ({ ok, status }: Response): Error =>
  new Error(
    `The service answered a request for tokens with ${ok ? 'something that holds no tokens' : `status ${status}`}`,
  );
