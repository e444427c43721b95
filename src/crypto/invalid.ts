/** The result for a value that will never be valid. */
export interface Invalid<Reason extends string> {
  readonly status: 'invalid';
  readonly reason: Reason;
}

/** Return a negative result with its reason. */
export const invalid = <Reason extends string>(reason: Reason): Invalid<Reason> => ({ status: 'invalid', reason });
