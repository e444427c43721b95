/** The cause where a refresh brought tokens of no use; says too what is wrong with our clock, by which the service's is ahead. */
export function unusableTokens(problem: string, aheadMs: number): Error {
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
