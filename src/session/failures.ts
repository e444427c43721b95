import type { SignedOutReason } from './reader.js';

/** What is wrong with a refreshed access token. */
const problems = {
  short: 'would have expired already',
  slow: 'has expired, and following the later ones took too long',
  unpublished: 'has an unpublished key',
  another: 'belongs to another session',
  expired: 'has expired already, or is for another organization',
} as const;

/** What is wrong with a refreshed access token: in a word of ours, or why it signs nobody in. */
export type TokenProblem = keyof typeof problems | { readonly reason: SignedOutReason };

/** The cause where a refresh brought tokens of no use; says too what is wrong with our clock, by which the service's is ahead. */
export function unusableTokens(problem: TokenProblem, aheadMs: number): Error {
  const what = typeof problem === 'string' ? problems[problem] : `is of no use: ${problem.reason}`;
  const seconds = Math.round(aheadMs / 1_000);
  const clock = seconds
    ? ` The clock of this machine is ${Math.abs(seconds)} seconds ${seconds < 0 ? 'ahead of' : 'behind'} the service's: set it right`
    : '';
  return new Error(`The refreshed access token ${what}.${clock}`);
}

const asked = 'The service answered a request for tokens with';

/** The cause where the service does not know who asks; says no more of the answer than its code. */
export const unknownClient = (status: number, code: string): Error =>
  new Error(
    `${asked} status ${status}${/^\w{1,80}$/.test(code) ? `, ${code}` : ''}; check clientId, apiKey and baseUrl of createSessions`,
  );

/** The cause where the service's answer leaves open what it would say. */
export const unanswered = ({ ok, status }: Response): Error =>
  new Error(`${asked} ${ok ? 'something that holds no tokens' : `status ${status}`}`);
