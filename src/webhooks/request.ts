/** Header fields as Node has them: an object with the names in lower case. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Node's request, of HTTP/1.1 or HTTP/2, which is also that of Express and of the pages router of Next. */
export interface NodeWebhookRequest {
  readonly headers: HeaderFields;
  on(event: string, listener: (...given: never[]) => void): unknown;
  /** What a parser made of the body; the body itself behind `express.raw()`. */
  readonly body?: unknown;
  /** The body as received, where something keeps it beside what was parsed. */
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

/** What the routes of React Router, SvelteKit, Astro and Cloudflare Pages get: an object with the request in it. */
export interface RouteWebhookEvent {
  readonly request: Request;
}

/** The context of a route of Fresh, and of h3: an object with the request in it. */
export interface RouteWebhookContext {
  readonly req: Request;
}

/** The event of a Lambda function behind an API gateway, of version 1 or 2, a load balancer or a function URL. */
export interface LambdaWebhookEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded: boolean;
}

/** Everything that `receive` takes for a request; it is known by its form. */
export type WebhookRequest =
  | Request
  | NodeWebhookRequest
  | FastifyWebhookRequest
  | HonoWebhookContext
  | RouteWebhookEvent
  | RouteWebhookContext
  | LambdaWebhookEvent;
