import { signWebhook } from '../../../crypto/signature.js';
import { reasonOf } from '../../../errors/printable-cause.js';
import { version } from '../../../version.js';
import type { Settings } from '../../world/settings.js';

/** A webhook request and its signature settings. */
interface WebhookMessage {
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly secret: string;
  readonly signatureHeader: string;
  /** Time of the attempt, in milliseconds since 1970. */
  readonly timestamp: number;
}

/** The result of an attempt. The event is delivered if the status is 2xx. */
export interface AttemptResult {
  /** Status of the response, if there was one. */
  readonly status?: number;
  /** Reason of the failure, if the status does not explain it. */
  readonly error?: string;
}

/** Maximum number of bytes to read from a response. */
const maxBytes = 64 * 1024;

/** Check whether an attempt was successful. */
export const isDelivered = ({ status = 0 }: AttemptResult): boolean => status >= 200 && status < 300;

/** Send a signed webhook once. Never rejects; `abort` ends it early. */
export async function sendWebhook(
  message: WebhookMessage,
  { deliver, deliveries: { answerWithinMs } }: Pick<Settings, 'deliver' | 'deliveries'>,
  abort: AbortController,
): Promise<AttemptResult> {
  const { signal } = abort;
  // Used in a race, because a custom `deliver` may ignore the signal.
  const abortion = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  abortion.catch(() => undefined);
  const timer = setTimeout(
    () => abort.abort(new Error(`timed out after ${answerWithinMs / 1_000} seconds`)),
    answerWithinMs,
  );
  // A delivery must not keep the process alive. In browsers, timers are numbers.
  (timer as { unref?: () => void }).unref?.();
  try {
    signal.throwIfAborted();
    const response = await Promise.race([send(message, deliver, signal), abortion]);
    // Only the status matters, so errors in the body are ignored.
    await Promise.race([drain(response), abortion]).catch(() => undefined);
    return resultOf(response);
  } catch (error) {
    return { error: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function send(message: WebhookMessage, deliver: Settings['deliver'], signal: AbortSignal): Promise<Response> {
  const { url, body, secret, signatureHeader, timestamp } = message;
  const request = new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `sallyport-emulator/${version}`,
      [signatureHeader]: await signWebhook({ payload: body, secret, timestamp }),
    },
    body,
    redirect: 'manual',
    signal,
  });
  return deliver(request);
}

function resultOf({ status, type }: Response): AttemptResult {
  // In browsers, the status of a redirect is hidden.
  if (type === 'opaqueredirect' || status === 0) return { error: 'redirects are not followed' };
  return status >= 300 && status < 400 ? { status, error: 'redirects are not followed' } : { status };
}

/** Read the response body, so that the connection can be reused. */
async function drain({ body }: Response): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  for (let bytes = 0; bytes <= maxBytes; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
  }
  await reader.cancel();
}
