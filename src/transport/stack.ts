import { SallyportError } from '../errors/index.js';

/**
 * Lets the stack of an error of ours begin here, and so lead to the caller's line: engines write down ten frames at most,
 * which our own would use up. Taken when a call has failed; a call that succeeds pays nothing. A call that first had to load its room
 * was `called` before that, and its caller may not wait for it yet.
 */
export function fromHere(error: unknown, called?: Error): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (error: object, after: unknown) => void };
  if (!(error instanceof SallyportError)) return error;
  captureStackTrace?.(error, fromHere);
  const [, frames] = called?.stack?.split(/\n(.*)/s) ?? [];
  if (frames) error.stack = `${error.name}: ${error.message}\n${frames}`;
  return error;
}
