import { signerOf } from '#crypto/mac';
import type { TextOrBytes } from '../crypto/encoding.js';
import { variable } from '../http/environment.js';
import type { SignedDelivery } from './signed-delivery.js';

/**
 * Try common mistakes, and return a hint for the first that explains the mismatch, or undefined. A hint never contains the
 * secret.
 *
 * @param otherHeader Names another signature header of the same request.
 */
export async function hintFor(
  { body, timestamp, signatures, secrets }: SignedDelivery<string>,
  otherHeader: (() => string | undefined) | undefined,
): Promise<string | undefined> {
  const matches = async (candidates: readonly string[], at: string, sent: TextOrBytes): Promise<boolean> =>
    (await signerOf(candidates, signatures, `${at}.`, sent)) >= 0;

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
function originalsOf(body: TextOrBytes): string[] {
  if (variable('NODE_ENV') === 'production') return [];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    const forms = [text.trim(), JSON.stringify(JSON.parse(text))];
    return forms.filter((form) => form !== text);
  } catch {
    return [];
  }
}
