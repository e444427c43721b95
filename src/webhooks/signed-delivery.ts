import { signerOf } from '#crypto/mac';
import { kindOf, type RawBody, rawOf, type TextOrBytes } from '../crypto/encoding.js';
import { WebhookVerificationError } from './verification-error.js';

/** A delivered event as received, with wire names. */
export type WebhookPayload = Record<string, unknown>;

/** How old a delivery may be. */
export interface AgeLimit {
  /** Milliseconds; default 180,000. */
  readonly tolerance?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** A delivery with the signatures of its header. */
interface SignedDelivery {
  /** What the sender signed before the body: the timestamp and a dot. */
  readonly head: string;
  readonly body: TextOrBytes;
  /** In milliseconds or seconds. */
  readonly timestamp: string;
  /** In lower-case hexadecimal. */
  readonly signatures: readonly string[];
  readonly secrets: readonly string[];
}

/** A delivery that passed all checks. */
export interface VerifiedDelivery {
  readonly payload: WebhookPayload;
  /** Index of the secret that made the signature. */
  readonly secretIndex: number;
}

/** Check the signature of a delivery, then its age, and parse its body. Returns undefined if no secret signed it. */
export async function verifySignature(
  { head, body, timestamp, signatures, secrets }: SignedDelivery,
  { tolerance = 180_000, now = Date.now }: AgeLimit,
): Promise<VerifiedDelivery | undefined> {
  // Decode before the first await, because the caller may change its bytes afterwards.
  const text = textOf(body);
  const secretIndex = await signerOf(secrets, signatures, head, body);
  if (secretIndex < 0) return undefined;
  const age = now() - +timestamp * (+timestamp < 1e11 ? 1000 : 1);
  const distance = Math.abs(age);
  if (!(distance <= tolerance))
    throw new WebhookVerificationError(
      'clock_skew',
      `The timestamp is ${distance} ms ${age < 0 ? 'ahead' : 'old'}; the tolerance is ${tolerance} ms`,
      'Check the clock of this server. A replayed delivery looks the same',
    );
  return { payload: objectIn(text), secretIndex };
}

/** Return the secrets as a list. Rejects a missing or blank secret. */
export const secretsOf = (secret: string | readonly string[] | undefined): readonly string[] => {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // Anyone can sign with an empty secret, so one blank entry makes the whole list unsafe.
  if (secrets?.length && secrets.every((one) => typeof one === 'string' && one.trim())) return secrets;
  throw new WebhookVerificationError('secret_missing', 'secret is missing or blank', 'Pass the secret of the endpoint');
};

/** Return the body as text or bytes. Rejects a parsed body. */
export const bodyOf = (payload: RawBody): TextOrBytes => {
  const body = rawOf(payload);
  if (body !== undefined) return body;
  throw new WebhookVerificationError(
    'body_already_parsed',
    `payload must be the body as received, not ${kindOf(payload)}`,
    'Pass await request.text() or the body of express.raw()',
  );
};

/** Return the JSON object in a body, or a parsed object as it is. Rejects everything else. */
export const payloadIn = (body: RawBody | WebhookPayload | undefined): WebhookPayload => {
  const raw = rawOf(body);
  // A body as received is never of this kind.
  return kindOf(body) === 'Object' ? (body as WebhookPayload) : objectIn(raw && textOf(raw));
};

/** Return the JSON object in a text. Rejects everything else. */
const objectIn = (text: string | undefined): WebhookPayload => {
  try {
    // Without a text this throws, like any other text that is not JSON.
    const value: unknown = JSON.parse(text as string);
    if (kindOf(value) === 'Object') return value as WebhookPayload;
  } catch {
    // Drop the parser's error, because it quotes the body.
  }
  throw new WebhookVerificationError(
    'payload_malformed',
    'The payload must be a JSON object in UTF-8',
    'Check the sender',
  );
};

/** Decode a body. Returns undefined if its bytes are not UTF-8. */
export const textOf = (body: TextOrBytes): string | undefined => {
  try {
    return typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
};
