// What sessions need, of Node, which Bun and Deno have too: it answers in the same tick.
export { bytesIn } from './base64url.js';
export { decrypted, encrypted, isSigned, signed } from './sealing.js';
export { signedBy, strengthOf, type VerificationKey, verificationKey } from './verification-key.js';
