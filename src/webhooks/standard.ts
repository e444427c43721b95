import type { TextOrBytes } from '../crypto/encoding.js';
import { bytesOf, keyIn } from '../crypto/standard-signature.js';
import { type HeaderFields, headerField } from '../http/header-field.js';
import {
  type AgeLimit,
  bodyOf,
  secretsOf,
  type VerifiedDelivery,
  verifySignature,
  type WebhookPayload,
} from './signed-delivery.js';
import { WebhookVerificationError } from './verification-error.js';
import type { VerifyWebhookOptions } from './verify.js';

/** Options of `verifyStandardWebhook`. */
export interface VerifyStandardWebhookOptions extends Omit<VerifyWebhookOptions, 'sigHeader'> {
  /** The request headers: `Headers`, or an object with names in any letter case. */
  readonly headers: { readonly get: (name: string) => string | null } | HeaderFields;
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
  const { payload, headers } = options;
  const body = bodyOf(payload);
  const header = (name: string): string => {
    // Without a `get` function, it is an object of strings.
    const value = typeof headers?.get === 'function' ? headers.get(name) : headerField(headers as HeaderFields, name);
    return typeof value === 'string' ? value : Array.isArray(value) ? value.join(' ') : '';
  };
  const verified = await verifyStandardDelivery(body, standardHeaders.map(header), options);
  return verified.payload;
}

/** The headers of a delivery, in the order that `verifyStandardDelivery` expects their values. */
export const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Verify a delivery that is signed with the Standard Webhooks scheme. */
export async function verifyStandardDelivery(
  body: TextOrBytes,
  headers: readonly (string | undefined)[],
  { secret, ...ageLimit }: AgeLimit & Pick<VerifyWebhookOptions, 'secret'>,
): Promise<VerifiedDelivery> {
  const secrets = secretsOf(secret).map(keyOf);
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

  const verified = await verifySignature(
    { head: `${id}.${timestamp}.`, body, timestamp, signatures, secrets },
    ageLimit,
  );
  if (verified) return verified;
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

/** The `v1` signatures as hexadecimal digits, the format that `signerOf` compares. */
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
