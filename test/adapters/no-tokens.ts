import type { SessionHandler } from 'sallyport/session';

/** The token functions of hand-made sessions. No test sends them an access token. */
export const noTokens: Pick<SessionHandler, 'verifyAccessToken' | 'isRecent'> = {
  verifyAccessToken: () => Promise.reject(new Error('nobody sends a token here')),
  isRecent: () => false,
};
