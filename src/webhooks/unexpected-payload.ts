import type { Mismatch } from '../service/describe/codec.js';
import { WebhookVerificationError } from './verification-error.js';

/** The error for a payload that is not a valid event. */
export const unexpectedPayload = (mismatch: Mismatch): WebhookVerificationError =>
  new WebhookVerificationError(
    'payload_unexpected',
    mismatch.problem('The payload'),
    'Check that the client has the dialect of the service, or use verifyWebhook of sallyport/webhooks, which does not decode it',
  );
