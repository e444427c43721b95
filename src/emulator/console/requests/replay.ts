import { redirect } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { type Html, html } from '../../http/html.js';
import type { PageExchange, RoomPart } from '../../http/router.js';
import { formTokenField } from '../../http/visitor.js';
import { type AnsweredRequest, requestLog } from '../../rooms/requests/request-log.js';
import { at, home } from '../layout.js';

const path = `${home}/requests/:id/again`;
/** Field name of the button that sends the request without its idempotency key. */
const freshField = 'fresh';
/** Maximum time to wait for a response that a fault delays. */
const timeoutMs = 10_000;

/** Explain why a request cannot be replayed. Returns undefined if it can. */
function replayProblem({ operation, body }: AnsweredRequest): string | undefined {
  if (!operation || operation.kind === 'url')
    return 'A browser sent it with its cookies, which are not stored, or its path is unknown.';
  return body.text === undefined ? 'Its body was too long to be stored.' : undefined;
}

/** Replays logged requests. */
export const replay: RoomPart = {
  routes(router) {
    router.page('POST', path, async (exchange) => {
      const { memory, params, body, request, send } = exchange;
      const before = memory.of(requestLog).requests.find(({ id }) => id === params.id);
      if (!before) return errorPage(404, 'Not found', 'This request is not in the log. It may have been dropped.');
      const reason = replayProblem(before);
      if (reason) return errorPage(409, 'This request cannot be replayed', reason);
      const isFresh = Object.hasOwn((body ?? {}) as object, freshField);
      const answer = await send(copyOf(before, new URL(request.url).origin, isFresh));
      return redirect(at(exchange, `${home}/requests/${answer.headers.get('x-request-id')}`), 303);
    });
  },
};

function copyOf(before: AnsweredRequest, origin: string, isFresh: boolean): Request {
  const { method, path, body, authorization, contentType, idempotencyKey } = before;
  const headers = Object.entries({
    authorization,
    'content-type': contentType,
    'idempotency-key': isFresh ? null : idempotencyKey,
  }).filter((header): header is [string, string] => header[1] !== null);
  return new Request(origin + path, {
    method,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body.text ? { body: body.text } : {}),
  });
}

/** Render the buttons that replay a request. */
export function replayForm(exchange: PageExchange, request: AnsweredRequest): Html {
  const reason = replayProblem(request);
  if (reason) return html`<p class="none">This request cannot be replayed. ${reason}</p>`;
  const { idempotencyKey, id } = request;
  return html`<form class="action" method="post" action="${at(exchange, path.replace(':id', id))}">
<input type="hidden" name="${formTokenField}" value="${exchange.visitor.formToken}">
<button type="submit">Send again</button>
${idempotencyKey === null ? undefined : html`<button type="submit" class="second" name="${freshField}" value="yes">Send as a new request</button>`}
</form>
${
  idempotencyKey === null
    ? undefined
    : html`<p class="hint">With the same idempotency key, the emulator repeats its first response for 24 hours and changes nothing. A new request has no idempotency key.</p>`
}`;
}
