import { kindOf, type RawBody, rawOf } from '../crypto/encoding.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { BodyTooLarge, readBody } from '../http/body.js';
import { hasBeenRead, isNodeRequest, readNodeBody } from './node-body.js';
import { alreadyParsed, alreadyRead, brokenOff, tooLarge } from './refusals.js';
import type { HeaderFields, WebhookRequest } from './request.js';
import { WebhookVerificationError } from './verification-error.js';

/** A delivery, whichever framework handed it over. */
export interface Arrival {
  /** A header by its name, in lower case; undefined when it is not there. */
  header(name: string): string | undefined;
  /** The names of all headers, in lower case. */
  headerNames(): readonly string[];
  /** The body as it was received. @throws {WebhookVerificationError} It is too large, or gone. */
  body(maxBytes: number): Promise<RawBody>;
  /** Ends when the request does, where it says so. */
  readonly signal?: AbortSignal | undefined;
}

/** Of the request of Hono, what remembers what was read of the body. */
interface HonoRequest {
  readonly raw?: unknown;
  readonly bodyCache?: Readonly<Record<string, unknown>>;
}

/** Whatever of all those forms a value may have. */
interface AnyForm extends HonoRequest {
  readonly headers?: unknown;
  readonly multiValueHeaders?: unknown;
  readonly req?: HonoRequest;
  readonly request?: unknown;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly isBase64Encoded?: unknown;
}

/**
 * Knows a request by its form.
 *
 * @throws {InvalidArgumentError} It is none.
 */
export function arrivalOf(request: WebhookRequest): Arrival {
  const given: AnyForm = Object(request);
  // Routes of many frameworks get an object with the request in it. Hono's context has its own request around the platform's.
  const { req } = given;
  for (const own of [{ raw: given }, { raw: given.request }, { raw: req }, req, given])
    if (isFetchRequest(own?.raw)) return ofFetch(own.raw, own);
  if (typeof given.isBase64Encoded === 'boolean') return ofLambda(given);
  // Fastify has its own request around Node's too.
  for (const node of [given.raw, given])
    if (isNodeRequest(node))
      return { ...inFields(node.headers), body: (maxBytes) => bodyBeside(node, given, maxBytes) };
  throw new InvalidArgumentError({
    what: `receive knows no request in what it was given, which is ${kindOf(request)}`,
    next: "Pass the request of your framework, Hono's context, or the event of a Lambda function",
    argument: 'request',
  });
}

const isFetchRequest = (value: unknown): value is Request =>
  // An object of header fields may have one by the name of get, and that is a text.
  typeof (value as Request | null | undefined)?.headers?.get === 'function' &&
  typeof (value as Request).text === 'function';

const ofFetch = (request: Request, own: HonoRequest): Arrival => ({
  header: (name) => request.headers.get(name) ?? undefined,
  headerNames: () => [...request.headers.keys()],
  // Platforms make it when somebody asks for it.
  get signal() {
    return request.signal;
  },
  async body(maxBytes) {
    if (request.bodyUsed || request.body?.locked) {
      const { text, arrayBuffer, ...parsed } = own.bodyCache ?? {};
      const read = rawOf(await (arrayBuffer ?? text));
      if (read === undefined)
        throw Object.keys(parsed).length ? alreadyParsed(Object.values(parsed)[0]) : alreadyRead();
      return within(read, maxBytes);
    }
    try {
      return await readBody(request, maxBytes);
    } catch (error) {
      throw error instanceof BodyTooLarge ? tooLarge(maxBytes) : brokenOff(error);
    }
  },
});

function ofLambda({ headers, multiValueHeaders, body, isBase64Encoded }: AnyForm): Arrival {
  return {
    // Either may be null or absent, and the second has all values of a name.
    ...inFields({ ...(headers as HeaderFields | null), ...(multiValueHeaders as HeaderFields | null) }),
    async body(maxBytes) {
      const text = body ?? '';
      if (typeof text !== 'string') throw alreadyParsed(body);
      // Four letters hold three bytes.
      if (!isBase64Encoded || text.length * 0.75 - 2 > maxBytes) return within(text, maxBytes);
      try {
        return within(
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

/** The body of Node's request, which something may have read and put beside it. */
async function bodyBeside(
  node: Parameters<typeof readNodeBody>[0],
  { rawBody, body }: AnyForm,
  maxBytes: number,
): Promise<RawBody> {
  const raw = rawOf(rawBody) ?? rawOf(body);
  if (raw !== undefined) return within(raw, maxBytes);
  // Express 4 has an empty object there while nobody has read the body.
  if (!hasBeenRead(node)) return readNodeBody(node, maxBytes);
  throw body === undefined || body === null ? alreadyRead() : alreadyParsed(body);
}

/** Headers in an object, by their names in any letters. */
const inFields = (fields: HeaderFields): Pick<Arrival, 'header' | 'headerNames'> => ({
  header(name) {
    const value = fields[name] ?? Object.entries(fields).find(([other]) => other.toLowerCase() === name)?.[1];
    return typeof value === 'object' ? value.join(', ') : value;
  },
  headerNames: () => Object.keys(fields).map((name) => name.toLowerCase()),
});

const within = (body: string | Uint8Array, maxBytes: number): RawBody => {
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return body;
};
