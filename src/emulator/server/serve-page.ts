import type { Answer } from './answer.js';
import { errorPage } from './error-page.js';
import type { PageExchange, PageRoute } from './router.js';
import { Visitor } from './visitor.js';

/** Serve a page to a browser. A form is taken from the browser that it was shown to, and from no other. */
export async function servePage(
  { method, handler }: PageRoute,
  exchange: Omit<PageExchange, 'visitor'>,
): Promise<Answer> {
  const visitor = new Visitor(exchange.request);
  if (method !== 'GET' && !visitor.wasShown(exchange.body))
    return errorPage(
      403,
      'This form cannot be taken',
      'It was not shown to this browser, or the browser has lost its cookies since. Go back, load the page again and fill it in once more. If that does not help, let this address set cookies.',
    );
  const answer = await handler({ ...exchange, visitor });
  return answer.with(visitor.headers);
}
