// The exports of 'sallyport/webhooks'.

export type { RawBody } from '../crypto/encoding.js';
export { type SignWebhookOptions, signWebhook } from '../crypto/signature.js';
export { receive, type WebhookHandlerOptions, webhookHandler } from './receive.js';
export type {
  EventFor,
  FailedDelivery,
  Received,
  ReceivedDelivery,
  ReceiveOptions,
  RefusedDelivery,
  SettledDelivery,
  WebhookAnswer,
  WebhookClient,
  WebhookContext,
  WebhookProblem,
} from './receive-options.js';
export type {
  FastifyWebhookRequest,
  HonoWebhookContext,
  LambdaWebhookEvent,
  NodeWebhookRequest,
  RouteWebhookContext,
  RouteWebhookEvent,
  WebhookRequest,
} from './request.js';
export type { WebhookPayload } from './signed-delivery.js';
export { type WebhookRefusal, WebhookVerificationError } from './verification-error.js';
export { type VerifyWebhookOptions, verifyWebhook } from './verify.js';
