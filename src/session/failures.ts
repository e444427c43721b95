import { utf8 } from '../crypto/encoding.js';
import { uncheckedClaims } from '../crypto/unchecked-claims.js';
import { SallyportError } from '../errors/sallyport-error.js';
import type { SignedOutReason } from './reader.js';
import type { SealedSession } from './sealed-session.js';

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

/** The three fields of a session that weigh most, with their sizes: `claims.permissions (9120 bytes)`. Never what is in them. */
function heaviestFields({ user, accessToken }: SealedSession): string {
  const sizes = (at: string, of: object) =>
    Object.entries(of).map(([name, value]) => ({
      name: `${at}.${name}`,
      bytes: utf8(JSON.stringify(value)).length,
    }));
  return [...sizes('user', user), ...sizes('claims', uncheckedClaims(accessToken))]
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} (${bytes} bytes)`)
    .join(', ');
}

/** The error for a session that no browser or server would take. */
export const tooLarge = (sealed: SealedSession, bytes: number) =>
  new SallyportError('session_too_large', {
    what: `The session needs ${bytes} bytes of cookies, more than servers take in their headers`,
    why: `Its heaviest fields are ${heaviestFields(sealed)}`,
    next: "Keep less in the user's metadata and in the claims of the access token",
  });
