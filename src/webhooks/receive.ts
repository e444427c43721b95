import { rawOf } from '../crypto/encoding.js';
import { checkOption } from '../errors/check-option.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { variable } from '../http/environment.js';
import { type Arrival, arrivalOf } from './arrival.js';
import type { EventFor, Received, ReceiveOptions, WebhookClient, WebhookProblem } from './receive-options.js';
import { statusOf } from './refusals.js';
import { type Claim, claim, claimKey } from './replay-guard.js';
import type { WebhookRequest } from './request.js';
import { signedByStandard } from './standard.js';
import { WebhookVerificationError } from './verification-error.js';
import { checkDelivery, payloadIn, secretsOf, type WebhookPayload } from './verify.js';

/**
 * Receive a delivery: read the request of your framework up to a limit, check its signature, and give the event to the handler, each
 * event once where there is a store. Send back `status` and `text` of what it gives. Whatever a sender can bring about is in
 * `outcome`; nothing is thrown for it.
 *
 * The request must come with its body as received, not parsed: a Request of fetch, the request of Node, Express or Fastify, the
 * context of Hono, or the event of a Lambda function.
 *
 * With `once`, an event is claimed in the store before the handler is called and noted as handled afterwards. A handler that throws
 * lets go of it, and so the service's next attempt is handled. While the store is down deliveries are answered with 503, and the
 * service sends them again: nothing is lost, and nothing done twice.
 *
 * @throws {InvalidArgumentError} The request is of no form that is known here.
 * @throws {ConfigurationError} An option is wrong.
 * @example
 * app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
 *   const { status, text } = await receive(request, { secrets: process.env.WEBHOOK_SECRET, client: sallyport, once: store, handler });
 *   response.status(status).send(text);
 * });
 */
export async function receive<Client extends WebhookClient | undefined = undefined>(
  request: WebhookRequest,
  options: ReceiveOptions<Client>,
): Promise<Received<EventFor<Client>>> {
  checkOptions('receive', options);
  const arrival = arrivalOf(request);
  const { client, handler, once, onProblem } = options;
  const report = (problem: WebhookProblem): void => {
    // What the listener does about a problem changes nothing of what came of the delivery.
    void (async () => onProblem?.(problem))().catch(nothing);
  };

  let delivery: Omit<Delivery, 'payload'> & { readonly event: EventFor<Client> };
  try {
    const { payload, ...rest } = await verified(arrival, options);
    // With a client it is the client's reading, and without one what was received, as the type has it.
    const event = (client ? await client.webhooks.parseEvent(payload) : payload) as EventFor<Client>;
    delivery = { ...rest, event };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    report({ code: 'refused', error });
    const text = variable('NODE_ENV') === 'development' ? `${error.reason}: ${error.message}` : error.reason;
    return { outcome: 'refused', status: statusOf(error.reason), text, error, isDuplicate: false };
  }

  const { id, secretIndex } = delivery;
  const answer = { ...delivery, isDuplicate: false };
  let claimed: Claim;
  try {
    claimed = once ? await claimIn(once, id, options) : unguarded;
  } catch (error) {
    report({ code: 'store_failed', error, id });
    return { ...answer, outcome: 'store_failed', status: 503, text: 'store_failed', error };
  }
  if (claimed.state === 'handled')
    return { ...answer, outcome: 'duplicate', status: 200, text: 'duplicate', isDuplicate: true };
  if (claimed.state === 'busy') return { ...answer, outcome: 'busy', status: 409, text: 'busy' };
  const { handled, release } = claimed;
  if (!handler) return { ...answer, outcome: 'received', status: 200, text: 'received', done: handled, release };

  // Once the handler has been called, its outcome counts: that the store cannot note it is a problem of its own.
  const noted = (note: Promise<void>) => note.catch((error) => report({ code: 'store_failed', error, id }));
  try {
    await handler(delivery.event, {
      id,
      secretIndex,
      attempt: 1,
      get signal() {
        return arrival.signal ?? new AbortController().signal;
      },
    });
  } catch (error) {
    await noted(release());
    if (!onProblem) throw error;
    report({ code: 'failed', error, id });
    return { ...answer, outcome: 'failed', status: 500, text: 'failed', error };
  }
  await noted(handled());
  return { ...answer, outcome: 'handled', status: 200, text: 'handled' };
}

/** A delivery that is the service's. */
interface Delivery {
  readonly payload: WebhookPayload;
  readonly id: string;
  readonly secretIndex: number;
}

