import { Mismatch } from '../service/describe/codec.js';
import { type Event, event } from '../service/events.js';
import {
  webhooks as api,
  type WebhookEndpoint,
  type WebhookEndpointCreate,
  type WebhookEndpointUpdate,
} from '../service/webhooks.js';
import type { Call } from '../transport/call.js';
import { given, Namespace } from '../transport/namespace.js';
import type { ListParams, RequestOptions } from '../transport/options.js';
import type { Pages } from '../transport/pages.js';
import type { VerifyWebhookOptions } from '../webhooks/verify.js';

/** Addresses of yours to which events are delivered. */
export class Webhooks extends Namespace {
  /**
   * Webhook endpoints, newest first, each with the secret that signs its deliveries. Await it for one page; iterate it
   * for all of them.
   *
   * Specification: Endpoints > Events and webhook endpoints.
   */
  listWebhookEndpoints(params: ListParams = {}, options?: RequestOptions): Pages<WebhookEndpoint> {
    return this.pages(api.listEndpoints, { query: params }, options);
  }

  /**
   * A new webhook endpoint, enabled at once. Its `secret` signs the deliveries: keep it where your handler finds it.
   *
   * Specification: Endpoints > Events and webhook endpoints.
   *
   * @throws {ConflictError} Another endpoint has this address.
   * @throws {UnprocessableError} The address or a type of event is malformed.
   * @example
   * const endpoint = await sallyport.webhooks.createWebhookEndpoint({
   *   endpointUrl: 'https://app.acme.test/webhooks',
   *   events: ['dsync.user.created', 'dsync.user.deleted'],
   * });
   */
  createWebhookEndpoint(payload: WebhookEndpointCreate, options?: RequestOptions): Call<WebhookEndpoint> {
    return this.send(api.createEndpoint, { body: payload }, options);
  }

  /**
   * The webhook endpoint after the change. What is left out stays as it is; `events` replaces the whole list.
   *
   * Specification: Endpoints > Events and webhook endpoints.
   *
   * @throws {NotFoundError} No webhook endpoint has this id.
   * @throws {ConflictError} Another endpoint has this address.
   * @throws {UnprocessableError} A field is malformed.
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
    const { id, ...body } = given(payload);
    return this.send(api.updateEndpoint, { params: { id }, body }, options);
  }

  /**
   * Nothing; nothing more is delivered to the endpoint.
   *
   * Specification: Endpoints > Events and webhook endpoints.
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
    const { id } = given(payload);
    return this.send(api.deleteEndpoint, { params: { id } }, options);
  }

  /**
   * The event that a delivery carries, once its signature holds; nothing is parsed before. Types that this version does not
   * know pass through with their payload as received. A delivery may come twice: remember the `id` of what you have handled.
   *
   * Specification: Events.
   *
   * @throws {WebhookVerificationError} The delivery is not what the service sent; `reason` tells which check failed.
   * @example
   * const event = await sallyport.webhooks.constructEvent({
   *   payload: await request.text(),
   *   sigHeader: request.headers.get('Service-Signature'),
   *   secret: process.env.WEBHOOK_SECRET ?? '',
   * });
   * if (event.event === 'dsync.user.created') console.log(event.data.email);
   */
  async constructEvent(options: VerifyWebhookOptions): Promise<Event> {
    // Loaded at first use: most programs that import the client receive no deliveries.
    const { verifyWebhook } = await import('../webhooks/verify.js');
    const body = await verifyWebhook(given(options));
    try {
      // The codec has checked the body against the model that the type is made from.
      return this.transport.decode({ kind: 'model', model: event }, body) as Event;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      const { unexpectedPayload } = await import('../webhooks/unexpected-payload.js');
      throw unexpectedPayload(error);
    }
  }
}
