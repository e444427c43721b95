import { signWebhook } from '../../../crypto/signature.js';
import { signStandardWebhook } from '../../../crypto/standard-signature.js';
import { version } from '../../../version.js';
import type { Settings } from '../../world/settings.js';

/** What is sent, and how it is signed. */
export interface WebhookMessage {
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly secret: string;
  readonly signatureHeader: string;
  /** How it is signed, where it is not as the service does it. */
  readonly scheme: 'standard' | undefined;
  /** Id of the event, which a message by the Standard Webhooks scheme has too. */
  readonly id: string;
  /** When, in milliseconds since 1970. */
  readonly timestamp: number;
}

/** What came of an attempt: delivered when the status is 2xx. */
export interface Outcome {
  /** Status of the answer; absent when there was none. */
  readonly status?: number;
  /** Why it failed, beyond what the status says. */
  readonly error?: string;
}

/** An answer longer than this is not read to its end. */
const mostBytes = 64 * 1024;

/** Whether an attempt has delivered. */
export const isDelivered = ({ status = 0 }: Outcome): boolean => status >= 200 && status < 300;

/** Send a signed delivery once; never rejects. `abort` ends it early. */
export async function attempt(
  message: WebhookMessage,
  { deliver, deliveries: { answerWithinMs } }: Pick<Settings, 'deliver' | 'deliveries'>,
  abort: AbortController,
): Promise<Outcome> {
  const { signal } = abort;
  // Raced, because what delivers may not listen to the signal.
  const abortion = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  abortion.catch(() => undefined);
  const timer = setTimeout(
    () => abort.abort(new Error(`no answer within ${answerWithinMs / 1_000} seconds`)),
    answerWithinMs,
  );
  // A delivery must not keep the process alive. Browsers' timers are plain numbers.
  (timer as { unref?: () => void }).unref?.();
  try {
    signal.throwIfAborted();
    const response = await Promise.race([send(message, deliver, signal), abortion]);
    // The status decides; that the rest of the answer does not come changes nothing.
    await Promise.race([drain(response), abortion]).catch(() => undefined);
    return outcomeOf(response);
  } catch (error) {
    return { error: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function send(message: WebhookMessage, deliver: Settings['deliver'], signal: AbortSignal): Promise<Response> {
  const { url, body } = message;
  const request = new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `sallyport-emulator/${version}`,
      ...(await signatureOf(message)),
    },
    body,
    redirect: 'manual',
    signal,
  });
  return deliver(request);
}

/** The headers that a receiver knows the message by. */
async function signatureOf(message: WebhookMessage): Promise<Readonly<Record<string, string>>> {
  const { body: payload, id, scheme, secret, signatureHeader, timestamp } = message;
  return scheme === 'standard'
    ? { ...(await signStandardWebhook({ payload, id, secret, timestamp })) }
    : { [signatureHeader]: await signWebhook({ payload, secret, timestamp }) };
}

function outcomeOf({ status, type }: Response): Outcome {
  // Where a browser's rules hold, a redirect shows no status.
  if (type === 'opaqueredirect' || status === 0) return { error: 'redirects are not followed' };
  return status >= 300 && status < 400 ? { status, error: 'redirects are not followed' } : { status };
}

/** Read an answer, so that its connection can be used again. */
async function drain({ body }: Response): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  for (let bytes = 0; bytes <= mostBytes; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
  }
  await reader.cancel();
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
