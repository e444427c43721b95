// Isolated worlds: the time to create one from the demo seed, the memory of a thousand, the cost of a request with a thousand
// other worlds, and whether any of 100,000 requests sees data of another world.
import { fileURLToPath } from 'node:url';
import { report } from './harness/report.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { collectGarbage, median, quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { createEmulator } = await load('emulator.js');

const seed = fileURLToPath(new URL('../examples/company.yaml', import.meta.url));
const count = quick ? 200 : 1_000;
const asks = quick ? 10_000 : 100_000;
const workers = 64;

const askerOf =
  (emulator) =>
  async ({ credentials }, method, path, body) => {
    const response = await emulator.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${credentials.apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.text();
  };

// Warm up, because creating the first worlds also loads code.
const alone = await createEmulator({ seed });
const [only] = [await alone.worlds.create(), await alone.worlds.create()];
const emulator = await createEmulator({ seed });
for (let at = 0; at < 20; at++) await (await emulator.worlds.create()).forget();

collectGarbage();
const before = process.memoryUsage();
const worlds = [];
const times = [];
for (let at = 0; at < count; at++) {
  const began = performance.now();
  worlds.push(await emulator.worlds.create());
  times.push(performance.now() - began);
}
collectGarbage();
const made = process.memoryUsage();
const kbOf = ({ heapUsed, rss }) => [(heapUsed - before.heapUsed) / 1024 / count, (rss - before.rss) / 1024 / count];

const ask = askerOf(emulator);
const askAlone = askerOf(alone);
for (const world of worlds) await ask(world, 'GET', '/organizations');
collectGarbage();
const used = process.memoryUsage();

const batch = quick ? 300 : 2_000;
const inARow = (call) => () =>
  timed(async () => {
    for (let at = 0; at < batch; at++) await call(at);
  });
const samples = await takeTurns(
  {
    alone: inARow(() => askAlone(only, 'GET', '/organizations')),
    beside: inARow(() => ask(worlds[0], 'GET', '/organizations')),
    all: inARow((at) => ask(worlds[(at * 7) % count], 'GET', '/organizations')),
  },
  { rounds: quick ? 5 : 15 },
);
const perSecond = (name) => (1_000 * batch) / typical(samples, name, 'wallMs');

// Each world has a canary value. Workers read and write in all worlds, and look for canaries of other worlds in the responses.
const canaryOf = (at) => `canary-${at}-`;
for (const [at, world] of worlds.entries()) await ask(world, 'POST', '/organizations', { name: canaryOf(at) });
let state = 20_261_122;
const random = (below) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state % below;
};
let left = asks;
let crossings = 0;
const work = async () => {
  while (left-- > 0) {
    const at = random(count);
    const text = await [
      () => ask(worlds[at], 'GET', '/organizations?limit=100'),
      () => ask(worlds[at], 'GET', '/events?events=organization.created'),
      () => ask(worlds[at], 'POST', '/organizations', { name: `${canaryOf(at)}again` }),
      () => ask(worlds[at], 'GET', '/_emulator/requests?limit=5'),
    ][random(4)]();
    crossings += [...text.matchAll(/canary-\d+-/g)].filter(([one]) => one !== canaryOf(at)).length;
  }
};
await Promise.all(Array.from({ length: workers }, work));
await emulator.close();
await alone.close();

const [madeKb, madeRssKb] = kbOf(made);
const [usedKb, usedRssKb] = kbOf(used);
report('worlds', {
  figures: {
    'worlds.makeMs': median(times),
    'worlds.kb': usedKb,
    'worlds.beside': ratio(samples, 'beside', 'alone', 'cpuMs'),
    'worlds.crossings': crossings,
  },
  tables: [
    {
      title: `${count} worlds with the seed examples/company.yaml in one process`,
      columns: [
        ['heap KB per world', 0],
        ['RSS KB per world', 0],
      ],
      rows: [
        ['after creation', madeKb, madeRssKb],
        ['after a request to each', usedKb, usedRssKb],
      ],
    },
    {
      title: 'Listing organizations, in process, one request at a time',
      columns: [['requests per second', 0]],
      rows: [
        ['in a world with one other world', perSecond('alone')],
        [`in one of ${count} worlds`, perSecond('beside')],
        [`in ${count} worlds in turn`, perSecond('all')],
      ],
    },
  ],
});
