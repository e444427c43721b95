import { isAmong } from '#crypto/mac';
import { kindOf, rawOf } from '../crypto/encoding.js';
import { signedMessage } from '../crypto/signature.js';
import { bytesOf, keyIn } from '../crypto/standard-signature.js';
import { WebhookVerificationError } from './verification-error.js';
import { checkAge, payloadIn, secretsOf, type VerifyWebhookOptions, type WebhookPayload } from './verify.js';

/** What `verifyStandardWebhook` takes. */
export interface VerifyStandardWebhookOptions extends Omit<VerifyWebhookOptions, 'sigHeader'> {
  /** The headers of the request: `Headers`, or an object with their names in lower case. */
  readonly headers:
    | { readonly get: (name: string) => string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Check a delivery signed by the Standard Webhooks scheme, and return what it holds. A secret is Base64 behind `whsec_`. The signatures
 * of `v1a`, which are asymmetric, are not checked.
 *
 * @throws {WebhookVerificationError} The delivery is not what was sent; `reason` says which check failed.
 * @see https://www.standardwebhooks.com
 * @example
 * const payload = await verifyStandardWebhook({
 *   payload: await request.text(),
 *   headers: request.headers,
 *   secret: process.env.WEBHOOK_SECRET,
 * });
 */
export async function verifyStandardWebhook(options: VerifyStandardWebhookOptions): Promise<WebhookPayload> {
  const { payload, headers, secret, tolerance = 180_000, now = Date.now } = options;
  const body = rawOf(payload);
  if (body === undefined)
    throw new WebhookVerificationError(
      'body_already_parsed',
      `payload must be the body as received, not ${kindOf(payload)}`,
      'Pass await request.text() or the body of express.raw()',
    );
  const header = (name: string): string => {
    const value = typeof headers?.get === 'function' ? headers.get(name) : Object(headers)[name];
    return typeof value === 'string' ? value : Array.isArray(value) ? value.join(' ') : '';
  };
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const [signed] = await signedByStandard(body, names.map(header), secret, tolerance, now);
  return payloadIn(signed);
}

/** The body that one of the secrets signed, and the secret's place in the list; refused where none did, or too long ago. */
export async function signedByStandard(
  body: string | Uint8Array,
  headers: readonly (string | undefined)[],
  secret: VerifyWebhookOptions['secret'],
  tolerance: number,
  now: () => number,
): Promise<readonly [body: string | Uint8Array, secretIndex: number]> {
  const keys = secretsOf(secret).map(keyOf);
  const [id = '', timestamp = '', signature = ''] = headers.map((value) => value?.trim());
  if (!id || !timestamp || !signature)
    throw new WebhookVerificationError(
      'header_missing',
      'One of the headers webhook-id, webhook-timestamp and webhook-signature is missing',
      'Pass the headers of the request as received',
    );
  const signatures = signatureDigits(signature);
  if (!/^[!-~]+$/.test(id) || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0) throw unreadable(signature);

  const head = `${id}.${timestamp}`;
  const message = signedMessage(head, body);
  for (const [index, key] of keys.entries())
    if (await isAmong(signatures, key, message)) {
      checkAge(Number(timestamp), tolerance, now);
      // From the message and not from the body, which its owner may have changed since.
      return [typeof message === 'string' ? body : message.subarray(head.length + 1), index];
    }
  throw new WebhookVerificationError(
    'signature_mismatch',
    'No signature in webhook-signature matches payload and secret',
    'Check the secret and that nothing rewrote the body',
  );
}

const unreadable = (signature: string): WebhookVerificationError =>
  /(?:^| )v1a,/.test(signature)
    ? new WebhookVerificationError(
        'scheme_unsupported',
        'webhook-signature holds only signatures of v1a, which are asymmetric and not checked here',
        'Have the sender sign with a shared secret, by v1',
      )
    : new WebhookVerificationError(
        'header_malformed',
        'webhook-id must be of ASCII letters, webhook-timestamp in seconds, and webhook-signature v1,<Base64>',
        'Pass the headers as received',
      );

/** The signatures of `v1` in hexadecimal digits, as ours are compared. */
const signatureDigits = (header: string): string[] =>
  header.split(/[ ]+/).flatMap((one) => {
    const bytes = one.startsWith('v1,') ? bytesOf(one.slice(3)) : undefined;
    return bytes ? [Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')] : [];
  });

/** The key in a secret; a secret that holds none is as good as no secret. */
const keyOf = (secret: string): Uint8Array<ArrayBuffer> => {
  const key = keyIn(secret);
  if (key) return key;
  throw new WebhookVerificationError(
    'secret_missing',
    'secret must be Base64 behind whsec_ with this scheme',
    'Pass the secret as the sender shows it',
  );
};
