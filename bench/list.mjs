// List ten thousand records on a hundred pages that take 5 ms each: with a consumer that does nothing, and with one that waits
// for a 1 ms timer every twenty records. Also the lists of fifty parents, two such pages each. Requests are counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { pMapIterable } from 'p-map';
import { byFetch, byKy, openai, stripe, workos } from './harness/peers.mjs';
import { report } from './harness/report.mjs';
import { startService } from './harness/service.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { median, quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { Sallyport } = await load('index.js');
const records = 10_000;
const service = await startService({ records, delayMs: 5 });
const { url } = service;

const clients = {
  sallyport: new Sallyport({ apiKey: 'sk_test_bench', baseUrl: url }),
  workos: workos(url),
  stripe: stripe(url),
  openai: openai(url),
};

/** Hand-written loop. It requests the next page after the last one was consumed. */
async function* loop(get) {
  let after = null;
  do {
    const page = await get(`${url}/organizations?limit=100${after ? `&after=${after}` : ''}`);
    yield* page.data;
    after = page.list_metadata.after;
  } while (after);
}
/** The same without a generator, which is the minimum cost of listing. */
async function rawLoop(consume, of = url) {
  let after = null;
  do {
    const page = await byFetch(`${of}/organizations?limit=100${after ? `&after=${after}` : ''}`);
    for (const record of page.data) {
      const wait = consume(record);
      if (wait) await wait;
    }
    after = page.list_metadata.after;
  } while (after);
}
const iterate = (records) => async (consume) => {
  for await (const record of records()) {
    const wait = consume(record);
    if (wait) await wait;
  }
};

const organizations = () => clients.sallyport.organizations.listOrganizations();

const walks = {
  'raw fetch loop': rawLoop,
  'ky 2.1.0 loop': iterate(() => loop(byKy)),
  sallyport: iterate(organizations),
  'sallyport, pages()': async (consume) => {
    for await (const { data } of organizations().pages())
      for (const record of data) {
        const wait = consume(record);
        if (wait) await wait;
      }
  },
  'stripe 23.1.0': iterate(() => clients.stripe.customers.list({ limit: 100 })),
  'openai 7.55.0': iterate(() => clients.openai.fineTuning.jobs.list({ limit: 100 })),
};
/** Load the whole list before the first record is consumed, so that nothing overlaps. */
const toArray = async (consume) => {
  for (const record of await organizations().toArray({ max: 2 * records })) consume(record);
};
// @workos-inc/node sleeps 350 ms after every page, so it is measured only once.
const incumbent = async (consume) => {
  const list = await clients.workos.organizations.listOrganizations();
  for (const record of await list.autoPagination()) {
    const wait = consume(record);
    if (wait) await wait;
  }
};

/** Measure a walk: its time, its requests, and the time to its first record. */
async function walked(walk, pause) {
  await service.usage();
  let seen = 0;
  let firstMs = 0;
  const began = performance.now();
  const sample = await timed(() =>
    walk(() => {
      seen += 1;
      if (seen === 1) firstMs = performance.now() - began;
      return pause && seen % 20 === 0 ? sleep(1) : undefined;
    }),
  );
  if (seen !== records) throw new Error(`${seen} of ${records} records`);
  const { requests } = await service.usage();
  return { ...sample, firstMs, requests };
}
const alone = async () => {
  const sample = await timed(async () => {
    for (let seen = 20; seen <= records; seen += 20) await sleep(1);
  });
  return { ...sample, firstMs: 0, requests: 0 };
};

const turns = quick ? { rounds: 2, warmUp: 1 } : { rounds: 10, warmUp: 1 };
const names = Object.keys(walks);
const contenders = (pause) => Object.fromEntries(names.map((name) => [name, () => walked(walks[name], pause)]));
const idle = await takeTurns({ ...contenders(false), 'sallyport, toArray': () => walked(toArray, false) }, turns);
// The same rounds also measure the network (the raw loop with an idle consumer) and the consumer.
const busy = await takeTurns({ ...contenders(true), network: () => walked(rawLoop, false), consumer: alone }, turns);
const bound = busy.network.map((sample, round) => Math.max(sample.wallMs, busy.consumer[round].wallMs));
const overBound = (name) => median(busy[name].map((sample, round) => sample.wallMs / bound[round]));

