export type { RawBody } from '../crypto/encoding.js';
export { type SignWebhookOptions, signWebhook } from '../crypto/signature.js';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookPayload,
  type WebhookRefusal,
  WebhookVerificationError,
} from './verify.js';
