// CPU time of a call: get one organization from a fixed service, one call at a time, fifty at a time and with one signal for all calls; and
// create one.
import { byFetch, byKy, byKyAsClient, openai, stripe, workos } from './harness/peers.mjs';
import { report } from './harness/report.mjs';
import { startService } from './harness/service.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const service = await startService({ records: 100 });
const { url } = service;
const id = 'org_01HZX3V7Q8M2T4B600000000';

const clients = {
  sallyport: new Sallyport({ apiKey: 'sk_test_bench', baseUrl: url }),
  workos: workos(url),
  stripe: stripe(url),
  stripeOnFetch: stripe(url, { onFetch: true }),
  openai: openai(url),
};
const address = `${url}/organizations/${id}`;
const get = {
  'raw fetch': () => byFetch(address),
  'ky 2.1.0': () => byKy(address),
  'ky 2.1.0 called like sallyport does': () => byKyAsClient(address),
  sallyport: () => clients.sallyport.organizations.getOrganization(id),
  '@workos-inc/node 11.0.0': () => clients.workos.organizations.getOrganization(id),
  'stripe 23.1.0 (node:http)': () => clients.stripe.customers.retrieve(id),
  'stripe 23.1.0 (fetch)': () => clients.stripeOnFetch.customers.retrieve(id),
  'openai 7.55.0': () => clients.openai.models.retrieve(id),
};
const name = 'Acme'.padEnd(189, '.');
const body = JSON.stringify({ name });
const headers = {
  accept: 'application/json',
  authorization: 'Bearer sk_test_bench',
  'content-type': 'application/json',
};
const create = { method: 'POST', headers, body };
const post = {
  'raw fetch': () => byFetch(`${url}/organizations`, create),
  'ky 2.1.0': () => byKy(`${url}/organizations`, create),
  'ky 2.1.0 called like sallyport does': () => byKyAsClient(`${url}/organizations`, create),
  sallyport: () => clients.sallyport.organizations.createOrganization({ name }),
  '@workos-inc/node 11.0.0': () => clients.workos.organizations.createOrganization({ name }),
  'stripe 23.1.0 (node:http)': () => clients.stripe.customers.create({ name }),
  'stripe 23.1.0 (fetch)': () => clients.stripeOnFetch.customers.create({ name }),
};
const { signal } = new AbortController();
const underSignal = {
  'raw fetch': () => byFetch(address, { signal }),
  'ky 2.1.0': () => byKy(address, { signal }),
  'ky 2.1.0 called like sallyport does': () => byKyAsClient(address, { signal }),
  sallyport: () => clients.sallyport.organizations.getOrganization(id, { signal }),
  'openai 7.55.0': () => clients.openai.models.retrieve(id, { signal }),
};

/** Make `count` calls with a limit on concurrency. */
const series = (call, { count, atOnce }) =>
  timed(async () => {
    let left = count;
    const worker = async () => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  });

const kinds = [
  { key: 'one', title: 'One call at a time', calls: get, count: 100, atOnce: 1 },
  { key: 'fifty', title: 'Fifty calls at a time', calls: get, count: 250, atOnce: 50 },
  { key: 'post', title: 'A POST with a body of 200 bytes, one call at a time', calls: post, count: 100, atOnce: 1 },
  { key: 'signal', title: 'One signal for all calls, one at a time', calls: underSignal, count: 100, atOnce: 1 },
];
const figures = {};
const tables = [];
for (const { key, title, calls, count, atOnce } of kinds) {
  for (const [name, call] of Object.entries(calls))
    if ((await call()).id !== id) throw new Error(`${name} did not get the organization`);
  const contenders = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, () => series(call, { count, atOnce })]),
  );
  const samples = await takeTurns(contenders, quick ? { rounds: 5 } : { rounds: 60, warmUp: 20 });
  const perCall = (name, measure) => (typical(samples, name, measure) / count) * 1000;
  const rows = Object.keys(calls).map((name) => [
    name,
    perCall(name, 'cpuMs'),
    ratio(samples, name, 'raw fetch', 'cpuMs'),
    ratio(samples, name, 'ky 2.1.0', 'cpuMs'),
    ratio(samples, name, 'ky 2.1.0 called like sallyport does', 'cpuMs'),
    perCall(name, 'wallMs'),
    ratio(samples, name, 'raw fetch', 'wallMs'),
  ]);
  tables.push({
    title: `${title}: microseconds per call`,
    columns: [
      ['CPU', 0],
      ['x raw fetch', 2],
      ['x ky', 2],
      ['x ky called alike', 2],
      ['wall', 0],
      ['x raw fetch', 2],
    ],
    rows,
  });
  for (const [name, , overFetch, overKy, overKySoCalled] of rows) {
    figures[`call.${key}.overFetch.${name}`] = overFetch;
    figures[`call.${key}.overKy.${name}`] = overKy;
    figures[`call.${key}.overKySoCalled.${name}`] = overKySoCalled;
  }
}
service.stop();
report('call', { figures, tables });
