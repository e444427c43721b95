'use client';

export type { Failure } from '../browser/results.js';
export type { BrowserSession } from '../browser/session.js';
export type { PageSession, SessionData, SessionState, SessionView } from '../browser/session-state.js';
export { SallyportError } from '../errors/sallyport-error.js';
export { type AccessTokenGetter, type SessionHookOptions, useAccessToken, usePermission, useSession } from './hooks.js';
export { SignInLink, type SignInLinkProps, SignOutButton, type SignOutButtonProps } from './links.js';
export {
  type OfClientProps,
  type OfServerProps,
  SessionProvider,
  type SessionProviderProps,
} from './provider.js';
