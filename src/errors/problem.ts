import { messageOf } from './message-of.js';

/** The argument of `onProblem`. */
export interface Problem<Code extends string> {
  readonly code: Code;
  /** What happened, and why. */
  readonly message: string;
  /** The error that caused it, if there was one. */
  readonly cause: unknown;
}

/** Create a problem whose message says what happened and repeats the message of its cause. */
export const problemOf = <Code extends string>(code: Code, what: string, cause: unknown): Problem<Code> => ({
  code,
  message: `${what}: ${messageOf(cause)}`,
  cause,
});
