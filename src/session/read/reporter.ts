import { variable } from '../../http/environment.js';
import type { ProblemTarget } from './problem-texts.js';

/** Reports a problem behind a result. Most reasons are not a problem. */
export type Report = (result: { readonly status?: string; readonly reason?: string; readonly cause?: unknown }) => void;

/**
 * Create the function that reports problems to `onProblem`, and during development once to the console. The texts are 1.0 KiB gzip
 * and are loaded on first use.
 */
export const reporter =
  (target: Omit<ProblemTarget, 'logsToConsole'>, loopback: boolean): Report =>
  ({ reason, cause }) => {
    if (!reason) return;
    const mode = variable('NODE_ENV');
    const logsToConsole = mode === 'development' || (loopback && mode !== 'production');
    if (logsToConsole || target.onProblem)
      import('./problem-texts.js')
        .then(({ reportProblem }) => reportProblem({ ...target, logsToConsole }, reason, cause))
        // An error in the listener must not fail the request.
        .catch(() => undefined);
  };
