import { array, type Field, string } from '../../service/describe/define.js';
import { emulatedDialects } from '../../service/describe/emulated-dialect.js';
import type { EmulatorRefusal } from '../store/refusal.js';
import { type ConnectionFailure, piecesOf } from './connection-failure.js';

type Pairs = readonly (readonly [string, string])[];
/** Headers of a stored response; each pair is a list of two strings. */
export const pairsOfTexts = array(array(string)) as Field<unknown> as Field<Pairs>;
type HeaderInput = Readonly<Record<string, string>>;

/** HTTP response to send. Routes return one for redirects, pages and files; other results are serialized by their description. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: string | Uint8Array<ArrayBuffer> | null,
    /** Pairs, because a response may set several cookies. */
    readonly headers: Pairs = [],
    /** Planned failure of the connection. */
    readonly connectionFailure?: ConnectionFailure | undefined,
    /** Creates the stream that is sent instead of the body until the client disconnects. */
    readonly stream?: (() => ReadableStream<Uint8Array<ArrayBuffer>>) | undefined,
  ) {}

  /** Return a copy of the response with more headers. */
  with(headers: HeaderInput): Answer {
    return new Answer(
      this.status,
      this.body,
      [...this.headers, ...Object.entries(headers)],
      this.connectionFailure,
      this.stream,
    );
  }
}

/** A result with another status or more headers. Its value is serialized by the operation's description. */
export class AnswerValue {
  constructor(
    readonly value: unknown,
    readonly status: number | undefined,
    readonly headers: HeaderInput,
  ) {}
}

/** Create a handler result with another status or more headers. */
export const answerValue = (
  value: unknown,
  { status, headers = {} }: { readonly status?: number; readonly headers?: HeaderInput },
): AnswerValue => new AnswerValue(value, status, headers);

const jsonType: Pairs = [['content-type', 'application/json; charset=utf-8']];

/** Create a JSON response from a value in wire names. */
export const json = (status: number, value: unknown, headers?: HeaderInput): Answer =>
  new Answer(status, JSON.stringify(value), headers ? [...jsonType, ...Object.entries(headers)] : jsonType);

/** Create the response to a refused request, in a dialect. */
export const refusalAnswer = (refusal: EmulatorRefusal, dialect = emulatedDialects.spec): Answer =>
  json(refusal.status, refusal.bodyIn(dialect), refusal.headers);

/** Create a response without a body. */
export const empty = (status: number, headers: HeaderInput = {}): Answer =>
  new Answer(status, null, Object.entries(headers));

/** Redirect the browser. Characters that a header cannot hold are percent-encoded, as browsers do. */
export const redirect = (location: string, status: 302 | 303 = 302): Answer =>
  new Answer(status, null, [['location', location.replace(/[^\x21-\x7e]+/g, encodeURIComponent)]]);

/** Create a text response with a content type, such as HTML or CSV. */
export const text = (body: string, type: string, status = 200): Answer =>
  new Answer(status, body, [['content-type', type]]);

/** Part of the emulator that answered instead of the service. */
export type AnswerSource =
  | 'control'
  | 'page'
  | 'health'
  | 'no-such-path'
  | 'method-not-allowed'
  | 'not-emulated'
  | 'stranger'
  | 'no-such-world'
  | 'fault';

/** Mark a response that the service would not send, so that callers can recognize it. An existing mark is kept. */
export const markAnswer = (source: AnswerSource, answer: Answer): Answer =>
  answer.headers.some(([name]) => name === sourceHeader) ? answer : answer.with({ [sourceHeader]: source });
/** Name of the header that marks the responses of the emulator. */
export const sourceHeader = 'sallyport-emulator';

/** Create the `Response` that `fetch` returns. A response to HEAD has no body. */
export const responseOf = (answer: Answer, method: string): Response =>
  // Answer does not extend Response, because Node would load all of fetch when the emulator is imported.
  new Response(
    method === 'HEAD'
      ? null
      : answer.connectionFailure
        ? streamOf(piecesOf(answer))
        : (answer.stream?.() ?? answer.body),
    { status: answer.status, headers: answer.headers.map(([name, value]): [string, string] => [name, value]) },
  );

const streamOf = (pieces: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
