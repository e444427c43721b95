import { SallyportError } from '../errors/index.js';

/**
 * Lets the stack of an error of ours begin here, and so lead to the caller's line: engines write down ten frames at most,
 * which our own would use up. Taken when a call has failed; a call that succeeds pays nothing.
 */
export function fromHere(error: unknown): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (error: object, after: unknown) => void };
  if (error instanceof SallyportError) captureStackTrace?.(error, fromHere);
  return error;
}
