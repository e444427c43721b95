export type { RawBody } from '../crypto/encoding.js';
export { type SignWebhookOptions, signWebhook } from '../crypto/signature.js';
export { type WebhookRefusal, WebhookVerificationError } from './verification-error.js';
export { type VerifyWebhookOptions, verifyWebhook, type WebhookPayload } from './verify.js';
