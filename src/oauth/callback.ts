/** Query parameters of the callback URL; null if they are missing. */
export interface Callback {
  readonly state: string | null;
  readonly code: string | null;
  readonly error: string | null;
  readonly errorDescription: string | null;
}

/** Names of the parameters that the service adds to the callback URL. */
export const callbackParameters = ['state', 'code', 'error', 'error_description'] as const;

/** Read the parameters of a callback URL. */
export const callbackIn = (query: URLSearchParams): Callback => ({
  state: query.get('state'),
  code: query.get('code'),
  error: query.get('error'),
  errorDescription: query.get('error_description'),
});
