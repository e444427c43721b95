import { signerOf } from '#crypto/mac';
import type { TextOrBytes } from '../crypto/encoding.js';
import { variable } from '../http/environment.js';
import { textOf } from './signed-delivery.js';

/**
 * Try common mistakes, and return a hint for the first that explains the mismatch, or undefined. A hint never contains the
 * secret.
 */
export async function hintFor(
  secrets: readonly string[],
  signatures: readonly string[],
  timestamp: string,
  body: TextOrBytes,
): Promise<string | undefined> {
  const matches = async (candidates: readonly string[], at = timestamp, sent = body): Promise<boolean> =>
    (await signerOf(candidates, signatures, `${at}.`, sent)) >= 0;
  const changed = (change: (secret: string) => string): readonly string[] =>
    secrets.map(change).filter((secret) => !secrets.includes(secret));

  if (await matches(changed((secret) => secret.trim()))) return 'The secret has blanks around it: trim it';
  if (await matches(changed((secret) => secret.replace(/^(?!whsec_)/, 'whsec_'))))
    return 'The secret lacks its prefix whsec_: add it';
  if (await matches(secrets, timestamp.length < 12 ? `${timestamp}000` : timestamp.slice(0, -3)))
    return 'The signature and the header have different timestamps: one is in seconds and the other in milliseconds';
  for (const form of originalsOf(body))
    if (await matches(secrets, timestamp, form))
      return 'The body was parsed and serialized again before it got here: pass it as received';
  return secrets.some((secret) => /^sk_/.test(secret))
    ? 'The secret is an API key: pass the secret of the webhook endpoint'
    : undefined;
}

/** The hint for a request with another signature header. */
export const otherHeaderHint = (other: string): string =>
  `The request also has the header ${other}: if the service sent it, pass signatureHeader: '${other}' to receive`;

/** The forms that a JSON body may have had before something changed it. In production, an unsigned body is never parsed. */
function originalsOf(body: TextOrBytes): string[] {
  try {
    const text = textOf(body) ?? '';
    if (variable('NODE_ENV') !== 'production') return [text.trim(), JSON.stringify(JSON.parse(text))];
  } catch {
    // The body is not JSON.
  }
  return [];
}
