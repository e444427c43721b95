// Follow 20,000 events from one minute, compared with reading the same list with listEvents. Then kill a following process at
// random points until it has handled every event, and count the repeated and lost events.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEvents } from './harness/events.mjs';
import { report } from './harness/report.mjs';
import { ensureBuilt, load } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

const [, , role, baseUrl, folder] = process.argv;
const isWorker = role === 'worker';
if (!isWorker) ensureBuilt();
const { Sallyport } = await load('index.js');
const { follow, memoryCheckpoint } = await load('streams.js');
const apiKey = 'sk_test_bench';

/** A checkpoint in a file. */
function fileCheckpoint(file) {
  const read = () => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return undefined;
    }
  };
  return {
    load: async () => read(),
    async save(next, previous) {
      if (read() !== previous) return false;
      writeFileSync(`${file}.next`, next);
      renameSync(`${file}.next`, file);
      return true;
    },
  };
}

/** Follow until killed, and log the handled events. */
async function work() {
  const client = new Sallyport({ apiKey, baseUrl });
  const log = join(folder, 'log');
  const stream = follow(client, { checkpoint: fileCheckpoint(join(folder, 'checkpoint')), concurrency: 8 });
  await stream.run(async ({ id }) => {
    // A database write takes about this long.
    await pause(2);
    appendFileSync(log, `${id}\n`);
  });
}

/** Kill a following process repeatedly, until all events are handled. */
async function killAgainAndAgain(url, count) {
  const place = mkdtempSync(join(tmpdir(), 'sallyport-streams-'));
  const log = join(place, 'log');
  writeFileSync(log, '');
  const lines = () => readFileSync(log, 'utf8').split('\n').filter(Boolean);
  let lives = 0;
  for (const endsAt = Date.now() + 300_000; new Set(lines()).size < count && Date.now() < endsAt; lives++) {
    const args = [fileURLToPath(import.meta.url), 'worker', url, place];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    const before = statSync(log).size;
    while (statSync(log).size === before) await pause(5);
    await pause(Math.random() * 700);
    child.kill('SIGKILL');
    await ended;
  }
  const all = lines();
  rmSync(place, { recursive: true });
  return { lives, lost: count - new Set(all).size, again: all.length - new Set(all).size };
}

async function measure() {
  const count = quick ? 5_000 : 20_000;
  const service = await startEvents(count);
  const client = new Sallyport({ apiKey, baseUrl: service.url });
  const followAll = (concurrency, handler) => async () => {
    let handled = 0;
    const stream = follow(client, { checkpoint: memoryCheckpoint(), concurrency });
    const ended = stream.run(async (event) => {
      await handler(event);
      handled += 1;
      if (handled === count) void stream.close();
    });
    await ended;
  };
  const nothing = () => {};
  const contenders = {
    'listEvents, all events': async () => {
      for await (const event of client.events.listEvents()) nothing(event);
    },
    'follow, one at a time': followAll(1, nothing),
    'follow, eight at a time': followAll(8, nothing),
  };
  const baseline = 'listEvents, all events';
  const samples = await takeTurns(
    Object.fromEntries(Object.entries(contenders).map(([name, act]) => [name, () => timed(act)])),
    quick ? { rounds: 3, warmUp: 1 } : { rounds: 10, warmUp: 2 },
  );
  const rows = Object.keys(contenders).map((name) => [
    name,
    count / (typical(samples, name, 'wallMs') / 1000),
    ratio(samples, name, baseline, 'wallMs'),
    ratio(samples, name, baseline, 'cpuMs'),
  ]);
  const kills = await killAgainAndAgain(service.url, count);
  service.stop();
  report('streams', {
    figures: {
      'streams.one at a time': rows[1][2],
      'streams.eight at a time': rows[2][2],
      'streams.lost': kills.lost,
      'streams.again': kills.again / count,
    },
    tables: [
      {
        title: `${count} events from one minute`,
        columns: [
          ['events per second', 0],
          ['time, x listEvents', 2],
          ['CPU, x listEvents', 2],
        ],
        rows,
      },
      {
        title: `${count} events, with the process killed at random points`,
        columns: [
          ['processes', 0],
          ['lost', 0],
          ['repeated', 0],
        ],
        rows: [['follow', kills.lives, kills.lost, kills.again]],
      },
    ],
  });
}

await (isWorker ? work() : measure());
