/** What the address says that a user comes back to; null for what it does not say. */
export interface Callback {
  readonly state: string | null;
  readonly code: string | null;
  readonly error: string | null;
  readonly errorDescription: string | null;
}

/** Parameters that the service adds to the address a user comes back to. */
export const callbackParameters = ['state', 'code', 'error', 'error_description'] as const;

/** What the query of an address says about the sign-in that the user comes back from. */
export const callbackIn = (query: URLSearchParams): Callback => ({
  state: query.get('state'),
  code: query.get('code'),
  error: query.get('error'),
  errorDescription: query.get('error_description'),
});
