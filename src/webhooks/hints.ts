import { isAmong } from '#crypto/mac';
import { type RawBody, rawOf } from '../crypto/encoding.js';
import { signedMessage } from '../crypto/signature.js';
import { variable } from '../http/environment.js';

/** What is known of a delivery whose signature matches no secret. */
export interface Mismatch {
  readonly body: RawBody;
  /** The signature header as it came. */
  readonly header: string;
  readonly secrets: readonly string[];
  /** Another signature header that the request has, too. */
  readonly otherHeader: string | undefined;
}

/**
 * What is probably wrong where no signature matches: the signature is tried with what people often get wrong. Undefined where none of
 * that is it. No hint says anything of the secret but its form.
 */
export async function hintFor({ body, header, secrets, otherHeader }: Mismatch): Promise<string | undefined> {
  const timestamp = /(?:^|,)\s*t\s*=\s*(\d{1,15})\s*(?:,|$)/.exec(header)?.[1] ?? '';
  const signatures = [...header.matchAll(/(?:^|,)\s*v1\s*=\s*([^,\s]+)/g)].map(([, signature]) => signature!);
  const raw = rawOf(body) ?? '';
  const matches = async (changed: readonly string[], at: string, sent: string | Uint8Array): Promise<boolean> => {
    for (const secret of changed) if (await isAmong(signatures, secret, signedMessage(at, sent))) return true;
    return false;
  };

  const trimmed = secrets.map((secret) => secret.trim()).filter((secret, at) => secret !== secrets[at]);
  if (await matches(trimmed, timestamp, raw)) return 'The secret has blanks or line breaks around it: trim it';
  const bare = secrets.filter((secret) => !secret.startsWith('whsec_')).map((secret) => `whsec_${secret}`);
  if (await matches(bare, timestamp, raw)) return 'The secret lacks its prefix whsec_: pass it as the service gave it';
  const [milliseconds, seconds] = [`${timestamp}000`, timestamp.replace(/\d{3}$/, '')];
  if (await matches(secrets, timestamp.length < 12 ? milliseconds : seconds, raw))
    return 'The signature is of another timestamp than the header has: one is in seconds and the other in milliseconds';
  for (const anew of writtenAnew(raw))
    if (await matches(secrets, timestamp, anew))
      return 'The body was parsed and written anew on its way here: take it as it was received';
  if (secrets.some((secret) => /^sk_/.test(secret)))
    return 'The secret is an API key: pass the secret of the webhook endpoint, which begins with whsec_';
  return (
    otherHeader &&
    `The request has the header ${otherHeader} too: if that is the service's, pass header: '${otherHeader}'`
  );
}

/** The forms that a JSON body often had before something changed it. In production nothing is parsed that nobody has signed. */
function writtenAnew(raw: string | Uint8Array): string[] {
  if (variable('NODE_ENV') === 'production') return [];
  const text = typeof raw === 'string' ? raw : new TextDecoder().decode(raw);
  try {
    const forms = [text.trim(), JSON.stringify(JSON.parse(text))];
    return forms.filter((form) => form !== text);
  } catch {
    return [];
  }
}
