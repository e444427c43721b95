import type { Answer } from './answer.js';
import { errorPage } from './error-page.js';
import type { PageExchange, PageRoute } from './router.js';
import { Visitor } from './visitor.js';

/** Serve a page to a browser. Forms are accepted only from the browser that they were shown to. */
export async function servePage(
  { method, handler }: PageRoute,
  exchange: Omit<PageExchange, 'visitor'>,
): Promise<Answer> {
  const visitor = new Visitor(exchange.request);
  if (method !== 'GET' && !visitor.hasFormToken(exchange.body))
    return errorPage(
      403,
      'This form is not valid',
      'It was opened in another browser, or this browser has lost its cookies. Go back, reload the page and fill in the form again. If this happens again, allow this address to set cookies.',
    );
  const answer = await handler({ ...exchange, visitor });
  return answer.with(visitor.headers);
}
