// An emulator with a state file, compared with one in memory: the cost of a change for different amounts of data, and how long
// requests wait while the file is rewritten.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { report } from './harness/report.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { median, quick, takeTurns } from './harness/turns.mjs';

ensureBuilt();
const { createEmulator } = await load('emulator.js');

const sizes = { small: 1_000, large: 20_000 };
const changes = quick ? 1_000 : 4_000;
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-state-'));

const seedOf = (size) => ({
  organizations: [{ id: 'org_acme', name: 'Acme' }],
  directories: [
    {
      id: 'directory_acme',
      name: 'Acme',
      organization_id: 'org_acme',
      users: Array.from({ length: size }, (_, at) => ({
        id: `directory_user_${at}`,
        idp_id: `${at}`,
        email: `person${at}@acme.test`,
        first_name: 'Ada',
        last_name: `Number ${at}`,
      })),
    },
  ],
});

const asker = ({ fetch, credentials }) => {
  const headers = { authorization: `Bearer ${credentials.apiKey}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const response = await fetch(path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  };
};

const stateOf = (name) => join(folder, `${name}.state`);
const emulators = {};
for (const [name, size] of Object.entries(sizes)) {
  emulators[`${name}, in memory`] = await createEmulator({ seed: seedOf(size) });
  emulators[`${name}, in a file`] = await createEmulator({ seed: seedOf(size), state: stateOf(name) });
}

let round = 0;
const contenders = Object.fromEntries(
  Object.entries(emulators).map(([name, emulator]) => {
    const ask = asker(emulator);
    return [
      name,
      async () => {
        const began = performance.now();
        for (let n = 0; n < changes; n++) {
          await ask('PUT', '/organizations/org_acme', { name: `Acme ${round++}` });
          // Yield as between two HTTP requests.
          if (n % 10 === 0) await new Promise(setImmediate);
        }
        return { changeUs: ((performance.now() - began) * 1_000) / changes };
      },
    ];
  }),
);
const samples = await takeTurns(contenders, { rounds: quick ? 3 : 7 });
const changeUs = (name) => median(samples[name].map((sample) => sample.changeUs));
const rows = Object.keys(sizes).map((name) => {
  const [memory, file] = [changeUs(`${name}, in memory`), changeUs(`${name}, in a file`)];
  return [`${sizes[name]} records`, memory, file, file - memory];
});
const [small, large] = [changeUs('small, in a file'), changeUs('large, in a file')];
for (const emulator of Object.values(emulators)) await emulator.close();

// Open a larger file, make changes until it is rewritten, and measure delays of the event loop.
const size = 200_000;
await (await createEmulator({ seed: seedOf(size), state: stateOf('largest') })).close();
const file = stateOf('largest');
const openedAt = performance.now();
const emulator = await createEmulator({ state: file });
const openMs = performance.now() - openedAt;
const ask = asker(emulator);
const before = statSync(file);
const delays = { grows: monitorEventLoopDelay({ resolution: 1 }), anew: monitorEventLoopDelay({ resolution: 1 }) };
delays.grows.enable();
const text = 'x'.repeat(5_000);
let largest = before.size;
let isAnew = false;
let isWatched = false;
for (let n = 0; !isAnew; n++) {
  // Large changes make the file grow quickly.
  await ask('PUT', '/organizations/org_acme', { name: `Acme ${n} ${text}` });
  if (n % 20 > 0 && !isWatched) continue;
  await new Promise((resolve) => setTimeout(resolve, 1));
  const now = statSync(file);
  largest = Math.max(largest, now.size);
  // Until shortly before the rewrite, the file only grows.
  if (!isWatched && now.size > before.size * 1.9) {
    delays.grows.disable();
    isWatched = delays.anew.enable();
  }
  isAnew = now.ino !== before.ino;
}
delays.anew.disable();
await emulator.close();
rmSync(folder, { recursive: true });

report('state', {
  figures: {
    'state: time per change, 20,000 records = 1,000': large / small,
    'state: longest wait in ms': delays.anew.max / 1e6,
  },
  tables: [
    {
      title: 'Changing an organization, in process, microseconds',
      columns: [
        ['in memory', 1],
        ['in a file', 1],
        ['difference', 1],
      ],
      rows,
    },
    {
      title: `A state file with ${size} records`,
      columns: [
        ['size, MB', 0],
        ['time to open, ms', 0],
        ['size at rewrite, MB', 0],
      ],
      rows: [['', before.size / 1e6, openMs, largest / 1e6]],
    },
    {
      title: 'Event loop delays during these changes, ms',
      columns: [
        ['median', 1],
        ['99 %', 1],
        ['longest', 1],
      ],
      rows: Object.entries({ 'while the file grows': delays.grows, 'while it is rewritten': delays.anew }).map(
        ([name, delay]) => [name, delay.percentile(50) / 1e6, delay.percentile(99) / 1e6, delay.max / 1e6],
      ),
    },
  ],
});
