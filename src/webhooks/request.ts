import type { HeaderFields } from '../http/header-field.js';

/** Node's request for HTTP/1.1 or HTTP/2. Express and the pages router of Next use it too. */
export interface NodeWebhookRequest {
  readonly headers: HeaderFields;
  on(event: string, listener: (...args: never[]) => void): unknown;
  /** The parsed body, or the body as received after `express.raw()`. */
  readonly body?: unknown;
  /** The body as received, if a parser stores it next to the parsed one. */
  readonly rawBody?: unknown;
}

/** The request of Fastify. */
export interface FastifyWebhookRequest {
  readonly raw: Pick<NodeWebhookRequest, 'headers' | 'on'>;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The context of Hono. */
export interface HonoWebhookContext {
  readonly req: { readonly raw: Request };
}

/** The argument of a route in React Router, SvelteKit, Astro and Cloudflare Pages: an object with the request. */
export interface RouteWebhookEvent {
  readonly request: Request;
}

/** The context of a route in Fresh and h3: an object with the request. */
export interface RouteWebhookContext {
  readonly req: Request;
}

/** The event of a Lambda function behind API Gateway (payload version 1 or 2), a load balancer or a function URL. */
export interface LambdaWebhookEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded: boolean;
}

/** The requests that `receive` accepts. It detects the framework by the properties of the request. */
export type WebhookRequest =
  | Request
  | NodeWebhookRequest
  | FastifyWebhookRequest
  | HonoWebhookContext
  | RouteWebhookEvent
  | RouteWebhookContext
  | LambdaWebhookEvent;
