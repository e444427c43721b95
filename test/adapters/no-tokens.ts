import type { SessionHandler } from 'sallyport/session';

/** What hand-made sessions do with access tokens, which no test sends them. */
export const noTokens: Pick<SessionHandler, 'verifyAccessToken' | 'isRecent'> = {
  verifyAccessToken: () => Promise.reject(new Error('nobody sends a token here')),
  isRecent: () => false,
};
