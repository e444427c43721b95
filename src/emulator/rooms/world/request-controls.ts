import { mask } from '../../../errors/index.js';
import { between, type Fields, optional, query, ref, string } from '../../../service/describe/define.js';
import { data, del } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import {
  type AnsweredRequest,
  type LoggedRequest,
  type LoggedText,
  loggedRequest,
  maxRequests,
  requestLog,
} from '../../server/request-log.js';
import { bodyWithoutSecrets, notShown, pathWithoutSecrets } from '../../server/without-secrets.js';
import { unprocessableField } from '../../world/refusal.js';
import type { World } from '../../world/world.js';

const requestFilter = query({
  /** Id of an operation, `organizations.create`, or the method of the client, `organizations.createOrganization`. */
  operation: optional(string),
  /** Status of the answer. */
  status: optional(between(100, 599)),
  /** Only those that came after the request with this id: where the last look ended. */
  after: optional(string),
  /** The most to list, the newest of them; default 1000, which is all there are. */
  limit: optional(between(1, maxRequests)),
});
/** Which requests to list; all that are remembered when nothing is said. */
export interface RequestFilter extends Readonly<Fields<typeof requestFilter>> {}

/** What reached the service, for whoever wants to see it. */
export const requestControls = {
  /**
   * List the newest requests, oldest first, at most 1,000; nothing secret is shown. Requests to controls and to the pages about the
   * emulator are not among them.
   *
   * @example
   * const [request] = emulator.requests.list({ operation: 'organizations.create' });
   * request?.status; // 201
   *
   * @throws {Refusal} 422 for an `after` that is no id of a request.
   */
  list: lookup(
    data('/_emulator/requests', { query: requestFilter, returns: ref<LoggedRequest>(loggedRequest) }),
    ({ world }, { operation: name, status, after, limit }: RequestFilter = {}) => {
      if (after && !after.startsWith('req_'))
        throw unprocessableField('after', 'invalid_value', 'must be the id of a request, which starts with req_');
      return world
        .of(requestLog)
        .requests.filter(
          ({ id, operation, status: answered }) =>
            (!name || operation?.id === name || operation?.client === name) &&
            (!status || answered === status) &&
            (!after || id > after),
        )
        .slice(-(limit ?? maxRequests))
        .map((request) => shown(world, request));
    },
  ),
  /** Forget all requests. */
  clear: control(del('/_emulator/requests', {}), ({ world }) => world.of(requestLog).clear()),
};

/** What reached the service, oldest first. */
export interface Requests extends Methods<typeof requestControls> {}

/** A request as a list of them shows it. */
export interface RequestSummary
  extends Pick<LoggedRequest, 'id' | 'at' | 'method' | 'path' | 'status' | 'durationMs' | 'clientMethod' | 'events'> {}

/** A request without its secrets, and without what was written and answered, which takes longer to read. */
export function summaryOf({ codec }: World, request: AnsweredRequest): RequestSummary {
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

/** A request without its secrets. */
export function shown(world: World, request: AnsweredRequest): LoggedRequest {
  const { status, operation, key, idempotencyKey, contentType } = request;
  const { codec } = world;
  const isForm = contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  const { id, at, method, path, durationMs, clientMethod, events } = summaryOf(world, request);
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
    events,
  };
}

/** The text to show, or null if nothing was sent. */
const textOf = ({ text, length }: LoggedText, clean: (text: string) => string): string | null => {
  if (length === 0) return null;
  return text === undefined ? notShown(length, 'too long to be shown') : clean(text);
};
