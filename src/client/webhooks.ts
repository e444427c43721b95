import type { RawBody } from '../crypto/encoding.js';
import { Mismatch } from '../service/describe/codec.js';
import type { Event } from '../service/events.js';
import type { WebhookEndpoint, WebhookEndpointCreate, WebhookEndpointUpdate } from '../service/webhooks.js';
import type { Call } from '../transport/call.js';
import { Namespace, orEmpty } from '../transport/namespace.js';
import type { ListOptions, ListParams, RequestOptions } from '../transport/options.js';
import type { PagePromise } from '../transport/page-promise.js';
import type { VerifyWebhookOptions, WebhookPayload } from '../webhooks/verify.js';
import { eventRooms } from './operations.js';

const api = eventRooms('webhooks');

/** Webhook endpoints, to which the service delivers events, and the check of what arrives there. */
export class Webhooks extends Namespace {
  /**
   * List webhook endpoints, newest first, each with the secret that signs its deliveries. Await the result for one
   * page; iterate over it for all of them.
   */
  listWebhookEndpoints(params: ListParams = {}, options?: ListOptions): PagePromise<WebhookEndpoint> {
    return this.pages(api('listEndpoints'), { query: params }, options);
  }

  /**
   * Create a webhook endpoint. It is enabled at once. Its `secret` signs the deliveries: store it where your handler
   * finds it.
   *
   * @throws {ConflictError} Another endpoint has this address.
   * @throws {UnprocessableError} The address is not an http or https URL, or a type of event is malformed or never
   * delivered.
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
   * Change a webhook endpoint. Fields that you leave out stay as they are; `events` replaces the whole list.
   *
   * @throws {NotFoundError} No webhook endpoint has this id.
   * @throws {ConflictError} Another endpoint has this address.
   * @throws {UnprocessableError} The address is not an http or https URL, or a type of event is malformed or never
   * delivered.
   * @example
   * await sallyport.webhooks.updateWebhookEndpoint({ id: endpoint.id, status: 'disabled' });
   */
  updateWebhookEndpoint(
    payload: WebhookEndpointUpdate & {
      /** Id of the endpoint to change. */
      readonly id: string;
    },
    options?: RequestOptions,
  ): Call<WebhookEndpoint> {
    const { id, ...body } = orEmpty(payload);
    return this.send(api('updateEndpoint'), { params: { id }, body }, options);
  }

  /**
   * Delete a webhook endpoint. Deliveries to it stop at once.
   *
   * @throws {NotFoundError} No webhook endpoint has this id.
   */
  deleteWebhookEndpoint(
    payload: {
      /** Id of the endpoint. */
      readonly id: string;
    },
    options?: RequestOptions,
  ): Call<void> {
    const { id } = orEmpty(payload);
    return this.send(api('deleteEndpoint'), { params: { id } }, options);
  }

  /** Name of the header that carries the signature of a delivery; the client's dialect decides it. */
  get signatureHeader(): string {
    return this.transport.dialect.signatureHeader;
  }

  /**
   * Check the signature of a delivery and return its event. The event is parsed only after its signature was found right.
   * Events of types that this version does not know keep their data as received, and so do events whose data does
   * not fit: those have a `problem`. A delivery may come twice: remember the `id` of the events you have handled.
   *
   * @throws {WebhookVerificationError} The delivery is not what the service sent; `reason` says which check failed.
   * @example
   * const event = await sallyport.webhooks.constructEvent({
   *   payload: await request.text(),
   *   sigHeader: request.headers.get('Service-Signature'),
   *   secret: process.env.WEBHOOK_SECRET,
   * });
   * if (event.event === 'dsync.user.created') console.log(event.data.email);
   */
  async constructEvent(options: VerifyWebhookOptions): Promise<Event> {
    // Loaded at first use: most programs that import the client receive no deliveries.
    const { verifyWebhook } = await import('../webhooks/verify.js');
    return this.#eventIn(await verifyWebhook(orEmpty(options)));
  }

  /**
   * Read an event whose delivery was verified before, by the receiver that put it into a queue. No signature is checked:
   * never pass what a stranger may have sent.
   *
   * @param payload The body as it was delivered, or the object that it parses to.
   * @throws {WebhookVerificationError} The payload is not an event; `reason` says why.
   * @example
   * for (const message of messages) {
   *   const event = await sallyport.webhooks.parseEvent(message.body);
   *   if (event.event === 'dsync.user.created') console.log(event.data.email);
   * }
   */
  async parseEvent(payload: RawBody | WebhookPayload): Promise<Event> {
    const { payloadIn } = await import('../webhooks/verify.js');
    return this.#eventIn(payloadIn(payload));
  }

  async #eventIn(payload: WebhookPayload): Promise<Event> {
    const { event } = await import('./operations/events.js');
    try {
      // The codec has checked the payload against the model that the type is made from.
      return this.transport.decode({ kind: 'model', model: event }, payload) as Event;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      const { unexpectedPayload } = await import('../webhooks/unexpected-payload.js');
      throw unexpectedPayload(error);
    }
  }
}
