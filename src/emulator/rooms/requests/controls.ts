import { mask } from '../../../errors/index.js';
import { between, type Fields, optional, query, ref, string } from '../../../service/describe/define.js';
import { data, del } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../http/control.js';
import { unprocessableField } from '../../store/refusal.js';
import type { Memory } from '../../world/memory.js';
import {
  type AnsweredRequest,
  type LoggedRequest,
  type LoggedText,
  loggedRequest,
  maxRequests,
  requestLog,
} from './request-log.js';
import { bodyWithoutSecrets, hiddenBody, nameWithoutSecrets, pathWithoutSecrets } from './without-secrets.js';

const requestFilter = query({
  /** Operation id, such as `organizations.create`, or client method, such as `organizations.createOrganization`. */
  operation: optional(string),
  /** Status of the response. */
  status: optional(between(100, 599)),
  /** List only requests after the one with this id. */
  after: optional(string),
  /** Maximum number of requests to list; the newest are listed. Default: 1000, the number that the emulator keeps. */
  limit: optional(between(1, maxRequests)),
});
/** Filter for requests; lists all by default. */
export interface RequestFilter extends Readonly<Fields<typeof requestFilter>> {}

/** The newest requests to the service. */
export const requestControls = {
  /**
   * List the newest requests, at most 1,000, oldest first. Secrets are redacted. Requests to controls and to the emulator's
   * console are not recorded.
   *
   * @example
   * const [request] = emulator.requests.list({ operation: 'organizations.create' });
   * request?.status; // 201
   *
   * @throws {EmulatorRefusal} 422 if `after` is not a request id.
   */
  list: lookup(
    data('/_emulator/requests', { query: requestFilter, returns: ref<LoggedRequest>(loggedRequest) }),
    ({ memory }, filter: RequestFilter = {}) => {
      const { operation: name, status, after, limit } = filter;
      if (after && !after.startsWith('req_'))
        throw unprocessableField('after', 'invalid_value', 'must be the id of a request, which starts with req_');
      return memory
        .of(requestLog)
        .requests.filter(
          ({ id, operation, status: actualStatus }) =>
            (!name || operation?.id === name || operation?.client === name) &&
            (!status || actualStatus === status) &&
            (!after || id > after),
        )
        .slice(-(limit ?? maxRequests))
        .map((request) => redactedRequest(memory, request));
    },
  ),
  /** Delete all requests. */
  clear: control(del('/_emulator/requests', {}), ({ memory }) => memory.of(requestLog).clear()),
};

/** The newest requests to the service. */
export interface Requests extends Methods<typeof requestControls> {}

/** The summary of a request, as shown in lists. */
export interface RequestSummary
  extends Pick<LoggedRequest, 'id' | 'at' | 'method' | 'path' | 'status' | 'durationMs' | 'clientMethod' | 'events'> {}

/** Summarize a request. The summary has no bodies, because redacting them takes longer. */
export function summaryOf({ codec }: Memory, request: AnsweredRequest): RequestSummary {
  const { id, method, status, durationMs, operation, events } = request;
  return {
    id,
    at: new Date(request.at).toISOString(),
    method,
    path: pathWithoutSecrets(codec, request.path, operation?.path),
    status,
    durationMs: Math.round(durationMs * 100) / 100,
    clientMethod: operation?.client ?? null,
    events: [...events],
  };
}

/** Copy a request without its secrets. */
export function redactedRequest(memory: Memory, request: AnsweredRequest): LoggedRequest {
  const { status, operation, key, idempotencyKey, contentType, ignoredFields } = request;
  const { codec } = memory;
  const isForm = contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  const { id, at, method, path, durationMs, clientMethod, events } = summaryOf(memory, request);
  return {
    id,
    at,
    method,
    path,
    status,
    durationMs,
    operation: operation?.id ?? null,
    clientMethod,
    apiKey: key ? mask(key.value) : null,
    idempotencyKey,
    requestBody: textOf(request.body, (text) => bodyWithoutSecrets(codec, text, { isForm })),
    responseBody: textOf(request.answer, (text) => bodyWithoutSecrets(codec, text, { isRefusal: status >= 400 })),
    location: request.location === undefined ? null : pathWithoutSecrets(codec, request.location),
    ignoredFields: ignoredFields.map(nameWithoutSecrets),
    events,
  };
}

/** Return the redacted body, or null if it is empty. */
const textOf = ({ text, length }: LoggedText, redact: (text: string) => string): string | null => {
  if (length === 0) return null;
  return text === undefined ? hiddenBody(length, 'too long to be shown') : redact(text);
};
