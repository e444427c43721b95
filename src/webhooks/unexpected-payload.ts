import type { Mismatch } from '../service/describe/codec.js';
import { WebhookVerificationError } from './verification-error.js';

/** The error for a payload that is not an event as described. */
export const unexpectedPayload = (mismatch: Mismatch): WebhookVerificationError =>
  new WebhookVerificationError(
    'payload_unexpected',
    mismatch.problem('The payload'),
    'Check that the dialect is that of the service, or read it by verifyWebhook of sallyport/webhooks',
  );
