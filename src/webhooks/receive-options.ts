import type { RawBody } from '../crypto/encoding.js';
import type { Event } from '../service/events.js';
import type { Store } from '../stores/store.js';
import type { WebhookVerificationError } from './verification-error.js';
import type { WebhookPayload } from './verify.js';

/** The client of the service: `receive` uses it to read events and to find the signature header. */
export interface WebhookClient {
  readonly webhooks: {
    parseEvent(payload: RawBody | WebhookPayload): Promise<Event>;
    readonly signatureHeader?: string;
  };
}

/** What a delivery holds: with a client an `Event`, and without one its fields by their wire names. */
export type EventFor<Client> = Client extends WebhookClient ? Event : WebhookPayload;

/** What a handler gets beside the event. */
export interface WebhookContext {
  /** Id of the event, or of the message by the Standard Webhooks scheme; the same however often it is sent. */
  readonly id: string;
  /** Which of the secrets made the signature: its place in the list. */
  readonly secretIndex: number;
  /** Ends when the request does, where the framework says so. */
  readonly signal: AbortSignal;
  /** How often this call has given the event to the handler: once. A sender does not say how often it has sent it. */
  readonly attempt: 1;
}

/** Something that went wrong and that nobody else may see. */
export interface WebhookProblem {
  /**
   * `refused`: the delivery is not what the service sent, or the route is set up wrongly. `failed`: the handler threw.
   * `store_failed`: the store did not answer; the delivery was refused, or handled and not noted.
   */
  readonly code: 'refused' | 'failed' | 'store_failed';
  /** What was thrown: for `refused` a `WebhookVerificationError`. */
  readonly error: unknown;
  /** Id of the event; absent where the delivery was refused. */
  readonly id?: string | undefined;
}

/** What `receive` takes. */
export interface ReceiveOptions<Client extends WebhookClient | undefined = undefined> {
  /** Secret of the webhook endpoint, prefix included; while it is being replaced, the new and the old one. */
  readonly secrets: string | readonly string[] | undefined;
  /**
   * The client, which reads the event: with it the event is an `Event`, as from `client.events`, and handlers that `on` or
   * `exactlyOnce` made can be used. Without it the event has its fields by their wire names.
   */
  readonly client?: Client;
  /** What to do about an event: your own function, or with a client what `on` made or the `handle` of `exactlyOnce`. */
  readonly handler?: ((event: EventFor<Client>, context: WebhookContext) => unknown) | undefined;
  /** Remembers which events were handled, for all replicas: a delivery that comes again is not handled again. */
  readonly once?: Store | undefined;
  /** Who handles events, where several receivers share a store: each handles every event. Default `default`. */
  readonly name?: string | undefined;
  /** Milliseconds after which an event is handled again when its handler has not ended; default 300,000. */
  readonly leaseMs?: number | undefined;
  /** Milliseconds for which an event is remembered as handled; default seven days. The service sends it again for three. */
  readonly rememberMs?: number | undefined;
  /** How deliveries are signed: as the service does it, or by the Standard Webhooks scheme. Default `service`. */
  readonly scheme?: 'service' | 'standard' | undefined;
  /** Name of the signature header; default: the name in the client's dialect, or `Service-Signature` without a client. */
  readonly header?: string | undefined;
  /** Milliseconds by which the signature's timestamp may differ from now, either way; default 180,000. */
  readonly tolerance?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Largest body that is read; default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Called with what goes wrong. Without it, what the handler throws is thrown on, for your framework to report. */
  readonly onProblem?: ((problem: WebhookProblem) => void) | undefined;
}

/** What to send back: any status but 2xx has the service send the delivery again. */
export interface WebhookAnswer {
  /**
   * 200 for a delivery that was taken; 400, or 413 for a body too large, for one that is not the service's; 409 while another
   * replica handles the event; 500 where the handler threw, or the route is set up wrongly; 503 where the store is down.
   */
  readonly status: 200 | 400 | 409 | 413 | 500 | 503;
  /** One word that says which it is; in development the whole message of a refusal. */
  readonly text: string;
}

interface Genuine<Payload> extends WebhookAnswer {
  readonly event: Payload;
  /** Id of the event, or of the message by the Standard Webhooks scheme; the same however often it is sent. */
  readonly id: string;
  /** Which of the secrets made the signature: its place in the list. When it is never the old one, retire that. */
  readonly secretIndex: number;
  /** Whether the event was handled before. */
  readonly isDuplicate: boolean;
}

/** A delivery that the caller handles, for there is no handler. */
export interface ReceivedDelivery<Payload> extends Genuine<Payload> {
  readonly outcome: 'received';
  readonly error?: undefined;
  /** Remembers the event as handled. Until then it is handled again when it comes after the lease. */
  done(): Promise<void>;
  /** Lets go of the event, so that it is handled when it comes again. Answer with 500 then. */
  release(): Promise<void>;
}

/** A delivery that needs nothing more: its event was handled now or before, or somebody else is at it. */
export interface SettledDelivery<Payload> extends Genuine<Payload> {
  readonly outcome: 'handled' | 'duplicate' | 'busy';
  readonly error?: undefined;
}

/** A delivery that the service has to send again: the handler threw, or the store did not answer. */
export interface FailedDelivery<Payload> extends Genuine<Payload> {
  readonly outcome: 'failed' | 'store_failed';
  /** What the handler or the store threw. */
  readonly error: unknown;
}

/** A delivery that is not what the service sent, or that could not be read. */
export interface RefusedDelivery extends WebhookAnswer {
  readonly outcome: 'refused';
  /** Why; its message has the remedy. */
  readonly error: WebhookVerificationError;
  readonly event?: undefined;
  readonly id?: undefined;
  readonly secretIndex?: undefined;
  readonly isDuplicate: false;
}

/** What came of a delivery: `outcome` says it, and `status` and `text` are to be sent back. */
export type Received<Payload = WebhookPayload> =
  | ReceivedDelivery<Payload>
  | SettledDelivery<Payload>
  | FailedDelivery<Payload>
  | RefusedDelivery;
