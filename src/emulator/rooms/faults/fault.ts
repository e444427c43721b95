import { didYouMean } from '../../../errors/nearest.js';
import { snakeCase } from '../../../service/describe/codec.js';
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
} from '../../../service/describe/define.js';
import { eventNames } from '../../../service/events/names.js';
import { operationNamed, operations } from '../../../service/operations.js';
import { globOf } from '../../store/glob.js';
import { unprocessableField } from '../../store/refusal.js';
import { type Duration, millisecondsOf } from '../../world/clock.js';

/** Fields that describe the failure itself, not the requests or events it applies to. */
const failure = {
  /** Number of times the fault happens; without limit by default. */
  times: optional(between(1, 1_000_000)),
  /** Status of the response, 400 to 599; default 503, unless another field describes the failure. */
  status: optional(between(400, 599)),
  /** Error code in the response; default `planned_failure`. */
  code: optional(string),
  /** `Retry-After` of the response in milliseconds. The header has whole seconds, rounded up. */
  retryAfterMs: optional(between(0, 86_400_000)),
  /**
   * Delay of the responses, deliveries or events: `5s`, `250ms`, or milliseconds. It is measured by the emulator's clock: if you
   * set that clock, advance it to end the delay.
   */
  delay: optional(valueAs<Duration>()),
  /** Whether the request is never answered, so that the caller has to time out. */
  never: optional(boolean),
  /** Breaks the connection: before the response (`reset`), or in the middle of its body (`cut`). */
  connection: optional(oneOf('reset', 'cut')),
  /** Replaces the body: cut short (`truncated`), an HTML error page like that of a proxy (`html`), or none (`empty`). */
  body: optional(oneOf('truncated', 'html', 'empty')),
  /** `Content-Type` of the response, even if its body is of another type. */
  contentType: optional(string),
  /** Sends the body in pieces over this time, by the emulator's clock: `30s`. */
  drip: optional(valueAs<Duration>()),
  /** Whether the operation runs anyway, so that only its response is lost. Default: true if the real response is sent, late or broken. */
  carriedOut: optional(boolean),
};

export const answerFailure = body(failure);
/** A planned failure of the next responses of an operation. Without any field, one response fails with status 503. */
export interface PlannedFailure extends Readonly<Fields<typeof answerFailure>> {}

export const fault = body({
  /** What the fault applies to: `answers` to requests (default), `events` in lists, or deliveries of `webhooks`. */
  of: optional(oneOf('answers', 'events', 'webhooks')),
  /**
   * Operation that fails: its id, such as `organizations.create`, or the client's method, such as `organizations.createOrganization`.
   * Default: all operations.
   */
  operation: optional(string),
  /** Path of the requests that fail, pages included: `/organizations/*`, `/user_management/authorize`. A star matches any text. */
  path: optional(string),
  /** Type of the events or webhooks, such as `dsync.user.updated`; default all types. */
  event: optional(string),
  /** Share of requests or events that fail, above 0 and at most 1: with 0.25, every fourth. Default 1. */
  share: optional(number),
  /** Number of times each webhook is delivered; default 1. */
  copies: optional(between(1, 100)),
  ...failure,
});
/** A planned failure of responses, events or webhooks. */
export interface Fault extends Fields<typeof fault> {}

export const activeFault = part({
  /** Unique id, prefix `fault_`. */
  id: string,
  ...fault.shape,
});
/** An active fault. `times` is the number of times left. */
export interface ActiveFault extends Readonly<Fields<typeof activeFault>> {}

/** Matches all operations. */
const anyOperation = '*';

/** A checked fault, with its defaults. */
export interface CheckedFault {
  readonly fault: Fault;
  readonly share: number;
  readonly delayMs: number;
  readonly dripMs: number;
  /** Whether the fault applies to a request. Pages have no operation, so only a path can match them. */
  fits(operation: string | undefined, path: string): boolean;
}

const answerFields = [
  'operation',
  'path',
  'status',
  'code',
  'retryAfterMs',
  'never',
  'connection',
  'body',
  'contentType',
  'drip',
  'carriedOut',
] as const satisfies readonly (keyof Fault)[];

/** Check a fault. @throws {EmulatorRefusal} 422 if its fields contradict each other, or its operation or event does not exist. */
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
  const misplaced =
    of === 'answers'
      ? (['event', 'copies'] as const).find((field) => fault[field] !== undefined)
      : answerFields.find((field) => fault[field] !== undefined);
  if (misplaced) throw unprocessableField(snakeCase(misplaced), 'mutually_exclusive', `must be left out for ${of}`);
  if (of === 'events' && fault.copies !== undefined)
    throw unprocessableField('copies', 'mutually_exclusive', 'must be left out for events');
  if (of !== 'answers' && fault.delay === undefined && fault.copies === undefined)
    throw unprocessableField('delay', 'required', 'is required for events and webhooks, such as 5s');
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

function refuseContradiction({ never, delay, status, code, retryAfterMs, connection, body, drip }: Fault): void {
  const described = delay ?? status ?? code ?? retryAfterMs ?? connection ?? body ?? drip;
  if (never && described !== undefined)
    throw unprocessableField('never', 'mutually_exclusive', 'must be left out if the fault describes a response');
  if (connection === 'reset' && (status ?? code ?? retryAfterMs ?? body ?? drip) !== undefined)
    throw unprocessableField('connection', 'mutually_exclusive', 'must not be reset if the fault describes a response');
}

function durationOf(field: string, duration: Duration | undefined): number {
  try {
    return duration === undefined ? 0 : millisecondsOf(duration);
  } catch {
    throw unprocessableField(field, 'invalid_value', "must be milliseconds or a string such as '5s' or '250ms'");
  }
}