const nothing = async (): Promise<void> => undefined;
const unguarded: Claim = { state: 'ours', handled: nothing, release: nothing };

const claimIn = async (
  store: NonNullable<ReceiveOptions['once']>,
  id: string,
  { name = 'default', leaseMs = 300_000, rememberMs = 604_800_000 }: Limits,
): Promise<Claim> => claim({ store, key: await claimKey(name, id), leaseMs, rememberMs });

type Limits = Pick<ReceiveOptions, 'name' | 'leaseMs' | 'rememberMs'>;
/** The options, whatever the client. */
type Settings = Checks & { readonly handler?: unknown };
type Checks = Omit<ReceiveOptions, 'client' | 'handler'> & { readonly client?: WebhookClient | undefined };

const verified = (arrival: Arrival, options: Checks): Promise<Delivery> =>
  options.scheme === 'standard' ? byStandard(arrival, options) : byService(arrival, options);

const mostBytes = 1_048_576;

async function byStandard(arrival: Arrival, options: Checks): Promise<Delivery> {
  const { secrets, tolerance = 180_000, now = Date.now, maxBytes = mostBytes } = options;
  secretsOf(secrets);
  const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => arrival.header(name));
  // No body is read for a stranger who has not even signed.
  const [id] = headers;
  const body = headers.every(Boolean) ? rawOf(await arrival.body(maxBytes))! : '';
  const [signed, secretIndex] = await signedByStandard(body, headers, secrets, tolerance, now);
  return { payload: payloadIn(signed), id: `${id?.trim()}`, secretIndex };
}

async function byService(arrival: Arrival, options: Checks): Promise<Delivery> {
  const { client, tolerance, now, maxBytes = mostBytes } = options;
  const { header = client?.webhooks.signatureHeader ?? 'Service-Signature' } = options;
  const secrets = secretsOf(options.secrets);
  const sigHeader = arrival.header(header.toLowerCase())?.trim();
  const other = (): string | undefined =>
    arrival.headerNames().find((name) => /signature$/.test(name) && name !== header.toLowerCase());
  if (!sigHeader) throw unsigned(header, other());

  const body = await arrival.body(maxBytes);
  const delivery = { payload: body, sigHeader, secret: secrets, tolerance, now };
  const [payload, secretIndex] = await checkDelivery(delivery, other);
  return { payload, id: idOf(payload), secretIndex };
}

const unsigned = (header: string, other: string | undefined): WebhookVerificationError =>
  new WebhookVerificationError(
    'header_missing',
    `The request has no ${header} header`,
    other === 'webhook-signature'
      ? "It has the headers of Standard Webhooks: pass scheme: 'standard' if that is how the sender signs"
      : other
        ? `It has ${other}: if that is the service's, pass header: '${other}'`
        : 'Check that it comes from the service, and that no proxy removes the header',
  );

function idOf({ id }: WebhookPayload): string {
  if (typeof id === 'string' && id) return id;
  throw new WebhookVerificationError(
    'payload_unexpected',
    'The payload has no id',
    'Check that it comes from the service; an event has one',
  );
}

const optionNames: OptionNames<Settings> = {
  secrets: 1,
  client: 1,
  handler: 1,
  once: 1,
  name: 1,
  leaseMs: 1,
  rememberMs: 1,
  scheme: 1,
  header: 1,
  tolerance: 1,
  now: 1,
  maxBytes: 1,
  onProblem: 1,
};

/** Refuses wrong options. */
export function checkOptions(taker: string, options: Settings): void {
  checkNames(taker, options, optionNames);
  const { scheme, header, name, leaseMs, rememberMs, maxBytes, tolerance, handler, once } = options;
  checkOption([undefined, 'service', 'standard'].includes(scheme), 'scheme', 'must be service or standard');
  checkOption(header === undefined || /^[\w-]+$/.test(header), 'header', 'must be the name of a header');
  checkOption(name === undefined || /^[\w.-]{1,40}$/.test(name), 'name', 'must be 1 to 40 letters, digits and ._-');
  for (const [option, value] of Object.entries({ tolerance, leaseMs, rememberMs, maxBytes }))
    checkOption(value === undefined || value > 0, option, 'must be a number above 0');
  checkOption(handler === undefined || typeof handler === 'function', 'handler', 'must be a function');
  checkOption(once === undefined || typeof once?.compareAndSet === 'function', 'once', 'must be a store');
}
