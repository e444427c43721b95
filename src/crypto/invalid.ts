/** Return a negative result with its reason. */
export const invalid = <Reason extends string>(reason: Reason) => ({ ok: false, reason }) as const;
