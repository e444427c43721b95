import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sqlite from 'node-sqlite3-wasm';
import type { Event, Sallyport } from 'sallyport';
import { type ApplyOutcome, exactlyOnce, follow } from 'sallyport/streams';
import { receive } from 'sallyport/webhooks';

/** What came of the events that one run of the application was given, by the way they came. */
type Counts = Readonly<Record<'stream' | 'webhook', Record<ApplyOutcome, number>>>;

/** An application that has a copy of the service's users in SQLite: webhooks and a stream bring it the same events. */
export interface Copy {
  /** Where it takes webhooks. */
  readonly url: string;
  readonly counts: Counts;
  /** The ids of the events that the stream gave. */
  readonly streamed: ReadonlySet<string>;
  /** The addresses in the copy. */
  emails(): string[];
  /** How often a handler wrote, and about how many events. */
  writes(): { readonly all: number; readonly events: number };
  /** How the stream is doing, in one line. */
  health(): string;
  /** End the application. What it knows is in the file. */
  close(): Promise<void>;
}

/** Starts the application on its file; one that was there before goes on where it ended. */
export async function openCopy(
  client: Sallyport,
  { file, port = 0, secret }: { readonly file: string; readonly port?: number; readonly secret: () => string },
): Promise<Copy> {
  const database = new sqlite.Database(file);
  database.exec('CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, email TEXT, name TEXT)');
  database.exec('CREATE TABLE IF NOT EXISTS writes (event TEXT)');

  // What a handler writes stands together with the note that its event was applied, or neither does.
  const once = exactlyOnce(database, {
    handler: (event, { tx }) => {
      tx.run('INSERT INTO writes VALUES (?)', [event.id]);
      if (event.event === 'user.deleted') tx.run('DELETE FROM people WHERE id = ?', [event.data.id]);
      // An update may come before the creation, so both save the user.
      if (event.event === 'user.created' || event.event === 'user.updated')
        tx.run('INSERT OR REPLACE INTO people VALUES (?, ?, ?)', [
          event.data.id,
          event.data.email,
          event.data.lastName,
        ]);
    },
  });
  await once.setUp();

  const none = { applied: 0, duplicate: 0, superseded: 0, dead_letter: 0 };
  const counts: Counts = { stream: { ...none }, webhook: { ...none } };
  const streamed = new Set<string>();
  const applyFrom = (way: keyof Counts) => async (event: Event) => {
    counts[way][await once.apply(event)] += 1;
    if (way === 'stream') streamed.add(event.id);
  };

  const stream = follow(client, {
    types: ['user.created', 'user.updated', 'user.deleted'],
    checkpoint: once.checkpoint('people'),
    overlapMs: 5_000, // how late events may appear
    pollMs: 250,
  });
  const running = stream.run(applyFrom('stream'));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, text } = await receive(request, { secrets: secret(), client, handler: applyFrom('webhook') });
    response.writeHead(status).end(text);
    stream.poke();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    counts,
    streamed,
    emails: () => database.all('SELECT email FROM people ORDER BY email').map(({ email }) => String(email)),
    writes() {
      const row = database.get('SELECT count(*) AS all_writes, count(DISTINCT event) AS events FROM writes');
      return { all: Number(row?.all_writes), events: Number(row?.events) };
    },
    health: () => stream.health().line,
    async close() {
      server.close();
      server.closeAllConnections();
      await stream.close();
      await running;
      database.close();
    },
  };
}