const idleRows = Object.keys(idle).map((name) => [
  name,
  typical(idle, name, 'wallMs'),
  ratio(idle, name, 'raw fetch loop', 'wallMs'),
  typical(idle, name, 'firstMs'),
  typical(idle, name, 'requests'),
  typical(idle, name, 'cpuMs'),
]);
if (!quick) {
  const { wallMs, firstMs, requests, cpuMs } = await walked(incumbent, false);
  const raw = typical(idle, 'raw fetch loop', 'wallMs');
  idleRows.push(['@workos-inc/node 11.0.0 (once)', wallMs, wallMs / raw, firstMs, requests, cpuMs]);
}
const busyRows = names.map((name) => [
  name,
  typical(busy, name, 'wallMs'),
  ratio(busy, name, 'raw fetch loop', 'wallMs'),
  overBound(name),
  typical(busy, name, 'requests'),
]);

/** The lists of fifty parents, five at a time. */
const parents = Array.from({ length: 50 }, (_, at) => `parent_${at}`);
const atOnce = 5;
const family = await startService({ records: 200, delayMs: 5 });
const ofFamily = new Sallyport({ apiKey: 'sk_test_bench', baseUrl: family.url });
// The service returns the same list for every parent.
const listOf = (parent) => ofFamily.organizations.listOrganizations({ search: parent });
const inFives = async (walk) => {
  for (let first = 0; first < parents.length; first += atOnce)
    await Promise.all(parents.slice(first, first + atOnce).map(walk));
};
const families = {
  'raw fetch loop, one at a time': async (consume) => {
    for (const _ of parents) await rawLoop(consume, family.url);
  },
  'sallyport, one at a time': async (consume) => {
    for (const parent of parents) for await (const record of listOf(parent)) consume(record);
  },
  'raw fetch loops, Promise.all of five': (consume) => inFives(() => rawLoop(consume, family.url)),
  'sallyport, Promise.all of five toArray': (consume) =>
    inFives(async (parent) => {
      for (const record of await listOf(parent).toArray({ max: 1_000 })) consume(record);
    }),
  'sallyport, pMapIterable of five toArray': async (consume) => {
    const all = (parent) => listOf(parent).toArray({ max: 1_000 });
    for await (const records of pMapIterable(parents, all, { concurrency: atOnce, preserveOrder: false }))
      for (const record of records) consume(record);
  },
};
const ofMany = await takeTurns(
  Object.fromEntries(
    Object.entries(families).map(([name, walk]) => [
      name,
      async () => {
        await family.usage();
        let seen = 0;
        const sample = await timed(() =>
          walk(() => {
            seen += 1;
          }),
        );
        if (seen !== 10_000) throw new Error(`${seen} records of fifty parents`);
        return { ...sample, requests: (await family.usage()).requests };
      },
    ]),
  ),
  turns,
);
family.stop();
const manyRows = Object.keys(families).map((name) => [
  name,
  typical(ofMany, name, 'wallMs'),
  ratio(ofMany, name, 'raw fetch loop, one at a time', 'wallMs'),
  ratio(ofMany, name, 'raw fetch loops, Promise.all of five', 'wallMs'),
  typical(ofMany, name, 'requests'),
]);

const figures = {};
for (const [name, , overRaw, , requests] of idleRows) {
  figures[`list.idle.${name}`] = overRaw;
  figures[`list.requests.${name}`] = requests;
}
for (const [name, , overRaw, over] of busyRows) {
  figures[`list.busyOverRaw.${name}`] = overRaw;
  figures[`list.busy.${name}`] = over;
}
for (const [name, , , over] of manyRows) figures[`list.parents.${name}`] = over;
service.stop();
report('list', {
  figures,
  tables: [
    {
      title: '10,000 records, idle consumer',
      columns: [
        ['wall ms', 0],
        ['x raw loop', 2],
        ['first record ms', 1],
        ['requests', 0],
        ['CPU ms', 0],
      ],
      rows: idleRows,
    },
    {
      title: '10,000 records, busy consumer; the bound is max(network, consumer)',
      columns: [
        ['wall ms', 0],
        ['x raw loop', 2],
        ['x bound', 2],
        ['requests', 0],
      ],
      rows: [
        ...busyRows,
        ['network only', typical(busy, 'network', 'wallMs'), Number.NaN, Number.NaN, Number.NaN],
        ['consumer only', typical(busy, 'consumer', 'wallMs'), Number.NaN, Number.NaN, Number.NaN],
      ],
    },
    {
      title: 'Lists of 50 parents, 200 records each',
      columns: [
        ['wall ms', 0],
        ['x raw loop', 2],
        ['x Promise.all', 2],
        ['requests', 0],
      ],
      rows: manyRows,
    },
  ],
});
