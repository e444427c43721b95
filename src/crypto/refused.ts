/** The result where something is not what it should be. */
export const refused = <Reason extends string>(reason: Reason) => ({ ok: false, reason }) as const;
