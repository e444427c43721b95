import type { Raw } from '../store/parser.js';
import { oauthError } from '../store/refusal.js';

/**
 * Add the client id and secret from the Authorization header to the body of a token request (RFC 6749, section 2.3.1).
 *
 * @throws {EmulatorRefusal} 400 `invalid_request` if the body has a secret too.
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
      'The client secret is in the header and in the body. Send it in one of them: client_secret_basic or client_secret_post',
    );
  const credentials = { client_id: decoded(id), client_secret: decoded(secret) };
  return { ...raw, value: { ...credentials, ...fields } };
}

/** Decode the client id or secret, which is form-encoded in the header. */
const decoded = (text: string): string => new URLSearchParams(`value=${text}`).get('value') ?? '';
