import { kindOf, rawOf, type TextOrBytes } from '../crypto/encoding.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { BodyTooLarge, joined, readBody } from '../http/body.js';
import { type HeaderFields, headerField } from '../http/header-field.js';
import type { NodeWebhookRequest, WebhookRequest } from './request.js';
import {
  alreadyParsed,
  alreadyRead,
  bodyIncomplete,
  tooLarge,
  WebhookVerificationError,
} from './verification-error.js';

/** A request with a delivery, independent of the framework. */
export interface Arrival {
  /** Return a header by its lowercase name, or undefined if it is missing. */
  header(name: string): string | undefined;
  /** Return the names of all headers in lower case. */
  headerNames(): readonly string[];
  /** Read the body as received. @throws {WebhookVerificationError} It is too large, or was already consumed. */
  body(maxBytes: number): Promise<TextOrBytes>;
  /** Aborts when the request does, if the framework supports that. */
  readonly signal?: AbortSignal | undefined;
}

/** The part of Hono's request that caches the body. */
interface HonoRequest {
  readonly raw?: unknown;
  readonly bodyCache?: Readonly<Record<string, unknown>>;
}

/** The properties that identify a supported request. */
interface RequestFields extends HonoRequest {
  readonly headers?: unknown;
  readonly multiValueHeaders?: unknown;
  readonly req?: HonoRequest;
  readonly request?: unknown;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly isBase64Encoded?: unknown;
}

/**
 * Detect the framework of a request by its properties.
 *
 * @throws {InvalidArgumentError} The value is not a supported request.
 */
export function arrivalOf(request: WebhookRequest): Arrival {
  const fields: RequestFields = Object(request);
  // Many frameworks pass an object that contains the request. Hono wraps the request of the platform in its own.
  const { req } = fields;
  for (const candidate of [{ raw: fields }, { raw: fields.request }, { raw: req }, req, fields])
    if (isFetchRequest(candidate?.raw)) return ofFetch(candidate.raw, candidate);
  if (typeof fields.isBase64Encoded === 'boolean') return ofLambda(fields);
  // Fastify wraps Node's request too.
  for (const node of [fields.raw, fields])
    if (isNodeRequest(node))
      return { ...headerAccessors(node.headers), body: (maxBytes) => nodeBody(node, fields, maxBytes) };
  throw new InvalidArgumentError({
    what: `receive found no request in its first argument, which is ${kindOf(request)}`,
    next: "Pass the request of your framework, Hono's context, or the event of a Lambda function",
    argument: 'request',
  });
}

const isFetchRequest = (value: unknown): value is Request =>
  // Plain header fields may include one called `get`, which is a string.
  typeof (value as Request | null | undefined)?.headers?.get === 'function' &&
  typeof (value as Request).text === 'function';

const ofFetch = (request: Request, { bodyCache = {} }: HonoRequest): Arrival => ({
  header: (name) => request.headers.get(name) ?? undefined,
  headerNames: () => [...request.headers.keys()],
  // Some platforms create the signal on access.
  get signal() {
    return request.signal;
  },
  async body(maxBytes) {
    if (request.bodyUsed || request.body?.locked) {
      const { text, arrayBuffer, ...parsed } = bodyCache;
      const read = rawOf(await (arrayBuffer ?? text));
      if (read === undefined)
        throw Object.keys(parsed).length ? alreadyParsed(Object.values(parsed)[0]) : alreadyRead();
      return checkSize(read, maxBytes);
    }
    try {
      return await readBody(request, maxBytes);
    } catch (error) {
      throw error instanceof BodyTooLarge ? tooLarge(maxBytes) : bodyIncomplete(error);
    }
  },
});

function ofLambda({ headers, multiValueHeaders, body, isBase64Encoded }: RequestFields): Arrival {
  return {
    // Either may be null or missing. The second contains all values of a header.
    ...headerAccessors({ ...(headers as HeaderFields | null), ...(multiValueHeaders as HeaderFields | null) }),
    async body(maxBytes) {
      const text = body ?? '';
      if (typeof text !== 'string') throw alreadyParsed(body);
      // Four Base64 characters encode three bytes.
      if (!isBase64Encoded || text.length * 0.75 - 2 > maxBytes) return checkSize(text, maxBytes);
      try {
        return checkSize(
          Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
          maxBytes,
        );
      } catch (error) {
        if (error instanceof WebhookVerificationError) throw error;
        throw new WebhookVerificationError(
          'payload_malformed',
          'The body of the event is not Base64, though isBase64Encoded is true',
          'Pass the event as the function received it',
        );
      }
    },
  };
}

/** Read the body of Node's request, or take it from `rawBody` or `body` if a parser stored it there. */
async function nodeBody(node: NodeStream, { rawBody, body }: RequestFields, maxBytes: number): Promise<TextOrBytes> {
  const raw = rawOf(rawBody) ?? rawOf(body);
  if (raw !== undefined) return checkSize(raw, maxBytes);
  // Express 4 sets `body` to an empty object before the body is read.
  if (!hasBeenRead(node)) return readNodeBody(node, maxBytes);
  throw body === undefined || body === null ? alreadyRead() : alreadyParsed(body);
}

/** Accessors for headers in an object; names match in any letter case. */
const headerAccessors = (fields: HeaderFields): Pick<Arrival, 'header' | 'headerNames'> => ({
  header(name) {
    const value = headerField(fields, name);
    return typeof value === 'object' ? value.join(', ') : value;
  },
  headerNames: () => Object.keys(fields).map((name) => name.toLowerCase()),
});

const checkSize = (body: TextOrBytes, maxBytes: number): TextOrBytes => {
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return body;
};

/** The part of Node's request that is needed to read its body. */
interface NodeStream extends Pick<NodeWebhookRequest, 'headers' | 'on'> {
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
  off(event: string, listener: (...args: never[]) => void): unknown;
  pause(): unknown;
}

/** Whether a value is a Node request. */
const isNodeRequest = (value: unknown): value is NodeStream => {
  const { headers, on, off } = Object(value) as Partial<NodeStream>;
  return typeof headers === 'object' && typeof on === 'function' && typeof off === 'function';
};

/** Whether the body was read, at least in part. */
const hasBeenRead = ({ readableDidRead, readableEnded }: NodeStream): boolean =>
  Boolean(readableDidRead || readableEnded);

/**
 * Read the body of a Node request. Stops if the body is too large, and keeps the connection open for the response.
 *
 * @throws {WebhookVerificationError} The body is too large, or ended early.
 */
const readNodeBody = (request: NodeStream, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
      settle();
    };
    const refuse = (): void =>
      end(() => {
        request.pause();
        reject(tooLarge(maxBytes));
      });
    const listeners = {
      data(chunk: Uint8Array | string) {
        const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
        chunks.push(bytes);
        size += bytes.length;
        if (size > maxBytes) refuse();
      },
      end: () => end(() => resolve(joined(chunks, size))),
      error: (cause: unknown) => end(() => reject(bodyIncomplete(cause))),
      close: () => end(() => reject(bodyIncomplete())),
    };
    if (request.destroyed) reject(bodyIncomplete());
    else if (Number(request.headers['content-length']) > maxBytes) refuse();
    else for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
  });
