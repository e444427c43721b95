import type { RawBody } from '../crypto/encoding.js';
import type { Event } from '../service/events.js';
import type { WebhookEndpoint, WebhookEndpointCreate, WebhookEndpointUpdate } from '../service/webhooks.js';
import type { Call } from '../transport/answer/call.js';
import type { PagePromise } from '../transport/lists/page-promise.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/request/options.js';
import type { WebhookPayload } from '../webhooks/signed-delivery.js';
import type { VerifyWebhookOptions } from '../webhooks/verify.js';
import { eventRooms } from './operations.js';

const api = eventRooms('webhooks');

/**
 * Loaded on first use, because most programs that import the client receive no deliveries. Kept, because Node takes 5 to 12 us for
 * each `import()` of a loaded module, as long as for checking a signature.
 */
let deliveries: typeof import('./deliveries.js') | undefined;
const loadDeliveries = async () => {
  deliveries = await import('./deliveries.js');
  return deliveries;
};

/** Webhook endpoints that receive events from the service, and the verification of deliveries. */
export class Webhooks extends Namespace {
  /**
   * List webhook endpoints, newest first, each with the secret that signs its deliveries. Await the result for one
   * page, or iterate over it to get all items.
   */
  listWebhookEndpoints(params: ListParams = {}, options?: ListOptions): PagePromise<WebhookEndpoint> {
    return this.pages(api('listEndpoints'), { query: params }, options);
  }

  /**
   * Create a webhook endpoint. It is enabled immediately. Its `secret` signs the deliveries, so store it for your
   * handler.
   *
   * @throws {ConflictError} Another endpoint has this URL.
   * @throws {UnprocessableError} The URL is not an http or https URL, or an event type is malformed or never delivered.
   * @example
   * const endpoint = await sallyport.webhooks.createWebhookEndpoint({
   *   endpointUrl: 'https://app.acme.test/webhooks',
   *   events: ['dsync.user.created', 'dsync.user.updated', 'dsync.user.deleted'],
   * });
   */
  createWebhookEndpoint(payload: WebhookEndpointCreate, options?: RequestOptions): Call<WebhookEndpoint> {
    return this.send(api('createEndpoint'), { body: payload }, options);
  }

  /**
   * Update a webhook endpoint. Omitted fields keep their values; `events` replaces the whole list.
   *
   * @throws {NotFoundError} No webhook endpoint has this id.
   * @throws {ConflictError} Another endpoint has this URL.
   * @throws {UnprocessableError} The URL is not an http or https URL, or an event type is malformed or never delivered.
   * @example
   * await sallyport.webhooks.updateWebhookEndpoint({ id: endpoint.id, status: 'disabled' });
   */
  updateWebhookEndpoint(
    payload: WebhookEndpointUpdate & {
      /** Id of the endpoint to update, prefix `we_`. */
      readonly id: string;
    },
    options?: RequestOptions,
  ): Call<WebhookEndpoint> {
    return this.sendObject(api('updateEndpoint'), payload, options);
  }

  /**
   * Delete a webhook endpoint. Deliveries stop immediately.
   *
   * @throws {NotFoundError} No webhook endpoint has this id.
   */
  deleteWebhookEndpoint(
    payload: {
      /** Id of the endpoint, prefix `we_`. */
      readonly id: string;
    },
    options?: RequestOptions,
  ): Call<void> {
    return this.sendObject(api('deleteEndpoint'), payload, options);
  }

  /** Name of the header with the signature of a delivery; depends on the client's dialect. */
  get signatureHeader(): string {
    return this.transport.config.dialect.signatureHeader;
  }

  /**
   * Verify the signature of a delivery, then parse and return its event. Events with a type that this version does not
   * know keep their data as received. If the data does not match the type, the event has a `problem` and also keeps its
   * data. Deliveries may repeat, so remember the `id` of the events you have handled. In a route, `receive` of
   * `sallyport/webhooks` does all of this, and reads the request.
   *
   * @throws {WebhookVerificationError} The delivery could not be verified; `reason` says which check failed.
   * @example
   * const event = await sallyport.webhooks.constructEvent({
   *   payload: await request.text(),
   *   sigHeader: request.headers.get('Service-Signature'),
   *   secret: process.env.WEBHOOK_SECRET,
   * });
   * if (event.event === 'dsync.user.created') console.log(event.data.email);
   */
  async constructEvent(options: VerifyWebhookOptions): Promise<Event> {
    const { eventIn, verifyWebhook } = deliveries ?? (await loadDeliveries());
    return eventIn(this.transport, await verifyWebhook(orEmpty(options)));
  }

  /**
   * Parse an event from a delivery that is already verified, such as one from your queue. The signature is not
   * checked, so never pass untrusted data.
   *
   * @param payload Body as delivered, or the parsed object.
   * @throws {WebhookVerificationError} The payload is not an event; `reason` says why.
   * @example
   * for (const message of messages) {
   *   const event = await sallyport.webhooks.parseEvent(message.body);
   *   if (event.event === 'dsync.user.created') console.log(event.data.email);
   * }
   */
  async parseEvent(payload: RawBody | WebhookPayload): Promise<Event> {
    const { eventIn, payloadIn } = deliveries ?? (await loadDeliveries());
    return eventIn(this.transport, payloadIn(payload));
  }
}
