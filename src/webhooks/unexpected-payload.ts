import type { Mismatch } from '../service/describe/codec.js';
import { WebhookVerificationError } from './verification-error.js';

/** The error for a delivery that is rightly signed and no event as described. */
export const unexpectedPayload = (mismatch: Mismatch): WebhookVerificationError =>
  new WebhookVerificationError(
    'payload_unexpected',
    `The signature is right, but ${mismatch.problem('the payload').replace('The', 'the')}`,
    'Check that the dialect is that of the service, or read the delivery with verifyWebhook of sallyport/webhooks',
  );
