import { quotable } from '../../errors/index.js';
import { printableCause } from '../../errors/printable-cause.js';
import { adviceFor, isRefused, textsOf } from '../../http/fetch-advice.js';
import type { PreparedRequest } from '../request/request.js';
import type { Config } from '../types.js';
import { type Attempted, ConnectionError, TimeoutError } from './errors.js';

/** Create the error for an attempt whose connection failed. Its cause has no secrets. */
export function connectionError(
  { host, loopback }: Config,
  { operation, redact }: PreparedRequest,
  attempted: Attempted,
  thrown: unknown,
): ConnectionError {
  const { method, route, attempts } = attempted;
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const explanation = {
    what: `${operation.client} got no answer from ${host} (${method} ${route}, tried ${times})`,
    why: quotable(textsOf(thrown).join(': '), redact),
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
  const waited = Object.entries(waits).filter(([, ms]) => Math.round(ms) > 0);
  const before = waited.map(([what, ms]) => `${Math.round(ms)} ms for ${what}`).join(' and ');
  return new TimeoutError(
    {
      what: `${operation.client} got no answer in time (${method} ${route}, attempt ${attempts})`,
      why: `It took longer than ${option}${before && `. Before that the call waited ${before}`}`,
      next: `Raise ${option}, or try again later`,
    },
    attempted,
    limit,
  );
}
