/** Create a `signed_out` result. */
export const signedOut = <Reason extends string>(reason: Reason) =>
  ({ status: 'signed_out', session: null, reason }) as const;
