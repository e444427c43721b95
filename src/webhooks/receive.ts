import { checkNames, checkOption, type OptionNames } from '../errors/known-options.js';
import { problemOf, quietly } from '../errors/problem.js';
import { variable } from '../http/environment.js';
import { type Arrival, arrivalOf } from './arrival.js';
import { otherHeaderHint } from './hints.js';
import type {
  EventFor,
  Received,
  ReceiveOptions,
  WebhookClient,
  WebhookContext,
  WebhookProblem,
} from './receive-options.js';
import { type Claim, claim, claimKey } from './replay-guard.js';
import type { WebhookRequest } from './request.js';
import { secretsOf, type VerifiedDelivery, type WebhookPayload } from './signed-delivery.js';
import { statusOf, WebhookVerificationError } from './verification-error.js';
import { verifyServiceDelivery } from './verify.js';

/**
 * Receive a webhook: read the request up to a size limit, verify its signature, and call the handler with the event. With `store`,
 * each event is handled once. Respond with the returned `httpStatus` and `text`. Bad deliveries do not throw: see `status`.
 *
 * The request can be a fetch Request, the request of Node, Express or Fastify, the context of Hono, or the event of a Lambda
 * function. Its body must not be parsed.
 *
 * With `store`, the event is claimed in the store before the handler is called, and marked as handled afterwards. If the handler
 * throws, the claim is released, so the next attempt of the service is handled. While the store is down, deliveries get status
 * 503 and the service retries them, so none is lost or handled twice.
 *
 * @throws {InvalidArgumentError} The value is not a supported request.
 * @throws {ConfigurationError} An option is invalid.
 * @example
 * app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
 *   const { httpStatus, text } = await receive(request, { secret: process.env.WEBHOOK_SECRET, client: sallyport, store, handler });
 *   response.status(httpStatus).send(text);
 * });
 */
export async function receive<Client extends WebhookClient | undefined = undefined>(
  request: WebhookRequest,
  options: ReceiveOptions<Client>,
): Promise<Received<EventFor<Client>>> {
  checkOptions('receive', options);
  const arrival = arrivalOf(request);
  const { onProblem } = options;
  // An error in `onProblem` must not change the outcome.
  const report: Report = (problem) => quietly(() => onProblem?.(problem));
  let delivery: Delivery<EventFor<Client>>;
  try {
    delivery = await readDelivery(arrival, options);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    report(problemOf('refused', 'A delivery was refused', error));
    const text = variable('NODE_ENV') === 'development' ? `${error.reason}: ${error.message}` : error.reason;
    return { status: 'refused', httpStatus: statusOf(error.reason), text, error, isDuplicate: false };
  }
  return await handleOnce(delivery, options, arrival, report);
}

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

type Report = (problem: WebhookProblem) => void;

/** A verified delivery. */
interface Delivery<Payload> {
  readonly event: Payload;
  readonly id: string;
  readonly secretIndex: number;
}

/** Claim a delivery in the store and call the handler. */
async function handleOnce<Client extends WebhookClient | undefined>(
  delivery: Delivery<EventFor<Client>>,
  options: ReceiveOptions<Client>,
  arrival: Arrival,
  report: Report,
): Promise<Received<EventFor<Client>>> {
  const { handler, store, onProblem } = options;
  const { event, id, secretIndex } = delivery;
  const answer = { ...delivery, isDuplicate: false };
  const reportStore = (error: unknown): void =>
    report({ ...problemOf('store_failed', `The store failed for the event ${id}`, error), id });
  let claimResult: Claim;
  try {
    claimResult = store ? await claimIn(store, id, options) : unclaimed;
  } catch (error) {
    reportStore(error);
    return { ...answer, status: 'store_failed', httpStatus: 503, text: 'store_failed', error };
  }
  if (claimResult.state === 'handled')
    return { ...answer, status: 'duplicate', httpStatus: 200, text: 'duplicate', isDuplicate: true };
  if (claimResult.state === 'busy') return { ...answer, status: 'busy', httpStatus: 409, text: 'busy' };
  const { handled, release } = claimResult;
  if (!handler)
    return { ...answer, status: 'received', httpStatus: 200, text: 'received', ack: handled, fail: release };

  // After the handler has run, a failing store is only reported: the handler decides the outcome.
  try {
    await handler(event, contextOf(id, secretIndex, arrival));
  } catch (error) {
    await release().catch(reportStore);
    if (!onProblem) throw error;
    report({ ...problemOf('failed', `The handler failed for the event ${id}`, error), id });
    return { ...answer, status: 'failed', httpStatus: 500, text: 'failed', error };
  }
  await handled().catch(reportStore);
  return { ...answer, status: 'handled', httpStatus: 200, text: 'handled' };
}

