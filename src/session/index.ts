export type { AccessTokenClaims } from '../crypto/access-token.js';
export type { JwkSet } from '../crypto/key-set.js';
export type { Password, PasswordEntry } from '../crypto/passwords.js';
export type { CookieOptions } from './cookies.js';
export { createSessionReader, type ReadResult, type SessionReader, type SignedOutReason } from './reader.js';
export type { ReaderOptions } from './reader-options.js';
export type { Session } from './session.js';
export { type SessionCache, type SessionCacheOptions, sessionCache } from './verified-cache.js';
