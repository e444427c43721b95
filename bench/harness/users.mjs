// A service in a separate process that lists users and the events of their changes. `POST /changes` changes users one after another,
// and `/dump` returns the id and the time of the last change of each.
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const pageSize = 100;
const file = fileURLToPath(import.meta.url);

/** Start the service with this many users and this delay before each page. */
export async function startUsers(count, { delayMs = 0 } = {}) {
  const child = fork(file, [String(count), String(delayMs)]);
  const url = await new Promise((resolve) => child.once('message', resolve));
  const ask = async (path, method = 'GET') => (await fetch(`${url}${path}`, { method })).json();
  return {
    url,
    /** Change a number of users. Returns the last event. */
    change: (changes) => ask(`/changes?count=${changes}`, 'POST'),
    /** Get the time of the last change of each user, by id. */
    dump: () => ask('/dump'),
    stop: () => child.kill(),
  };
}

const numbered = (prefix, number) => `${prefix}_01HZX3V7Q8M2T4B6${String(number).padStart(10, '0')}`;

function serve(count, delayMs) {
  const began = new Date().toISOString();
  const users = Array.from({ length: count }, (_, at) => ({
    object: 'user',
    id: numbered('user', at),
    email: `user-${at}@acme.test`,
    first_name: 'Ada',
    last_name: `Number ${at}`,
    email_verified: true,
    profile_picture_url: null,
    last_sign_in_at: null,
    external_id: `tenant-${at}`,
    locale: null,
    metadata: { plan: 'enterprise' },
    created_at: began,
    updated_at: began,
  }));
  const events = [];
  let changed = 0;
  const change = () => {
    const at = (changed++ * 7) % count;
    const time = new Date().toISOString();
    users[at] = { ...users[at], first_name: `Name ${changed}`, updated_at: time };
    const id = numbered('event', events.length);
    events.push({ object: 'event', id, event: 'user.updated', data: users[at], created_at: time, context: {} });
  };
  const pageOf = (list, from) => {
    const data = list.slice(from, from + pageSize);
    return { object: 'list', data, list_metadata: { after: from + pageSize < list.length ? data.at(-1).id : null } };
  };
  const eventsAt = (query) => {
    if (query.get('order') === 'desc') return { object: 'list', data: events.slice(-1), list_metadata: {} };
    const after = query.get('after');
    const since = query.get('range_start');
    if (after !== null) return pageOf(events, Number(after.slice(-10)) + 1);
    const first = since === null ? 0 : events.findIndex(({ created_at }) => created_at >= since);
    return pageOf(events, first < 0 ? events.length : first);
  };
  const answers = {
    '/changes': (query) => {
      for (let left = Number(query.get('count')); left > 0; left--) change();
      return events.at(-1);
    },
    '/dump': () => Object.fromEntries(users.map(({ id, updated_at }) => [id, updated_at])),
    '/events': eventsAt,
    '/user_management/users': (query) => {
      const after = query.get('after');
      return pageOf(users, after === null ? 0 : Number(after.slice(-10)) + 1);
    },
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answers[pathname](searchParams)));
    }, delayMs);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
}

if (process.argv[1] === file) serve(Number(process.argv[2]), Number(process.argv[3]));
