import type { KeySet } from '../../crypto/key-set.js';
import { variable } from '../../http/environment.js';
import type { ProblemTarget } from './problem-texts.js';

/** Reports a problem behind a result. Most reasons are not a problem. */
export type Report = (result: { readonly status?: string; readonly reason?: string; readonly cause?: unknown }) => void;

/**
 * Create the function that reports problems to `onProblem`, and during development once to the console. An outage of the keys is
 * reported at its start and at its end, not for each request. The texts are loaded on first use.
 */
export function reporter(
  { keys, ...target }: Omit<ProblemTarget, 'logsToConsole'> & { readonly keys?: KeySet },
  loopback: boolean,
): Report {
  /** The generation of the keys when their outage was reported. */
  let outage: number | undefined;
  const tell = (reason: string, cause?: unknown): void => {
    const mode = variable('NODE_ENV');
    const logsToConsole = mode === 'development' || (loopback && mode !== 'production');
    if (logsToConsole || target.onProblem)
      import('./problem-texts.js')
        .then(({ reportProblem }) => reportProblem({ ...target, logsToConsole }, reason, cause))
        // An error in the listener must not fail the request.
        .catch(() => undefined);
  };
  return ({ reason, cause }) => {
    const { failure, generation = 0 } = keys ?? {};
    const isMissing = reason === 'keys_unavailable';
    if (outage === undefined && (isMissing || failure !== undefined)) {
      outage = generation;
      tell('keys_unavailable', failure ?? cause);
    } else if (outage !== undefined && failure === undefined && generation !== outage) {
      outage = undefined;
      tell('keys_restored');
    }
    if (reason && !isMissing) tell(reason, cause);
  };
}
