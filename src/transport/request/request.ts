import { quotable, type Redactor, redactor } from '../../errors/index.js';
import { complaintAbout, complaintAboutJson, complaintAboutNames, secretsIn } from '../../service/describe/check.js';
import { type Codec, kindOfValue } from '../../service/describe/codec.js';
import { descriptorOf, grantTypeOf, type Operation, paramNamesOf } from '../../service/describe/operation.js';
import type { Config } from '../types.js';
import { clientIdFor, missingApiKey } from './credentials.js';
import { headersOf, secretsByName } from './headers.js';
import type { ListOptions, RequestOptions } from './options.js';
import { rejectArgument } from './reject-argument.js';
import { type AddressInput, isGiven, parametersIn, textOf, urlOf } from './url.js';

/** Input of a namespace method: path parameters, query and body, by the callers' names. */
export interface AnyInput extends AddressInput {
  readonly body?: unknown;
  /** An object with the path parameters and the body, instead of these two. */
  readonly payload?: object;
  /** The names of path parameters that callers pass in one object with the fields of the body. */
  readonly inPath?: readonly string[];
  /** The SSO access token, if it replaces the API key. */
  readonly accessToken?: string;
  /** Headers that are arguments of the method, by the callers' names: `warrantToken` is sent as `warrant-token`. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/** A request that can be sent several times. */
export interface PreparedRequest {
  readonly operation: Operation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The values in the path, by their names. */
  readonly params: Readonly<Record<string, string>>;
  /** The query parameters, by the callers' names. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The body before it became text; undefined if there is none. */
  readonly fields: unknown;
  readonly hasIdempotencyKey: boolean;
  /** Whether it lists the items before a cursor. */
  readonly backwards: boolean;
  /** What to do with invalid records in the response. */
  readonly onInvalid: ListOptions['onInvalid'];
  /** Removes every secret of the request from a text. Collects the secrets on first use. */
  readonly redact: Redactor;
  /** Makes untrusted text safe to quote in a message about this request. */
  readonly quote: (text: string) => string;
}

/** Build and validate a request. Throws for everything wrong with it before anything is sent. */
export function prepare(
  config: Config,
  codec: Codec,
  operation: Operation,
  given: AnyInput,
  options: ListOptions,
): PreparedRequest {
  const input = given.payload ? inputOf(operation, given.payload) : given;
  const fields = fieldsOf(config, codec, operation, input, options);
  const body =
    fields === undefined ? undefined : operation.io.form ? formOf(operation, fields) : JSON.stringify(fields);
  const url = urlOf(config, codec, operation, input, options.extraQuery);
  const extraQuery = parametersIn(options.extraQuery);
  const headers = headersOf(config, operation, input, body !== undefined, options);
  const { query = {}, params = {} } = input;
  const { after, before } = query;
  const { io } = operation;
  let cached: Redactor | undefined;
  const redact: Redactor = (text) => {
    cached ??= redactor([
      ...(config.apiKey ? [config.apiKey] : []),
      ...secretsByName(headers),
      ...secretsByName([options.extraBody, extraQuery]),
      ...undescribedSecretsIn(input),
      ...(io.secretParams ? Object.values(params).map(String) : []),
      ...(io.query ? secretsIn(descriptorOf(io.query), query) : []),
      ...(io.body ? secretsIn(descriptorOf(io.body), input.body) : []),
    ]);
    return cached(text);
  };
  return {
    operation,
    url,
    headers,
    body,
    // The URL is made only of strings.
    params: params as Readonly<Record<string, string>>,
    query: { ...query, ...extraQuery },
    fields,
    hasIdempotencyKey: headers['idempotency-key'] !== undefined,
    backwards: isGiven(before) && !isGiven(after),
    onInvalid: options.onInvalid,
    redact,
    quote: (text) => quotable(text, redact),
  };
}

/** Divide the object that a method takes into path parameters and body, as the operation describes. */
function inputOf(operation: Operation, payload: object): AnyInput {
  const { paramsIn, body } = operation.io;
  const fields: Record<string, unknown> = { ...payload };
  const source: Record<string, unknown> = paramsIn ? { ...Object(fields[paramsIn]) } : fields;
  const params: Record<string, unknown> = {};
  const known: Record<string, true> = {};
  for (const { name, argument } of paramNamesOf(operation)) {
    params[name] = source[argument];
    known[argument] = true;
    delete source[argument];
  }
  if (paramsIn) delete fields[paramsIn];
  // The body has the rest of the object, but not of an object inside it.
  const unknown = paramsIn || !body ? complaintAboutNames(source, known, paramsIn) : undefined;
  if (unknown) rejectArgument(operation, unknown, undefined, body ? 'extraBody' : 'extraQuery');
  return { params, body: body && fields, inPath: paramsIn ? [] : Object.keys(known) };
}

/** Collect possible secrets of a request without a description: values with secret names, and ids in the path. */
const undescribedSecretsIn = ({ path, query, body }: AnyInput): string[] =>
  path === undefined
    ? []
    : [
        // Lower-case words are the names of the API.
        ...path
          .split('/')
          .filter((segment) => segment.length > 3 && /[^a-z_-]/.test(segment))
          .map(decodeURIComponent),
        ...secretsByName([query, body]),
      ];

/** Return the body as it is sent, before it becomes text; undefined if there is none. */
function fieldsOf(
  config: Config,
  codec: Codec,
  operation: Operation,
  input: AnyInput,
  options: RequestOptions,
): unknown {
  const { extraBody } = options;
  const unsendable = complaintAboutJson(extraBody, 'extraBody');
  if (unsendable) rejectArgument(operation, unsendable);
  const described = operation.io.body;
  const rejectExtra = (why: string) =>
    rejectArgument(operation, { at: 'extraBody', expected: 'absent', found: 'given' }, why);
  if (!described) return extraBody && operation.method === 'GET' ? rejectExtra('A GET request has no body') : extraBody;
  const descriptor = descriptorOf(described);
  const takesVerifier = 'codeVerifier' in (descriptor.model?.shape ?? {});
  const value =
    operation.io.auth === 'client_secret' ? withCredentials(config, operation, input.body, takesVerifier) : input.body;
  const complaint = complaintAbout(descriptor, value, input.path === undefined ? operation.io.bodyArgument : 'body');
  if (complaint) rejectArgument(operation, { ...complaint, known: complaint.known?.concat(input.inPath ?? []) });
  const wire = codec.encode(descriptor, value);
  // The check above accepts only objects.
  if (descriptor.kind === 'model') return { ...(wire as Record<string, unknown>), ...extraBody };
  return extraBody ? rejectExtra('The body is a list, not an object') : wire;
}

/** Add the application's credentials to a sign-in request: the API key, or for a public client only the PKCE verifier. */
function withCredentials(
  config: Config,
  operation: Operation,
  body: unknown,
  takesVerifier: boolean,
): Record<string, unknown> {
  // A body that is not an object lacks the fields below, so the error names them.
  const fields = (body ?? {}) as Record<string, unknown>;
  const clientId = clientIdFor(operation.client, fields.clientId ?? config.clientId);
  const hasProof =
    config.apiKey !== undefined ||
    (takesVerifier && fields.codeVerifier !== undefined) ||
    operation.io.grant === 'refresh_token';
  if (!hasProof)
    throw missingApiKey(operation.client, takesVerifier ? ', or a codeVerifier from a public client,' : '');
  return {
    ...fields,
    clientId,
    ...(config.apiKey !== undefined && { clientSecret: config.apiKey }),
    grantType: grantTypeOf(operation.io.grant ?? 'authorization_code', config.dialect),
  };
}

function formOf(operation: Operation, body: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) {
    if (!isGiven(value)) continue;
    const text = textOf(value);
    // The described fields are strings.
    if (text === undefined)
      rejectArgument(
        operation,
        { at: `extraBody.${name}`, expected: 'a string, a number, a boolean or a Date', found: kindOfValue(value) },
        'The body is a form',
      );
    form.set(name, text);
  }
  return form.toString();
}
