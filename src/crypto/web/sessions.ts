// Cryptography for sessions, based on Web Crypto. Must behave like `native`.
export { bytesIn } from './base64url.js';
export { decrypt, type Encrypted, encrypt, isSigned, sign } from './sealing.js';
export { strengthOf, type VerificationKey, verificationKey, verifiedPayload } from './verification-key.js';
