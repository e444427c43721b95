import { messageOf } from '../errors/problem.js';
import { type Explanation, SallyportError, withoutSecrets } from '../errors/sallyport-error.js';

/** Codes of `MirrorError`. */
export type MirrorErrorCode = 'mirror_stale' | 'mirror_timeout' | 'mirror_in_use' | 'write_failed';

/** A mirror is not able to answer, or was used in the wrong way. */
export class MirrorError extends SallyportError<MirrorErrorCode> {
  static override readonly kind: string = 'MirrorError';

  constructor(code: MirrorErrorCode, explanation: Explanation, options?: { readonly cause?: unknown }) {
    super(code, withoutSecrets(explanation), options);
  }
}

/** The error of a read that would return old data. */
export const stale = (lagMs: number | undefined, maxLagMs: number): MirrorError =>
  new MirrorError('mirror_stale', {
    what: lagMs === undefined ? 'The mirror is not ready' : `The mirror is ${lagMs} ms behind the service`,
    why:
      lagMs === undefined
        ? 'The first copy is not finished, or the mirror is copying again after a long absence'
        : `maxLagMs allows ${maxLagMs} ms, and no process runs the mirror, or the service or the database is slow`,
    next: 'Check that run() is called in a process. Read from the service meanwhile, or answer with status 503',
  });

/** The error of a wait that took too long. */
export const timedOut = (what: string, timeoutMs: number): MirrorError =>
  new MirrorError('mirror_timeout', {
    what: `${what} within ${timeoutMs} ms`,
    why: 'No process runs the mirror, or it is behind',
    next: 'Check status(), and that run() is called in a process',
  });

export const inUse = (): MirrorError =>
  new MirrorError('mirror_in_use', {
    what: 'This mirror is already running, or closed',
    why: 'run() can be called once',
    next: 'Call mirror() again for another run',
  });

export const writeFailed = (what: string, cause: unknown): MirrorError =>
  new MirrorError(
    'write_failed',
    {
      what: `${what} could not be written`,
      why: messageOf(cause),
      next: 'Check the columns, constraints and triggers that you added to the tables, then run the mirror again',
    },
    { cause },
  );
