import { checkOption } from '../errors/known-options.js';
import { checkOptions, receive } from './receive.js';
import type { ReceiveOptions, WebhookClient } from './receive-options.js';
import type { WebhookRequest } from './request.js';

/** Options of `webhookHandler`: those of `receive`, with a required handler. */
export interface WebhookHandlerOptions<Client extends WebhookClient | undefined = undefined>
  extends ReceiveOptions<Client> {
  readonly handler: NonNullable<ReceiveOptions<Client>['handler']>;
}

/**
 * Create the handler of a webhook route for frameworks that return a Response, such as Next, Hono, Bun, Deno and Workers. It
 * calls `receive` and returns the response.
 *
 * @throws {ConfigurationError} An option is invalid, or `handler` is missing.
 * @example
 * export const POST = webhookHandler({ secret: process.env.WEBHOOK_SECRET, client: sallyport, store, handler });
 */
export function webhookHandler<Client extends WebhookClient | undefined = undefined>(
  options: WebhookHandlerOptions<Client>,
): (request: WebhookRequest) => Promise<Response> {
  checkOptions('webhookHandler', options);
  // Without a handler, the event would be acknowledged with 200 and lost.
  checkOption(options.handler, 'handler', 'must be a function');
  return async (request) => {
    const { httpStatus: status, text } = await receive(request, options);
    return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  };
}
