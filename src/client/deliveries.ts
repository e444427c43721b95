import { Mismatch } from '../service/describe/codec.js';
import { type Event, event } from '../service/events.js';
import type { Transport } from '../transport/transport.js';
import { payloadIn, type WebhookPayload } from '../webhooks/signed-delivery.js';
import { WebhookVerificationError } from '../webhooks/verification-error.js';
import { verifyWebhook } from '../webhooks/verify.js';

export { payloadIn, verifyWebhook };

/** Return the event in a payload. @throws {WebhookVerificationError} It is not an event. */
export function eventIn(transport: Transport, payload: WebhookPayload): Event {
  try {
    // The codec checks the payload against the model of this type.
    return transport.decode({ kind: 'model', model: event }, payload) as Event;
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new WebhookVerificationError(
      'payload_unexpected',
      error.problem('The payload'),
      'Check that the client has the dialect of the service, or use verifyWebhook of sallyport/webhooks, which does not decode it',
    );
  }
}
