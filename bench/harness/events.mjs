// A fixed service on the loopback interface, in a separate process. It lists a number of events from the last minute, about a
// thousand users in turn.
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const pageSize = 100;
const file = fileURLToPath(import.meta.url);

/** Start the service with this many events. */
export async function startEvents(count) {
  const child = fork(file, [String(count)]);
  const url = await new Promise((resolve) => child.once('message', resolve));
  return { url, stop: () => child.kill() };
}

const idAt = (at) => `event_01HZX3V7Q8M2T4B6${String(at).padStart(10, '0')}`;

function eventAt(at, count, now) {
  const time = new Date(now - 60_000 + Math.floor((at * 60_000) / count)).toISOString();
  const number = String(at % 1_000).padStart(10, '0');
  const data = {
    object: 'directory_user',
    id: `directory_user_01HZX3V7Q8M2T4B6${number}`,
    directory_id: 'directory_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    organization_id: 'org_01HZX3V7Q8M2T4B6C8D0E2F4G6',
    idp_id: number,
    email: `user-${number}@acme.test`,
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: [{ primary: true, type: 'work', value: `user-${number}@acme.test` }],
    state: 'active',
    raw_attributes: {},
    custom_attributes: {},
    groups: [],
    created_at: time,
    updated_at: time,
  };
  return { object: 'event', id: idAt(at), event: 'dsync.user.updated', data, created_at: time, context: {} };
}

function serve(count) {
  const now = Date.now();
  const pages = [];
  for (let from = 0; from < count; from += pageSize) {
    const data = Array.from({ length: pageSize }, (_, at) => eventAt(from + at, count, now));
    const after = from + pageSize < count ? data.at(-1).id : null;
    pages.push(Buffer.from(JSON.stringify({ object: 'list', data, list_metadata: { after } })));
  }
  const none = Buffer.from(JSON.stringify({ object: 'list', data: [], list_metadata: { after: null } }));
  const newest = Buffer.from(
    JSON.stringify({ object: 'list', data: [eventAt(count - 1, count, now)], list_metadata: { after: null } }),
  );
  /** Build a page that starts at any event. */
  const pageBehind = (at) => {
    if (at % pageSize === 0) return pages[at / pageSize] ?? none;
    const data = Array.from({ length: Math.min(pageSize, count - at) }, (_, next) => eventAt(at + next, count, now));
    const after = at + pageSize < count ? data.at(-1).id : null;
    return Buffer.from(JSON.stringify({ object: 'list', data, list_metadata: { after } }));
  };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url, 'http://localhost');
    const after = searchParams.get('after');
    const body =
      searchParams.get('order') === 'desc' ? newest : pageBehind(after === null ? 0 : Number(after.slice(-10)) + 1);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
}

if (process.argv[1] === file) serve(Number(process.argv[2]));
