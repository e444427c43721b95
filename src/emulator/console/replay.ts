import { redirect } from '../server/answer.js';
import { errorPage } from '../server/error-page.js';
import { type Html, html } from '../server/html.js';
import { type AnsweredRequest, requestLog } from '../server/request-log.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { formTokenField } from '../server/visitor.js';
import { at, home } from './frame.js';

const path = `${home}/requests/:id/again`;
/** Name of the button that leaves the idempotency key out. */
const freshField = 'fresh';
/** How long an answer may take that a fault holds back. */
const longestMs = 10_000;

/** Why a request cannot be sent again, or undefined if it can. Its secrets are remembered, but never shown. */
function whyNot({ operation, body }: AnsweredRequest): string | undefined {
  if (!operation || operation.kind === 'url')
    return 'A browser sent it with its cookies, which are not remembered, or there is nothing at its address.';
  return body.text === undefined ? 'Its body was too long to be remembered.' : undefined;
}

/** Sends requests again that have come before. */
export const replay: RoomPart = {
  routes(router) {
    router.page('POST', path, async (exchange) => {
      const { world, params, body, request, send } = exchange;
      const before = world.of(requestLog).requests.find(({ id }) => id === params.id);
      if (!before) return errorPage(404, 'Nothing here', 'The emulator does not remember this request, or no longer.');
      const reason = whyNot(before);
      if (reason) return errorPage(409, 'It cannot be sent again', reason);
      const isFresh = Object.hasOwn((body ?? {}) as object, freshField);
      const answer = await send(again(before, new URL(request.url).origin, isFresh));
      return redirect(at(exchange, `${home}/requests/${answer.headers.get('x-request-id')}`), 303);
    });
  },
};

function again(before: AnsweredRequest, origin: string, isFresh: boolean): Request {
  const { method, path, body, authorization, contentType, idempotencyKey } = before;
  const headers = Object.entries({
    authorization,
    'content-type': contentType,
    'idempotency-key': isFresh ? null : idempotencyKey,
  }).filter((header): header is [string, string] => header[1] !== null);
  return new Request(origin + path, {
    method,
    headers,
    signal: AbortSignal.timeout(longestMs),
    ...(body.text ? { body: body.text } : {}),
  });
}

/** The buttons that send a request again. */
export function replayForm(exchange: PageExchange, request: AnsweredRequest): Html {
  const reason = whyNot(request);
  if (reason) return html`<p class="none">It cannot be sent again from here. ${reason}</p>`;
  const { idempotencyKey, id } = request;
  return html`<form class="action" method="post" action="${at(exchange, path.replace(':id', id))}">
<input type="hidden" name="${formTokenField}" value="${exchange.visitor.formToken}">
<button type="submit">Send again</button>
${idempotencyKey === null ? undefined : html`<button type="submit" class="second" name="${freshField}" value="yes">Send as a new request</button>`}
</form>
${
  idempotencyKey === null
    ? undefined
    : html`<p class="hint">With its idempotency key the emulator answers as it did before and changes nothing, for 24 hours. As a new request it goes without.</p>`
}`;
}
