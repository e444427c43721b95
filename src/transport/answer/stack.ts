import { SallyportError } from '../../errors/index.js';

/**
 * Make the stack trace of one of our errors begin here, so that it reaches the caller's line: engines record at most ten frames.
 * Runs only when a call fails.
 *
 * @param callSite An error from before the call loaded its operation, when the caller was still on the stack.
 */
export function fromHere(error: unknown, callSite?: Error): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (error: object, after: unknown) => void };
  if (!(error instanceof SallyportError)) return error;
  captureStackTrace?.(error, fromHere);
  const [, frames] = callSite?.stack?.split(/\n(.*)/s) ?? [];
  if (frames) error.stack = `${error.name}: ${error.message}\n${frames}`;
  return error;
}