const contextOf = (id: string, secretIndex: number, arrival: Arrival): WebhookContext => ({
  id,
  secretIndex,
  attempt: 1,
  get signal() {
    return arrival.signal ?? new AbortController().signal;
  },
});

const noop = async (): Promise<void> => undefined;
const unclaimed: Claim = { state: 'claimed', handled: noop, release: noop };

const claimIn = async (
  store: NonNullable<ReceiveOptions['store']>,
  id: string,
  { name = 'default', leaseMs = 300_000, rememberMs = 604_800_000 }: Checks,
): Promise<Claim> => claim({ store, key: await claimKey(name, id), leaseMs, rememberMs });

/** The options without the type of the client. */
type Settings = Checks & { readonly handler?: unknown };
type Checks = Omit<ReceiveOptions, 'client' | 'handler'> & { readonly client?: WebhookClient | undefined };

/** Read a request and verify it. With a client, the event is parsed. */
async function readDelivery<Client extends WebhookClient | undefined>(
  arrival: Arrival,
  options: ReceiveOptions<Client>,
): Promise<Delivery<EventFor<Client>>> {
  const { client } = options;
  const { payload, secretIndex } = await verifiedDelivery(arrival, options);
  const id = idOf(payload);
  // As declared by `EventFor`: an `Event` with a client, otherwise the payload.
  const event = (client ? await client.webhooks.parseEvent(payload) : payload) as EventFor<Client>;
  return { event, id, secretIndex };
}

async function verifiedDelivery(arrival: Arrival, options: Checks): Promise<VerifiedDelivery> {
  const { toleranceMs: tolerance, now, maxBytes = 1_048_576 } = options;
  const secret = secretsOf(options.secret);
  const { signatureHeader = options.client?.webhooks.signatureHeader } = options;
  const headers = signatureHeader ? [signatureHeader] : ['Service-Signature', 'WorkOS-Signature'];
  const names = headers.map((name) => name.toLowerCase());
  const other = (): string | undefined =>
    arrival.headerNames().find((name) => /signature$/.test(name) && !names.includes(name));
  const [sigHeader, second] = names.flatMap((name) => arrival.header(name)?.trim() || []);
  if (!sigHeader) throw missingHeader(headers.join(' or '), other());
  if (second)
    throw new WebhookVerificationError(
      'header_malformed',
      `The request has ${headers.join(' and ')} headers`,
      'Pass the one that the service sends as signatureHeader',
    );

  const payload = await arrival.body(maxBytes);
  return verifyServiceDelivery({ payload, sigHeader, secret, tolerance, now }, () => {
    const name = other();
    return name && otherHeaderHint(name);
  });
}

const missingHeader = (header: string, other: string | undefined): WebhookVerificationError =>
  new WebhookVerificationError(
    'header_missing',
    `The request has no ${header} header`,
    other
      ? `It has ${other}: if the service sent it, pass signatureHeader: '${other}'`
      : 'Check that it comes from the service, and that no proxy removes the header',
  );

function idOf({ id }: WebhookPayload): string {
  if (typeof id === 'string' && id) return id;
  throw new WebhookVerificationError(
    'payload_unexpected',
    'The payload has no id',
    'Check that it comes from the service: every event has an id',
  );
}

const optionNames: OptionNames<Settings> = {
  secret: 1,
  client: 1,
  handler: 1,
  store: 1,
  name: 1,
  leaseMs: 1,
  rememberMs: 1,
  signatureHeader: 1,
  toleranceMs: 1,
  now: 1,
  maxBytes: 1,
  onProblem: 1,
};

/** Throw if an option is unknown or invalid. */
function checkOptions(functionName: string, options: Settings): void {
  checkNames(functionName, options, optionNames);
  const { signatureHeader, name, leaseMs, rememberMs, maxBytes, toleranceMs, handler, store } = options;
  checkOption(
    signatureHeader === undefined || /^[\w-]+$/.test(signatureHeader),
    'signatureHeader',
    'must be the name of a header',
  );
  checkOption(name === undefined || /^[\w.-]{1,40}$/.test(name), 'name', 'must be 1 to 40 letters, digits and ._-');
  for (const [option, value] of Object.entries({ toleranceMs, leaseMs, rememberMs, maxBytes }))
    checkOption(value === undefined || (typeof value === 'number' && value > 0), option, 'must be a number above 0');
  checkOption(handler === undefined || typeof handler === 'function', 'handler', 'must be a function');
  checkOption(store === undefined || typeof store?.compareAndSet === 'function', 'store', 'must be a store');
}
