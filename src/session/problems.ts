import { variable } from '../http/environment.js';
import type { Listening } from './problem-texts.js';

/** Tells of what a result hides; of most reasons there is nothing to tell. */
export type Report = (result: { readonly status?: string; readonly reason?: string; readonly cause?: unknown }) => void;

/** Tells the listener of every problem, and while an application is developed the console once. The texts are loaded for that. */
export const reporter =
  (listening: Omit<Listening, 'speaks'>, loopback: boolean): Report =>
  ({ reason, cause }) => {
    if (!reason) return;
    const mode = variable('NODE_ENV');
    const speaks = mode === 'development' || (loopback && mode !== 'production');
    if (speaks || listening.onProblem)
      import('./problem-texts.js')
        .then(({ tell }) => tell({ ...listening, speaks }, reason, cause))
        // No request fails because of who listens.
        .catch(() => undefined);
  };
