import { isAmong } from '#crypto/mac';
import { kindOf, rawOf } from '../crypto/encoding.js';
import { signedMessage } from '../crypto/signature.js';
import { bytesOf, keyIn } from '../crypto/standard-signature.js';
import { WebhookVerificationError } from './verification-error.js';
import { checkAge, payloadIn, secretsOf, type VerifyWebhookOptions, type WebhookPayload } from './verify.js';

/** Options of `verifyStandardWebhook`. */
export interface VerifyStandardWebhookOptions extends Omit<VerifyWebhookOptions, 'sigHeader'> {
  /** The request headers: `Headers`, or an object with lowercase names. */
  readonly headers:
    | { readonly get: (name: string) => string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Verify the signature of a Standard Webhooks delivery and return its payload. Secrets are Base64 with the prefix `whsec_`.
 * Asymmetric signatures (`v1a`) are not supported.
 *
 * @throws {WebhookVerificationError} The delivery failed verification; `reason` is the failed check.
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
  const [signed] = await verifyStandardSignature(body, names.map(header), secret, tolerance, now);
  return payloadIn(signed);
}

/** Verify a signature. Returns a copy of the signed body and the index of the secret that signed it. */
export async function verifyStandardSignature(
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
      'At least one of the headers webhook-id, webhook-timestamp and webhook-signature is missing',
      'Pass the headers of the request as received',
    );
  const signatures = signatureDigits(signature);
  if (!/^[!-~]+$/.test(id) || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0)
    throw malformedHeader(signature);

  const head = `${id}.${timestamp}`;
  const message = signedMessage(head, body);
  for (const [index, key] of keys.entries())
    if (await isAmong(signatures, key, message)) {
      checkAge(Number(timestamp), tolerance, now);
      // Return the signed copy: the caller may have changed `body` during the awaits above.
      return [typeof message === 'string' ? body : message.subarray(head.length + 1), index];
    }
  throw new WebhookVerificationError(
    'signature_mismatch',
    'No signature in webhook-signature matches payload and secret',
    'Check the secret and that nothing rewrote the body',
  );
}

const malformedHeader = (signature: string): WebhookVerificationError =>
  /(?:^| )v1a,/.test(signature)
    ? new WebhookVerificationError(
        'scheme_unsupported',
        'webhook-signature has only v1a signatures, which are asymmetric and not supported',
        'Configure the sender to sign with a shared secret (v1)',
      )
    : new WebhookVerificationError(
        'header_malformed',
        'webhook-id must be printable ASCII, webhook-timestamp in seconds, and webhook-signature v1,<Base64>',
        'Pass the headers as received',
      );

/** The `v1` signatures as hexadecimal digits, the format that `isAmong` compares. */
const signatureDigits = (header: string): string[] =>
  header.split(/[ ]+/).flatMap((one) => {
    const bytes = one.startsWith('v1,') ? bytesOf(one.slice(3)) : undefined;
    return bytes ? [Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')] : [];
  });

/** The key in a secret. Rejects a secret without one. */
const keyOf = (secret: string): Uint8Array<ArrayBuffer> => {
  const key = keyIn(secret);
  if (key) return key;
  throw new WebhookVerificationError(
    'secret_missing',
    'secret must be whsec_ followed by Base64 for this scheme',
    'Pass the secret as the sender shows it',
  );
};
