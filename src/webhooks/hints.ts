import { isAmong } from '#crypto/mac';
import { signedMessage } from '../crypto/signature.js';
import { variable } from '../http/environment.js';

/** A delivery whose signature matches no secret. */
export interface FailedVerification {
  readonly body: string | Uint8Array;
  /** The timestamp and the signatures in the header. */
  readonly timestamp: string;
  readonly signatures: readonly string[];
  readonly secrets: readonly string[];
  /** Names another signature header of the same request. */
  readonly otherHeader: (() => string | undefined) | undefined;
}

/**
 * Try common mistakes, and return a hint for the first that explains the mismatch, or undefined. A hint never contains the
 * secret.
 */
export async function hintFor({
  body,
  timestamp,
  signatures,
  secrets,
  otherHeader,
}: FailedVerification): Promise<string | undefined> {
  const matches = async (candidates: readonly string[], at: string, sent: string | Uint8Array): Promise<boolean> => {
    for (const secret of candidates) if (await isAmong(signatures, secret, signedMessage(at, sent))) return true;
    return false;
  };

  const trimmed = secrets.map((secret) => secret.trim()).filter((secret, at) => secret !== secrets[at]);
  if (await matches(trimmed, timestamp, body)) return 'The secret has spaces or line breaks around it: trim it';
  const bare = secrets.filter((secret) => !secret.startsWith('whsec_')).map((secret) => `whsec_${secret}`);
  if (await matches(bare, timestamp, body))
    return 'The secret lacks its prefix whsec_: pass it exactly as the service returned it';
  const [milliseconds, seconds] = [`${timestamp}000`, timestamp.replace(/\d{3}$/, '')];
  if (await matches(secrets, timestamp.length < 12 ? milliseconds : seconds, body))
    return 'The signature was made with another timestamp than the one in the header: one is in seconds and the other in milliseconds';
  for (const form of originalsOf(body))
    if (await matches(secrets, timestamp, form))
      return 'The body was parsed and serialized again before it got here: pass it as it was received';
  if (secrets.some((secret) => /^sk_/.test(secret)))
    return 'The secret is an API key: pass the secret of the webhook endpoint, which begins with whsec_';
  const other = otherHeader?.();
  return (
    other &&
    `The request also has the header ${other}: if the service sent it, pass signatureHeader: '${other}' to receive`
  );
}

/** The forms that a JSON body may have had before something changed it. In production, an unsigned body is never parsed. */
function originalsOf(body: string | Uint8Array): string[] {
  if (variable('NODE_ENV') === 'production') return [];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    const forms = [text.trim(), JSON.stringify(JSON.parse(text))];
    return forms.filter((form) => form !== text);
  } catch {
    return [];
  }
}
