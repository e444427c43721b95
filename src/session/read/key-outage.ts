import { Late } from '../../async/time-limit.js';
import { WrongStatus } from '../../crypto/key-set.js';
import { chainOf } from '../../errors/printable-cause.js';
import { isRefused } from '../../http/fetch-advice.js';

/** How a service is away. */
export type KeyOutage = 'refused' | 'timeout' | 'server_error';

/** Return how the service was away when a fetch failed; undefined for another failure, such as a certificate or a wrong answer. */
export function outageOf(thrown: unknown): KeyOutage | undefined {
  if (isRefused(thrown)) return 'refused';
  const chain = chainOf(thrown);
  if (chain.some((error) => error instanceof WrongStatus && error.status >= 500)) return 'server_error';
  const isTimeout = (error: (typeof chain)[number]) =>
    error instanceof Late || error.name === 'TimeoutError' || /TIMEDOUT$|_TIMEOUT$/.test(`${error.code}`);
  return chain.some(isTimeout) ? 'timeout' : undefined;
}
