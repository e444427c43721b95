// A fixed service on the loopback interface, in a separate process. It returns one organization for single objects, and pages of
// a hundred for lists. All peers read their fields from the same bodies.
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { organizationAt } from './organizations.mjs';

const pageSize = 100;
const file = fileURLToPath(import.meta.url);

/** Start the service with this many records and this delay before each page. */
export async function startService({ records = 10_000, delayMs = 0 } = {}) {
  const child = fork(file, [String(records), String(delayMs)]);
  const nextMessage = () => new Promise((resolve) => child.once('message', resolve));
  const { url } = await nextMessage();
  return {
    url,
    /** Get the number of requests and the milliseconds of CPU time since the last call. */
    usage() {
      const answer = nextMessage();
      child.send('usage');
      return answer;
    },
    stop: () => child.kill(),
  };
}

function serve(records, delayMs) {
  const one = Buffer.from(JSON.stringify(organizationAt(0)));
  const pages = [];
  for (let from = 0; from < records; from += pageSize) {
    const to = Math.min(from + pageSize, records);
    const data = Array.from({ length: to - from }, (_, at) => organizationAt(from + at));
    const more = to < records;
    const last = data.at(-1).id;
    const cursors = { before: from > 0 ? data[0].id : null, after: more ? last : null };
    pages.push(Buffer.from(JSON.stringify({ object: 'list', data, has_more: more, list_metadata: cursors })));
  }
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const send = (body) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    };
    if (request.method === 'POST' || !/\/(organizations|customers|jobs)$/.test(pathname)) return send(one);
    const cursor = searchParams.get('after') ?? searchParams.get('starting_after');
    const page = pages[cursor === null ? 0 : (Number(cursor.slice(-8)) + 1) / pageSize];
    setTimeout(send, delayMs, page);
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
  let before = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(before);
    process.send({ requests, cpuMs: (user + system) / 1000 });
    before = process.cpuUsage();
    requests = 0;
  });
}

if (process.argv[1] === file) serve(Number(process.argv[2]), Number(process.argv[3]));
