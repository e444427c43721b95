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

/** Return a field of a thrown value; undefined if it has none or reading it throws. */
export function fieldOf(thrown: unknown, name: string): unknown {
  try {
    return (Object(thrown) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

/** Return the message of a thrown error, or any other thrown value as text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'a value was thrown that cannot be converted to text';
  }
}

/** Call a user's callback and ignore what it throws or rejects with. */
export function quietly(callback: () => unknown): void {
  (async () => callback())().catch(() => {});
}
