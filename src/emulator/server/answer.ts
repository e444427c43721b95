import { array, type Field, string } from '../../service/describe/define.js';
import { dialects } from '../../service/describe/dialect.js';
import type { Refusal } from '../world/refusal.js';
import { type Breakage, piecesOf } from './breakage.js';

type Pairs = readonly (readonly [string, string])[];
/** The headers of an answer that is remembered: a pair is a list of two. */
export const pairsOfTexts = array(array(string)) as Field<unknown> as Field<Pairs>;
type HeaderInput = Readonly<Record<string, string>>;

/** An answer as it goes out. Routes return one where the described form is not what is wanted: redirects, pages, files. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: string | Uint8Array<ArrayBuffer> | null,
    /** Pairs, because cookies come several at a time. */
    readonly headers: Pairs = [],
    /** How it goes wrong on its way, where that is planned. */
    readonly breakage?: Breakage | undefined,
    /** Makes what comes in place of the body, bit by bit, for as long as somebody reads. */
    readonly stream?: (() => ReadableStream<Uint8Array<ArrayBuffer>>) | undefined,
  ) {}

  /** The same answer with further headers. */
  with(headers: HeaderInput): Answer {
    return new Answer(
      this.status,
      this.body,
      [...this.headers, ...Object.entries(headers)],
      this.breakage,
      this.stream,
    );
  }
}

/** A value in callers' names that is answered by its description, with a status or headers of its own. */
export class AnswerValue {
  constructor(
    readonly value: unknown,
    readonly status: number | undefined,
    readonly headers: HeaderInput,
  ) {}
}

/** Answer a value in the described form, with a status or headers of its own. */
export const answerValue = (
  value: unknown,
  { status, headers = {} }: { readonly status?: number; readonly headers?: HeaderInput },
): AnswerValue => new AnswerValue(value, status, headers);

const jsonType: Pairs = [['content-type', 'application/json; charset=utf-8']];

/** JSON as it is given, in wire names. */
export const json = (status: number, value: unknown, headers?: HeaderInput): Answer =>
  jsonText(status, JSON.stringify(value), headers);

/** JSON that is written already. */
export const jsonText = (status: number, body: string, headers?: HeaderInput): Answer =>
  new Answer(status, body, headers ? [...jsonType, ...Object.entries(headers)] : jsonType);

/** What a refusal says in a dialect. */
export const refusalOf = (refusal: Refusal, dialect = dialects.spec): Answer =>
  json(refusal.status, refusal.bodyIn(dialect), refusal.headers);

/** An answer without a body. */
export const empty = (status: number, headers: HeaderInput = {}): Answer =>
  new Answer(status, null, Object.entries(headers));

/** Send a browser elsewhere. What no header can hold is escaped, as browsers do it themselves. */
export const redirect = (location: string, status: 302 | 303 = 302): Answer =>
  new Answer(status, null, [['location', location.replace(/[^\x21-\x7e]+/g, encodeURIComponent)]]);

/** A text of some type: a page, a CSV file. */
export const text = (body: string, type: string, status = 200): Answer =>
  new Answer(status, body, [['content-type', type]]);

/** What speaks in an answer that is not the service's. */
export type OwnVoice =
  | 'control'
  | 'page'
  | 'health'
  | 'no-such-path'
  | 'method-not-allowed'
  | 'not-supported'
  | 'stranger'
  | 'no-such-world'
  | 'fault';

/** Mark an answer of the emulator that is not the service's, so that callers can distinguish the two. The first mark stays. */
export const ownAnswer = (voice: OwnVoice, answer: Answer): Answer =>
  answer.headers.some(([name]) => name === ownHeader) ? answer : answer.with({ [ownHeader]: voice });
const ownHeader = 'sallyport-emulator';

/** An answer as a response of `fetch`, to a request of this method. */
export const responseOf = (answer: Answer, method: string): Response =>
  // Not a class of its own: to extend Response, Node would load all of fetch when the emulator is imported.
  new Response(
    method === 'HEAD' ? null : answer.breakage ? streamOf(piecesOf(answer)) : (answer.stream?.() ?? answer.body),
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
