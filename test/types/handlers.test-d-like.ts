/**
 * What the compiler must say about handlers of events. Nothing here runs: `npm run typecheck` fails when a line no longer means
 * what it should, and when an `@ts-expect-error` has become unnecessary.
 */

import type { Database } from 'node-sqlite3-wasm';
import type { Event, Sallyport } from '../../src/index.js';
import { type EventHandler, exactlyOnce, follow, on, type StreamContext } from '../../src/streams/index.js';
import { webhookHandler } from '../../src/webhooks/index.js';

declare const sallyport: Sallyport;
declare const database: Database;
declare const event: Event;
declare const context: StreamContext;

// A handler of exactlyOnce needs no context, and accepts that of a stream or a webhook.
const once = exactlyOnce(database, {
  handler: on({ 'user.deleted': ({ data }, { tx }) => tx.run('DELETE FROM users WHERE id = ?', data.id) }),
});
const handled: Promise<void> = once.handle(event);
once.handle(event, context);
follow(sallyport).run(once.handle);
webhookHandler({ secret: 'whsec_1', client: sallyport, handler: once.handle });
void handled;

// A handler that does not use a context needs none.
const welcome = on({ 'user.created': ({ data }) => data.email });
welcome(event);
welcome(event, context);
follow(sallyport).run(welcome);
exactlyOnce(database, { handler: welcome });
webhookHandler({ secret: 'whsec_1', client: sallyport, handler: welcome });

// A handler that uses a context gets it from the stream and from any other caller.
const retried = on<StreamContext>({ 'user.created': (_, { attempt }) => attempt });
follow(sallyport).run(retried);
follow(sallyport).run(on({ 'user.created': (_, { attempt, signal }) => [attempt, signal.aborted] }));
follow(sallyport).run(async ({ id }, { attempt }) => void [id, attempt]);
retried(event, context);
const named: EventHandler<StreamContext> = retried;
const plain: (event: Event, context: StreamContext) => unknown = welcome;
void [named, plain];
// @ts-expect-error its context is missing
retried(event);
// @ts-expect-error an event of exactlyOnce may come without a signal
exactlyOnce(database, { handler: retried });
// @ts-expect-error a stream has no transaction
follow(sallyport).run(on<{ readonly tx: Database }>({ 'user.created': (_, { tx }) => tx.close() }));
