import { didYouMean } from '../../errors/nearest.js';
import { snakeCase } from '../../service/describe/codec.js';
import {
  between,
  body,
  boolean,
  type Fields,
  number,
  oneOf,
  optional,
  part,
  string,
  valueAs,
} from '../../service/describe/define.js';
import { eventNames } from '../../service/event-names.js';
import { operationNamed, operations } from '../../service/operations.js';
import { type Duration, millisecondsOf } from '../world/clock.js';
import { globOf } from '../world/glob.js';
import { unprocessableField } from '../world/refusal.js';

/** What goes wrong, described apart from where it does. */
const failure = {
  /** How many times; a fault without it stays until it is removed. */
  times: optional(between(1, 1_000_000)),
  /** Status of the answers, 400 to 599; default 503, unless something else says what goes wrong. */
  status: optional(between(400, 599)),
  /** Code in the answers; default `planned_failure`. */
  code: optional(string),
  /** `Retry-After` of the answers, in seconds. */
  retryAfterSeconds: optional(between(0, 86_400)),
  /**
   * The answers, deliveries or events come so much later by the emulator's clock: `5s`, `250ms`, or milliseconds. That is real time while
   * the clock runs; while it stands, until it is moved.
   */
  delay: optional(valueAs<Duration>()),
  /** No answer comes at all; whoever waits has to give up. */
  never: optional(boolean),
  /** The connection breaks: before the answer (`reset`), or in the middle of its body (`cut`). */
  connection: optional(oneOf('reset', 'cut')),
  /** The answer's body ends too early (`truncated`), is a page of HTML as a proxy writes it (`html`), or is missing (`empty`). */
  body: optional(oneOf('truncated', 'html', 'empty')),
  /** `Content-Type` of the answer, whatever its body is. */
  contentType: optional(string),
  /** The body comes in pieces, the last of them so much later by the emulator's clock: `30s`. */
  drip: optional(valueAs<Duration>()),
  /** Whether the requests are carried out all the same, so that only the answers are lost; by default where the answer is the real one. */
  carriedOut: optional(boolean),
};

export const plannedFailure = body(failure);
/** How the next answers of an operation fail; with nothing said, one answer with status 503. */
export interface PlannedFailure extends Readonly<Fields<typeof plannedFailure>> {}

export const fault = body({
  /** What goes wrong: `answers` to requests (default), `events` that become visible, `webhooks` that are delivered. */
  of: optional(oneOf('answers', 'events', 'webhooks')),
  /**
   * Operation whose answers go wrong, by its id, `organizations.create`, or by the method of the client,
   * `organizations.createOrganization`; by default all of them.
   */
  operation: optional(string),
  /** Path of the requests, pages included; a star stands for any text: `/organizations/*`, `/user_management/authorize`. */
  path: optional(string),
  /** Type of the events or webhooks, such as `dsync.user.updated`; by default all of them. */
  event: optional(string),
  /** The share that goes wrong, above 0 to 1: with 0.25 every fourth does. All of them by default. */
  share: optional(number),
  /** How often a webhook is delivered; default 1. */
  copies: optional(between(1, 100)),
  ...failure,
});
/** Something that goes wrong, on purpose. */
export interface Fault extends Fields<typeof fault> {}

export const activeFault = part({
  /** Unique id, prefix `fault_`. */
  id: string,
  ...fault.shape,
});
/** A fault under way; `times` says how often it is still to happen. */
export interface ActiveFault extends Readonly<Fields<typeof activeFault>> {}

/** Stands for all operations. */
export const anyOperation = '*';

/** A fault that has been checked, as it is carried out. */
export interface CheckedFault {
  readonly fault: Fault;
  readonly share: number;
  readonly delayMs: number;
  readonly dripMs: number;
  /** Whether it is for a request. A page has no operation, and is found by its path alone. */
  fits(operation: string | undefined, path: string): boolean;
}

const onlyAnswers = [
  'operation',
  'path',
  'status',
  'code',
  'retryAfterSeconds',
  'never',
  'connection',
  'body',
  'contentType',
  'drip',
  'carriedOut',
] as const satisfies readonly (keyof Fault)[];

/** Check a fault. @throws {Refusal} 422 for what contradicts itself, and for an operation that does not exist. */
export function checkedFault(fault: Fault): CheckedFault {
  const { of = 'answers', operation = anyOperation, share = 1 } = fault;
  const operationId = operationNamed(operation)?.id;
  if (operation !== anyOperation && operationId === undefined)
    throw unprocessableField(
      'operation',
      'invalid_value',
      `must be the id of an operation, such as organizations.create, or a method of the client, or *${didYouMean(
        operation,
        Object.values(operations).flatMap(({ id, client }) => [id, client]),
      )}`,
    );
  const { event, path, contentType } = fault;
  if (event !== undefined && !(eventNames as readonly string[]).includes(event))
    throw unprocessableField(
      'event',
      'invalid_value',
      `must be the type of an event, such as user.created${didYouMean(event, eventNames)}`,
    );
  if (path !== undefined && !/^[/*]/.test(path))
    throw unprocessableField('path', 'invalid_value', 'must begin with a slash or a star, such as /organizations/*');
  if (contentType !== undefined && /\p{Cc}/u.test(contentType))
    throw unprocessableField('content_type', 'invalid_value', 'must be a content type, such as text/html');
  if (!(share > 0 && share <= 1)) throw unprocessableField('share', 'out_of_range', 'must be above 0 and at most 1');
  const foreign =
    of === 'answers'
      ? (['event', 'copies'] as const).find((field) => fault[field] !== undefined)
      : onlyAnswers.find((field) => fault[field] !== undefined);
  if (foreign)
    throw unprocessableField(snakeCase(foreign), 'mutually_exclusive', `must be left out of a fault of ${of}`);
  if (of === 'events' && fault.copies !== undefined)
    throw unprocessableField('copies', 'mutually_exclusive', 'must be left out of a fault of events');
  if (of !== 'answers' && fault.delay === undefined && fault.copies === undefined)
    throw unprocessableField('delay', 'required', 'is required: say how late they are');
  refuseContradiction(fault);
  const pattern = fault.path === undefined ? undefined : globOf(fault.path);
  return {
    fault,
    share,
    delayMs: durationOf('delay', fault.delay),
    dripMs: durationOf('drip', fault.drip),
    fits: (one, path) =>
      (operation === anyOperation || operationId === one) && (pattern?.test(path) ?? one !== undefined),
  };
}

function refuseContradiction({ never, delay, status, code, retryAfterSeconds, connection, body, drip }: Fault): void {
  const described = delay ?? status ?? code ?? retryAfterSeconds ?? connection ?? body ?? drip;
  if (never && described !== undefined)
    throw unprocessableField('never', 'mutually_exclusive', 'must be left out where an answer is described');
  if (connection === 'reset' && (status ?? code ?? retryAfterSeconds ?? body ?? drip) !== undefined)
    throw unprocessableField('connection', 'mutually_exclusive', 'must not be reset where an answer is described');
}

function durationOf(field: string, duration: Duration | undefined): number {
  try {
    return duration === undefined ? 0 : millisecondsOf(duration);
  } catch {
    throw unprocessableField(field, 'invalid_value', "must be milliseconds, or a text such as '5s' or '250ms'");
  }
}
