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
} from '../../../service/describe/define.js';
import type { Operation } from '../../../service/describe/operation.js';
import type { ApiKey } from '../../world/api-keys.js';
import type { CausedEvent } from '../../world/event-log.js';
import { slot } from '../../world/memory.js';

const causedEvent = part({
  id: string,
  /** The type, `organization.created`. */
  event: string,
});

/** Description of a logged request, without secrets. */
export const loggedRequest = part({
  /** Value of the `X-Request-ID` response header. */
  id: string,
  /** Time of the request by the emulator's clock; ISO 8601 UTC with milliseconds. */
  at: timestamp,
  method: string,
  /** Path and query. */
  path: string,
  status: integer,
  /** Time the response took, in milliseconds of real time. */
  durationMs: number,
  /** Id of the operation, such as `organizations.create`; null for pages and unknown paths. */
  operation: nullable(string),
  /** Method of the client that sends this request, such as `organizations.createOrganization`. */
  clientMethod: nullable(string),
  /** The API key, masked except for its ends; null if the request had no valid key. */
  apiKey: nullable(string),
  idempotencyKey: nullable(string),
  /** The request body, or its length if it exceeds 64 KiB or is neither JSON nor a form; null without a body. */
  requestBody: nullable(string),
  /** The response body, or its length if it exceeds 64 KiB; null without a body, and for pages and files. */
  responseBody: nullable(string),
  /** `Location` header of the response; null without a redirect. */
  location: nullable(string),
  /** Fields and query parameters of the request that had no effect, such as `ip_address`; at most 20. */
  ignoredFields: array(string),
  /** Events that the request caused. */
  events: array(ref<Fields<typeof causedEvent>>(causedEvent)),
});
/** A request that the emulator has answered, without secrets. */
export interface LoggedRequest extends Readonly<Fields<typeof loggedRequest>> {}

/** Body of a logged request or response. */
export interface LoggedText {
  /** The text, or undefined if it was too long to be stored. */
  readonly text: string | undefined;
  /** Length in characters. */
  readonly length: number;
}

/** A logged request with its secrets. They are only masked when it is shown, because most requests are never shown. */
export interface AnsweredRequest {
  readonly id: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly operation: Operation | undefined;
  readonly key: ApiKey | undefined;
  /** The header, unmasked. */
  readonly authorization: string | null;
  readonly idempotencyKey: string | null;
  readonly contentType: string | null;
  readonly body: LoggedText;
  readonly answer: LoggedText;
  readonly location: string | undefined;
  readonly ignoredFields: readonly string[];
  readonly events: readonly CausedEvent[];
}

/** A request to log, with bodies of any length and any number of ignored fields. */
type NewRequest = Omit<AnsweredRequest, 'body' | 'answer' | 'ignoredFields'> & {
  readonly body: string;
  readonly answer: string;
  readonly ignoredFields: Iterable<string>;
};

/** Called with every request after it is answered. */
type Listener = (request: AnsweredRequest) => void;

/** Maximum number of logged requests. Beyond it, the oldest are dropped. */
export const maxRequests = 1_000;
/** Maximum characters of the logged paths and bodies. Beyond it, the oldest requests are dropped. */
const maxCharacters = 8 * 1024 * 1024;
/** Maximum length of a stored body, in characters. */
const maxTextLength = 64 * 1024;
/** Maximum number of ignored fields that are stored for a request. */
const maxIgnoredFields = 20;

/** The newest requests to one world, oldest first. */
class RequestLog {
  #requests: AnsweredRequest[] = [];
  #characters = 0;
  #dropped = 0;
  readonly #listeners = new Set<Listener>();

  /** The logged requests, oldest first. */
  get requests(): readonly AnsweredRequest[] {
    return this.#requests;
  }

  /** Number of requests dropped to make room for newer ones. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Log a request. */
  add(request: NewRequest): void {
    const fitting = {
      ...request,
      body: fittingText(request.body),
      answer: fittingText(request.answer),
      ignoredFields: [...request.ignoredFields].slice(0, maxIgnoredFields),
    };
    this.#requests.push(fitting);
    this.#characters += weightOf(fitting);
    while (this.#requests.length > maxRequests || this.#characters > maxCharacters) {
      this.#characters -= weightOf(this.#requests.shift()!);
      this.#dropped += 1;
    }
    for (const listener of this.#listeners) listener(fitting);
  }

  /** Remove all requests. */
  clear(): void {
    this.#requests = [];
    this.#characters = 0;
    this.#dropped = 0;
  }

  /** Call a listener with every new request. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The request log of a world. */
export const requestLog = slot('requests', 'only shown while the emulator runs', () => new RequestLog());

const weightOf = ({ path, body, answer }: AnsweredRequest): number =>
  path.length + (body.text ?? '').length + (answer.text ?? '').length;

const fittingText = (text: string): LoggedText => ({
  text: text.length > maxTextLength ? undefined : text,
  length: text.length,
});
