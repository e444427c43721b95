import { quotable } from '../../errors/index.js';
import { chainOf, printableCause } from '../../errors/printable-cause.js';
import { adviceFor } from '../../http/fetch-advice.js';
import { isText } from '../../http/json.js';
import type { PreparedRequest } from '../request/request.js';
import type { Config } from '../types.js';
import { type Attempted, ConnectionError, TimeoutError } from './errors.js';

/** Error codes of runtimes for a refused connection. */
const refusedCodes: readonly unknown[] = ['ECONNREFUSED', 'ConnectionRefused'];

const codeOf = (thrown: unknown): string | undefined =>
  chainOf(thrown)
    .map(({ code }) => code)
    .find(isText);

/** Whether the connection was refused, because nothing listens at the address. */
export const isRefused = (thrown: unknown): boolean =>
  chainOf(thrown).some(
    // Deno reports it only in the message.
    ({ code, message }) => refusedCodes.includes(code) || (isText(message) && /\bconnection refused\b/i.test(message)),
  );

/** Create the error for an attempt whose connection failed. Its cause has no secrets. */
export function connectionError(
  { host, loopback }: Config,
  { operation, redact }: PreparedRequest,
  attempted: Attempted,
  thrown: unknown,
): ConnectionError {
  const { method, route, attempts } = attempted;
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const messages = isText(thrown) ? [thrown] : chainOf(thrown).map(({ message }) => message);
  const why = [codeOf(thrown), ...messages].filter(isText).join(': ');
  const explanation = {
    what: `${operation.client} got no answer from ${host} (${method} ${route}, tried ${times})`,
    why: quotable(why, redact),
    next:
      loopback && isRefused(thrown)
        ? 'Start the emulator with npx sallyport emulator, or correct baseUrl'
        : adviceFor(thrown, 'Check baseUrl, the network and the proxy'),
  };
  return new ConnectionError(explanation, attempted, printableCause(thrown, redact));
}

/** Create the error for an attempt that took too long. @param waits Milliseconds that the call waited before, by what for. */
export function timeoutError(
  { operation }: PreparedRequest,
  attempted: Attempted,
  limit: TimeoutError['limit'],
  waits: Readonly<Record<string, number>>,
): TimeoutError {
  const { method, route, attempts } = attempted;
  const option = limit === 'deadline' ? 'deadlineMs' : 'timeoutMs';
  const reached = limit === 'deadline' ? 'The call reached its deadlineMs' : 'The attempt took longer than timeoutMs';
  const waited = Object.entries(waits).filter(([, ms]) => Math.round(ms) > 0);
  const before = waited.map(([what, ms]) => `${Math.round(ms)} ms for ${what}`).join(' and ');
  return new TimeoutError(
    {
      what: `${operation.client} got no answer in time (${method} ${route}, attempt ${attempts})`,
      why: reached + (before && `. Before that the call waited ${before}`),
      next: `Raise ${option}, or try again later`,
    },
    attempted,
    limit,
  );
}
