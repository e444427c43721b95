/** The result where nobody is signed in. */
export const signedOut = <Reason extends string>(reason: Reason) =>
  ({ status: 'signed_out', session: null, reason }) as const;
