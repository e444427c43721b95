// The emulator: requests per second over HTTP and in process, memory and time with 20,000 users, and startup time.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { seedOf, startEmulator } from './harness/emulator-process.mjs';
import { report } from './harness/report.mjs';
import { startService } from './harness/service.mjs';
import { built, ensureBuilt, load, loadSource } from './harness/subject.mjs';
import { difference, quick, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const { createEmulator } = await load('emulator.js');
const figures = {};
const tables = [];

const users = 20_000;
const newOrganization = JSON.stringify({ name: 'Acme', domain_data: [], metadata: { plan: 'enterprise' } });
const requests = {
  'get an organization': { method: 'GET', path: '/organizations/org_bench' },
  'list 100 directory users': { method: 'GET', path: '/directory_users?directory=directory_bench&limit=100' },
  'create an organization': { method: 'POST', path: '/organizations', body: newOrganization },
};
const headersOf = (apiKey, body) => ({
  authorization: `Bearer ${apiKey}`,
  ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
});

// Send sixteen requests at a time over HTTP, with Node's own client, which has the least overhead.
const atOnce = 16;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const send = (url, { method, path, body }, apiKey) =>
  new Promise((resolve, reject) => {
    const outgoing = request(url + path, { method, agent, headers: headersOf(apiKey, body) }, (response) => {
      response.on('end', () =>
        response.statusCode < 300 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      );
      response.on('error', reject).resume();
    });
    outgoing.on('error', reject).end(body);
  });
const manyOf = async (count, work) => {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};
/** Send requests to a server in another process, and measure the CPU time of that process. */
const served = (server, usage, what, apiKey, count) => async () => {
  await usage();
  const { wallMs } = await timed(() => manyOf(count, () => send(server, what, apiKey)));
  return { wallMs, cpuMs: await usage() };
};

const emulator = startEmulator();
const empty = await emulator.start(0);
const full = await emulator.start(users);
const { apiKey } = full.credentials;
const service = await startService({ records: 100 });
const serviceCpu = async () => (await service.usage()).cpuMs;

const counts = quick ? { one: 300, page: 60 } : { one: 2000, page: 400 };
const countOf = (name) => (name.startsWith('list') || name.endsWith('page') ? counts.page : counts.one);
const floors = {
  'node:http only, a fixed organization': requests['get an organization'],
  'node:http only, a fixed page': { method: 'GET', path: '/organizations?limit=100' },
};
const overHttp = {};
for (const [name, what] of Object.entries(requests))
  overHttp[name] = served(full.url, emulator.usage, what, apiKey, countOf(name));
for (const [name, what] of Object.entries(floors))
  overHttp[name] = served(service.url, serviceCpu, what, apiKey, countOf(name));

const inProcess = await createEmulator({ seed: seedOf(users) });
const fetched =
  ({ method, path, body }, count) =>
  () =>
    timed(async () => {
      for (let done = 0; done < count; done++) {
        const init = { method, headers: headersOf(apiKey, body), ...(body && { body }) };
        const response = await inProcess.fetch(new Request(inProcess.url + path, init));
        if (!response.ok) throw new Error(`${path} returned ${response.status}`);
        await response.text();
      }
    });
const within = Object.fromEntries(Object.entries(requests).map(([name, what]) => [name, fetched(what, countOf(name))]));

const turns = quick ? { rounds: 2, warmUp: 1 } : { rounds: 9, warmUp: 2 };
for (const [title, contenders] of [
  ['Over HTTP, 16 requests at a time; CPU of the server process', overHttp],
  ['In process, one request at a time; CPU includes Request, Response and reading the text', within],
]) {
  const samples = await takeTurns(contenders, turns);
  const rows = Object.keys(contenders).map((name) => [
    name,
    countOf(name) / (typical(samples, name, 'wallMs') / 1000),
    (typical(samples, name, 'cpuMs') / countOf(name)) * 1000,
  ]);
  tables.push({
    title,
    columns: [
      ['requests per second', 0],
      ['CPU us per request', 0],
    ],
    rows,
  });
  const kind = contenders === overHttp ? 'http' : 'process';
  if (kind === 'http') {
    const perSecond = Object.fromEntries(rows);
    const [object, page] = Object.keys(floors);
    figures['emulator.object'] = perSecond['get an organization'] / perSecond[object];
    figures['emulator.create'] = perSecond['create an organization'] / perSecond[object];
    figures['emulator.page'] = perSecond['list 100 directory users'] / perSecond[page];
  }
  for (const [name, perSecond] of rows) figures[`emulator.${kind}.${name}`] = perSecond;
}

// List all users with the client.
const walk = (options) => async () => {
  const client = new Sallyport(options);
  let seen = 0;
  const sample = await timed(async () => {
    for await (const _ of client.directorySync.listUsers({ directory: 'directory_bench' })) seen += 1;
  });
  if (seen !== users) throw new Error(`The client saw ${seen} of ${users} users`);
  return sample;
};
const walks = await takeTurns(
  {
    http: walk({ ...full.credentials }),
    process: walk({ ...inProcess.credentials, fetch: inProcess.fetch }),
  },
  { rounds: quick ? 1 : 5, warmUp: 1 },
);
await inProcess.close();

// Repeat this with other numbers of users, because the cost per record must not depend on the number.
const sizes = [];
for (const count of [1_000, 20_000, 200_000]) {
  const world = await emulator.start(count);
  const pages = Math.min(count / 100, 1_000);
  const path = '/directory_users?directory=directory_bench&limit=100';
  let after = '';
  await emulator.usage();
  for (let page = 0; page < pages; page++) {
    const response = await fetch(world.url + path + after, { headers: headersOf(apiKey) });
    after = `&after=${(await response.json()).list_metadata.after}`;
  }
  const cpuUs = ((await emulator.usage()) / (pages * 100)) * 1000;
  sizes.push([`${count} directory users`, world.loadMs / 1000, cpuUs, world.rssMb, world.heapMb]);
  figures[`emulator.listUs.${count}`] = cpuUs;
}
tables.push({
  title: 'At other sizes, over HTTP; each page is listed once',
  columns: [
    ['load time, s', 1],
    ['CPU per listed record, us', 1],
    ['RSS, MB', 0],
    ['heap, MB', 0],
  ],
  rows: sizes,
});
emulator.stop();
service.stop();
agent.destroy();

// Measure the time from starting the command to its ready line.
const ready = () =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, [built('cli.js'), 'emulator', '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.once('data', () => {
      const wallMs = performance.now() - began;
      child.once('exit', () => resolve({ wallMs }));
      child.kill('SIGTERM');
    });
    child.once('error', reject);
  });
