import type { RawBody } from '../crypto/encoding.js';
import type { Problem } from '../errors/problem.js';
import type { Event } from '../service/events.js';
import type { Store } from '../stores/store.js';
import type { WebhookPayload } from './signed-delivery.js';
import type { WebhookVerificationError } from './verification-error.js';

/** The client of the service: `receive` uses it to read events and to find the signature header. */
export interface WebhookClient {
  readonly webhooks: {
    parseEvent(payload: RawBody | WebhookPayload): Promise<Event>;
    readonly signatureHeader?: string;
  };
}

/** The content of a delivery: an `Event` with a client, otherwise an object with the wire names of the fields. */
export type EventFor<Client> = Client extends WebhookClient ? Event : WebhookPayload;

/** The second argument of a webhook handler. */
export interface WebhookContext {
  /** Id of the event. It stays the same when the delivery is sent again. */
  readonly id: string;
  /** Index of the secret that made the signature. */
  readonly secretIndex: number;
  /** Aborts when the request does, if the framework supports that. */
  readonly signal: AbortSignal;
  /** Always 1: deliveries do not contain the number of the attempt. */
  readonly attempt: 1;
}

/**
 * A problem that is otherwise easy to miss. `refused`: verification failed, or the route is set up incorrectly; `cause` is the
 * `WebhookVerificationError`. `failed`: the handler threw. `store_failed`: the store did not answer, so the delivery was
 * rejected, or it was handled but not recorded.
 */
export interface WebhookProblem extends Problem<'refused' | 'failed' | 'store_failed'> {
  /** Id of the event; missing if the delivery was refused. */
  readonly id?: string | undefined;
}

/** Options of `receive`. */
export interface ReceiveOptions<Client extends WebhookClient | undefined = undefined> {
  /** Secret of the webhook endpoint, including its prefix. During a rotation pass the new and the old one. */
  readonly secret: string | readonly string[] | undefined;
  /**
   * The client. With it, the handler gets an `Event`, as from `client.events`, and can be one made by `on` or `exactlyOnce`.
   * Without it, the event has wire names.
   */
  readonly client?: Client;
  /** Handles an event: your own function or, with a client, the result of `on` or `handle` of `exactlyOnce`. */
  readonly handler?: ((event: EventFor<Client>, context: WebhookContext) => unknown) | undefined;
  /** Store that remembers handled events for all replicas, so that a repeated delivery is not handled again. */
  readonly store?: Store | undefined;
  /** Name of this receiver. Receivers with different names that share a store each handle every event. Default `default`. */
  readonly name?: string | undefined;
  /** Milliseconds after which an event may be handled again if its handler has not finished; default 300,000. */
  readonly leaseMs?: number | undefined;
  /** How long a handled event is remembered, in milliseconds; default seven days. The service retries for three days. */
  readonly rememberMs?: number | undefined;
  /**
   * Name of the signature header. Default: the name in the dialect of the client; without a client, `WorkOS-Signature` or
   * `Service-Signature`, whichever the delivery has.
   */
  readonly signatureHeader?: string | undefined;
  /** Maximum difference between the signature's timestamp and now, in milliseconds; default 180,000. */
  readonly toleranceMs?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Maximum size of the body in bytes; default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Called with each problem. Without it, errors of the handler are thrown, so that your framework reports them. */
  readonly onProblem?: ((problem: WebhookProblem) => void) | undefined;
}

/** The response to send. The service retries the delivery unless `httpStatus` is 2xx. */
export interface WebhookAnswer {
  /**
   * 200: the delivery was accepted. 400: verification failed. 409: another replica is handling the event. 413: the body is too
   * large. 500: the handler threw, or the route is set up incorrectly. 503: the store is down.
   */
  readonly httpStatus: 200 | 400 | 409 | 413 | 500 | 503;
  /** What happened, in one word; in development, the full message of a refusal. */
  readonly text: string;
}

interface VerifiedAnswer<Payload> extends WebhookAnswer {
  readonly event: Payload;
  /** Id of the event. It stays the same when the delivery is sent again. */
  readonly id: string;
  /** Index of the secret that made the signature. When deliveries no longer use the old secret, you can remove it. */
  readonly secretIndex: number;
  /** Whether the event was handled before. */
  readonly isDuplicate: boolean;
}

/** A delivery for the caller to handle, because `handler` was not passed. */
export interface ReceivedDelivery<Payload> extends VerifiedAnswer<Payload> {
  readonly status: 'received';
  readonly error?: undefined;
  /** Record the event as handled. Otherwise it is handled again if it is delivered after the lease. */
  ack(): Promise<void>;
  /** Release the event, so that its next delivery is handled. Respond with status 500 afterwards. */
  fail(): Promise<void>;
}

/** A delivery that needs no further work: its event was handled now or earlier, or another replica is handling it. */
export interface SettledDelivery<Payload> extends VerifiedAnswer<Payload> {
  readonly status: 'handled' | 'duplicate' | 'busy';
  readonly error?: undefined;
}

/** A delivery that the service must retry: the handler threw, or the store did not answer. */
export interface FailedDelivery<Payload> extends VerifiedAnswer<Payload> {
  readonly status: 'failed' | 'store_failed';
  /** The error of the handler or the store. */
  readonly error: unknown;
}

/** A delivery that failed verification or could not be read. */
export interface RefusedDelivery extends WebhookAnswer {
  readonly status: 'refused';
  /** Why it was refused. The message includes what to do. */
  readonly error: WebhookVerificationError;
  readonly event?: undefined;
  readonly id?: undefined;
  readonly secretIndex?: undefined;
  readonly isDuplicate: false;
}

/** The result of `receive`: `status` is what happened, `httpStatus` and `text` are the response to send. */
export type Received<Payload = WebhookPayload> =
  | ReceivedDelivery<Payload>
  | SettledDelivery<Payload>
  | FailedDelivery<Payload>
  | RefusedDelivery;
