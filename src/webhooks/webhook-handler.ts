import { checkOption } from '../errors/check-option.js';
import { checkOptions, receive } from './receive.js';
import type { ReceiveOptions, WebhookClient } from './receive-options.js';
import type { WebhookRequest } from './request.js';

/** What `webhookHandler` takes: the options of `receive`, with a handler. */
export interface WebhookHandlerOptions<Client extends WebhookClient | undefined = undefined>
  extends ReceiveOptions<Client> {
  readonly handler: NonNullable<ReceiveOptions<Client>['handler']>;
}

/**
 * Make the handler of a webhook route, for frameworks that answer with a Response: Next, Hono, Bun, Deno, Workers and others. It
 * receives the delivery as `receive` does, and answers.
 *
 * @throws {ConfigurationError} An option is wrong, or there is no handler.
 * @example
 * export const POST = webhookHandler({ secrets: process.env.WEBHOOK_SECRET, client: sallyport, once: store, handler });
 */
export function webhookHandler<Client extends WebhookClient | undefined = undefined>(
  options: WebhookHandlerOptions<Client>,
): (request: WebhookRequest) => Promise<Response> {
  checkOptions('webhookHandler', options);
  // Without one the event would be answered with 200, and lost.
  checkOption(options.handler, 'handler', 'must be a function');
  return async (request) => {
    const { status, text } = await receive(request, options);
    return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  };
}
