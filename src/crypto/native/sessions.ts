// Synchronous cryptography for sessions, based on node:crypto. Bun and Deno have it too.
export { bytesIn } from './base64url.js';
export { decrypt, encrypt, isSigned, sign } from './sealing.js';
export { strengthOf, type VerificationKey, verificationKey, verifiedPayload } from './verification-key.js';
