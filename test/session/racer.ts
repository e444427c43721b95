import { createSessions, type SessionsOptions } from '../../src/session/index.js';

/** Settings of a worker, sent before the first round. */
export type Setup = Pick<
  SessionsOptions,
  'cookiePassword' | 'clientId' | 'apiKey' | 'baseUrl' | 'refresh' | 'onProblem'
>;

/** One round: requests with the same cookie, all sent at once. */
export interface Round {
  readonly cookie: string;
  readonly requests: number;
  /** Time in milliseconds since 1970. */
  readonly now: number;
}

/** The result of one request. */
export interface Raced {
  readonly status: string;
  readonly reason: string | undefined;
  /** Id of the access token. */
  readonly token: unknown;
  readonly cookies: readonly string[];
}

/** Sessions that answer many requests at once. */
export function racer(setup: Setup): (round: Round) => Promise<Raced[]> {
  let now = 0;
  const sessions = createSessions({ ...setup, now: () => now });
  return async (round) => {
    now = round.now;
    const request = { headers: { cookie: round.cookie } };
    const results = await Promise.all(Array.from({ length: round.requests }, () => sessions.handle(request)));
    return results.map((result) => ({
      status: result.status,
      reason: 'reason' in result ? result.reason : undefined,
      token: result.session?.claims.jti,
      cookies: result.headers.getSetCookie(),
    }));
  };
}
