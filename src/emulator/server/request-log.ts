import {
  array,
  type Fields,
  integer,
  nullable,
  number,
  part,
  ref,
  string,
  timestamp,
} from '../../service/describe/define.js';
import type { Operation } from '../../service/describe/operation.js';
import type { ApiKey } from '../world/api-keys.js';
import type { CausedEvent } from '../world/event-log.js';
import { slot } from '../world/world.js';

const causedEvent = part({
  id: string,
  /** The type, `organization.created`. */
  event: string,
});

/** A request, described as it is shown: without secrets. */
export const loggedRequest = part({
  /** What `X-Request-ID` of the answer said. */
  id: string,
  /** When the request came, ISO 8601 in UTC with milliseconds, by the emulator's clock. */
  at: timestamp,
  method: string,
  /** Path and query. */
  path: string,
  status: integer,
  /** How long the answer took, in milliseconds of real time. */
  durationMs: number,
  /** Id of the operation, `organizations.create`; null for pages, and where the emulator has nothing at the path. */
  operation: nullable(string),
  /** Method of the client that sends such requests, `organizations.createOrganization`. */
  clientMethod: nullable(string),
  /** The API key, all but its ends masked; null where the request had none that opens a world. */
  apiKey: nullable(string),
  idempotencyKey: nullable(string),
  /** The body, or its length if it is longer than 64 KiB or neither JSON nor a form; null if there was none. */
  requestBody: nullable(string),
  /** The answer, or its length if it is longer than 64 KiB; null if there was none, and for pages and files. */
  responseBody: nullable(string),
  /** Where the answer sends a browser; null where it does not. */
  location: nullable(string),
  /** What happened in the world because of the request. */
  events: array(ref<Fields<typeof causedEvent>>(causedEvent)),
});
/** A request that the emulator has answered, without secrets. */
export interface LoggedRequest extends Readonly<Fields<typeof loggedRequest>> {}

/** A text that was sent. */
export interface LoggedText {
  /** Undefined if it was too long to be remembered. */
  readonly text: string | undefined;
  /** Its length in characters. */
  readonly length: number;
}

/** A request with its secrets. They are hidden when the request is shown, which is rare. */
export interface AnsweredRequest {
  readonly id: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly operation: Operation | undefined;
  readonly key: ApiKey | undefined;
  /** The header as it came. */
  readonly authorization: string | null;
  readonly idempotencyKey: string | null;
  readonly contentType: string | null;
  readonly body: LoggedText;
  readonly answer: LoggedText;
  readonly location: string | undefined;
  readonly events: readonly CausedEvent[];
}

/** A request to remember, with its texts as they were sent. */
type NewRequest = Omit<AnsweredRequest, 'body' | 'answer'> & { readonly body: string; readonly answer: string };

/** Called with every request, after it is answered. */
type Listener = (request: AnsweredRequest) => void;

/** The most requests that are remembered, and the most characters of their bodies and answers; beyond either the oldest go. */
export const mostRequests = 1_000;
const mostCharacters = 8 * 1024 * 1024;
/** Longest text that is remembered. */
const maxTextLength = 64 * 1024;

/** The newest requests to one world, oldest first. */
export class RequestLog {
  #requests: AnsweredRequest[] = [];
  #characters = 0;
  #dropped = 0;
  readonly #listeners = new Set<Listener>();

  /** Those that are remembered. */
  get requests(): readonly AnsweredRequest[] {
    return this.#requests;
  }

  /** How many were forgotten because newer ones came. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Remember a request. */
  add(request: NewRequest): void {
    const fitting = { ...request, body: fittingText(request.body), answer: fittingText(request.answer) };
    this.#requests.push(fitting);
    this.#characters += weightOf(fitting);
    while (this.#requests.length > mostRequests || this.#characters > mostCharacters) {
      this.#characters -= weightOf(this.#requests.shift()!);
      this.#dropped += 1;
    }
    for (const listener of this.#listeners) listener(fitting);
  }

  /** Forget all. */
  clear(): void {
    this.#requests = [];
    this.#characters = 0;
    this.#dropped = 0;
  }

  /** Call a listener with every request from now on, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The newest requests to every world. */
export const requestLog = slot('requests', 'they are there to be looked at while they come', () => new RequestLog());

const weightOf = ({ path, body, answer }: AnsweredRequest): number =>
  path.length + (body.text ?? '').length + (answer.text ?? '').length;

const fittingText = (text: string): LoggedText => ({
  text: text.length > maxTextLength ? undefined : text,
  length: text.length,
});
