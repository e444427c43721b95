import { quotable, type Redactor, redactor } from '../errors/index.js';
import { complaintAbout, secretsIn } from '../service/describe/check.js';
import type { Codec } from '../service/describe/codec.js';
import { descriptorOf, grantTypeOf, type Operation } from '../service/describe/operation.js';
import { refuse } from './argument.js';
import type { Config } from './config.js';
import { clientIdFor, missingApiKey } from './credentials.js';
import { headersOf, secretsByName } from './headers.js';
import { isGiven, type RequestOptions } from './options.js';
import { type AddressInput, urlOf } from './url.js';

/** What a room hands over: path parameters, query and body in callers' names. */
export interface AnyInput extends AddressInput {
  readonly body?: unknown;
  /** The SSO access token, where it stands in for the API key. */
  readonly accessToken?: string;
}

/** A request ready to be sent, as often as needed. */
export interface Prepared {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly hasIdempotencyKey: boolean;
  /** Whether it asks for the part of a list before a cursor. */
  readonly backwards: boolean;
  /** Removes every secret that the request carries. They are looked for when something is printed about the request. */
  readonly redact: Redactor;
  /** A stranger's text as it may stand in a message about this request. */
  readonly quote: (text: string) => string;
}

/** Builds and checks a request; everything wrong with it is said here, before anything is sent. */
export function prepare(
  config: Config,
  codec: Codec,
  operation: Operation,
  input: AnyInput,
  options: RequestOptions,
): Prepared {
  const body = bodyOf(config, codec, operation, input, options);
  const url = urlOf(config, codec, operation, input, options.extraQuery);
  const headers = headersOf(config, operation, input.accessToken, body !== undefined, options);
  const { query = {}, params = {} } = input;
  const { after, before } = query;
  const { io } = operation;
  let known: Redactor | undefined;
  const redact: Redactor = (text) => {
    known ??= redactor([
      ...(config.apiKey ? [config.apiKey] : []),
      ...secretsByName(headers),
      ...secretsByName([options.extraBody, options.extraQuery]),
      ...(io.secretParams ? Object.values(params).map(String) : []),
      ...(io.query ? secretsIn(descriptorOf(io.query), query) : []),
      ...(io.body ? secretsIn(descriptorOf(io.body), input.body) : []),
    ]);
    return known(text);
  };
  return {
    url,
    method: operation.method,
    headers,
    body,
    hasIdempotencyKey: headers['idempotency-key'] !== undefined,
    backwards: isGiven(before) && !isGiven(after),
    redact,
    quote: (text) => quotable(text, redact),
  };
}

function bodyOf(
  config: Config,
  codec: Codec,
  operation: Operation,
  input: AnyInput,
  options: RequestOptions,
): string | undefined {
  const { extraBody } = options;
  const described = operation.io.body;
  if (!described) {
    if (extraBody && operation.method === 'GET')
      refuse(operation, { at: 'extraBody', expected: 'absent', found: 'given' }, 'A GET request has no body');
    return extraBody && jsonOf(operation, extraBody);
  }
  const descriptor = descriptorOf(described);
  const takesVerifier = 'codeVerifier' in (descriptor.model?.shape ?? {});
  const value =
    operation.io.auth === 'client_secret' ? withCredentials(config, operation, input.body, takesVerifier) : input.body;
  const complaint = complaintAbout(descriptor, value);
  if (complaint) refuse(operation, complaint);
  const wire = codec.encode(descriptor, value);
  if (Array.isArray(wire)) {
    if (extraBody)
      refuse(operation, { at: 'extraBody', expected: 'absent', found: 'given' }, 'The body is a list, not an object');
    return jsonOf(operation, wire);
  }
  // The check above lets nothing pass but an object.
  const body = { ...(wire as Record<string, unknown>), ...extraBody };
  return operation.io.form ? formOf(body) : jsonOf(operation, body);
}

/** Signing in names the application in the body: by its secret key, or for a public client by the PKCE verifier alone. */
function withCredentials(
  config: Config,
  operation: Operation,
  body: unknown,
  takesVerifier: boolean,
): Record<string, unknown> {
  // A body that is not an object lacks the fields below, and is refused by their names.
  const fields = (body ?? {}) as Record<string, unknown>;
  const clientId = clientIdFor(operation.client, fields.clientId ?? config.clientId);
  const proven =
    config.apiKey !== undefined ||
    (takesVerifier && fields.codeVerifier !== undefined) ||
    operation.io.grant === 'refresh_token';
  if (!proven) throw missingApiKey(operation.client, takesVerifier ? ', or a codeVerifier from a public client,' : '');
  return {
    ...fields,
    clientId,
    ...(config.apiKey !== undefined && { clientSecret: config.apiKey }),
    grantType: grantTypeOf(operation.io.grant ?? 'authorization_code', config.dialect),
  };
}

function jsonOf(operation: Operation, body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    return refuse(
      operation,
      { at: '', expected: 'something that JSON can say', found: 'what it is' },
      'It holds a circle, a bigint or an object that refuses to be written',
    );
  }
}

function formOf(body: Record<string, unknown>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body))
    if (value !== undefined && value !== null) form.set(name, String(value));
  return form.toString();
}