const bare = () =>
  new Promise((resolve) => {
    const began = performance.now();
    spawn(process.execPath, ['-e', ''], { stdio: 'ignore' }).once('exit', () =>
      resolve({ wallMs: performance.now() - began }),
    );
  });
const starts = await takeTurns({ ready, bare }, { rounds: quick ? 3 : 15, warmUp: 1 });

const { specified, servedCount } = await loadSource(
  'served',
  `import { servedOperations } from './src/emulator/registry.js';
   import { operations } from './src/service/operations.js';
   const specifiedOperations = Object.values(operations).filter(({ io }) => !io.extension);
   export const specified = specifiedOperations.length;
   export const servedCount = specifiedOperations.filter(({ id }) => servedOperations.has(id)).length;`,
);

Object.assign(figures, {
  'emulator.readyMs': typical(starts, 'ready', 'wallMs'),
  'emulator.loadMs': full.loadMs,
  'emulator.specified': specified,
  'emulator.served': servedCount,
});
tables.push(
  {
    title: 'With 20,000 directory users',
    columns: [['', 0]],
    rows: [
      ['load from a seed, ms', full.loadMs],
      ['list with the client over HTTP, 200 requests, ms', typical(walks, 'http', 'wallMs')],
      ['list with the client in process, ms', typical(walks, 'process', 'wallMs')],
      ['RSS, MB', full.rssMb],
      ['RSS without users, MB', empty.rssMb],
      ['heap, MB', full.heapMb],
      ['heap without users, MB', empty.heapMb],
    ],
  },
  {
    title: 'Startup',
    columns: [['ms', 0]],
    rows: [
      ['sallyport emulator --json, until its ready line', typical(starts, 'ready', 'wallMs')],
      ['the same, minus bare Node', difference(starts, 'ready', 'bare', 'wallMs')],
    ],
  },
);
report('emulator', { figures, tables });
