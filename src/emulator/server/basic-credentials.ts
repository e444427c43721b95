import type { Raw } from '../world/parser.js';
import { oauthError } from '../world/refusal.js';

/**
 * The body of a request for tokens, with the client's id and secret from the Authorization header where they come that way
 * (RFC 6749, section 2.3.1).
 *
 * @throws {Refusal} 400 `invalid_request` when the secret comes in both.
 */
export function withBasicCredentials(raw: Raw, authorization: string | null): Raw {
  const [, encoded = ''] = /^Basic +([\w+/]+=*) *$/i.exec(authorization ?? '') ?? [];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return raw;
  const fields = (raw.value ?? {}) as Readonly<Record<string, unknown>>;
  if (fields.client_secret !== undefined)
    throw oauthError(
      400,
      'invalid_request',
      'The secret came in the header and in the body. Send it in one of them: client_secret_basic or client_secret_post',
    );
  const credentials = { client_id: decoded(id), client_secret: decoded(secret) };
  return { ...raw, value: { ...credentials, ...fields } };
}

/** A value of a form, which is how the two are written before they are joined. */
const decoded = (text: string): string => new URLSearchParams(`value=${text}`).get('value') ?? '';
