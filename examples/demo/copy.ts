import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sqlite from 'node-sqlite3-wasm';
import type { Event, Sallyport } from 'sallyport';
import { type ApplyOutcome, exactlyOnce, follow } from 'sallyport/streams';
import { receive } from 'sallyport/webhooks';

/** Outcomes of the events that one run of the application received, by transport. */
type Counts = Readonly<Record<'stream' | 'webhook', Record<ApplyOutcome, number>>>;

/** An application that keeps a copy of all users in SQLite. It receives the same events from webhooks and from a stream. */
export interface Copy {
  /** URL of its webhook endpoint. */
  readonly url: string;
  readonly counts: Counts;
  /** Ids of the events that the stream delivered. */
  readonly streamed: ReadonlySet<string>;
  /** Email addresses in the copy. */
  emails(): string[];
  /** Number of writes by the handler, and of distinct events among them. */
  writes(): { readonly all: number; readonly events: number };
  /** The health of the stream in one line. */
  health(): string;
  /** Stop the application. Its state stays in the file. */
  close(): Promise<void>;
}

/** Start the application with its database file. It continues where the previous run stopped. */
export async function openCopy(
  client: Sallyport,
  { file, port = 0, secret }: { readonly file: string; readonly port?: number; readonly secret: () => string },
): Promise<Copy> {
  const database = new sqlite.Database(file);
  database.exec('CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, email TEXT, name TEXT)');
  database.exec('CREATE TABLE IF NOT EXISTS writes (event TEXT)');

  // The handler's write and the record of the applied event share one transaction.
  const once = exactlyOnce(database, {
    handler: (event, { tx }) => {
      tx.run('INSERT INTO writes VALUES (?)', [event.id]);
      if (event.event === 'user.deleted') tx.run('DELETE FROM people WHERE id = ?', [event.data.id]);
      // An update may arrive before the creation, so both save the user.
      if (event.event === 'user.created' || event.event === 'user.updated')
        tx.run('INSERT OR REPLACE INTO people VALUES (?, ?, ?)', [
          event.data.id,
          event.data.email,
          event.data.lastName,
        ]);
    },
  });
  await once.setUp();

  const zero = { applied: 0, duplicate: 0, superseded: 0, dead_letter: 0 };
  const counts: Counts = { stream: { ...zero }, webhook: { ...zero } };
  const streamed = new Set<string>();
  const applyFrom = (transport: keyof Counts) => async (event: Event) => {
    counts[transport][await once.apply(event)] += 1;
    if (transport === 'stream') streamed.add(event.id);
  };

  const stream = follow(client, {
    events: ['user.created', 'user.updated', 'user.deleted'],
    checkpoint: once.checkpoint('people'),
    overlapMs: 5_000, // events may be listed this late
    pollMs: 250,
  });
  const running = stream.run(applyFrom('stream'));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { httpStatus, text } = await receive(request, { secret: secret(), client, handler: applyFrom('webhook') });
    response.writeHead(httpStatus).end(text);
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
