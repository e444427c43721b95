// What sessions need, of runtimes that have nothing but the web's cryptography. It agrees with what `native` does on Node.
export { bytesIn } from './base64url.js';
export { decrypted, type Encrypted, encrypted, isSigned, signed } from './sealing.js';
export { signedBy, strengthOf, type VerificationKey, verificationKey } from './verification-key.js';
