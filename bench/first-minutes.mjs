// Time from `npx sallyport init` in an empty project to the page of a signed-in user, after `npx sallyport dev`, in Chromium.
// Measures the test test/cli/first-minutes.test.ts, which lists its requirements.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './harness/report.mjs';
import { median, quick } from './harness/turns.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
const file = join(folder, 'times');
for (let round = 0; round < (quick ? 1 : 5); round++) {
  const { status } = spawnSync('npx', ['--no-install', 'vitest', 'run', 'test/cli/first-minutes.test.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SALLYPORT_TEST_ALL: '1', FIRST_MINUTES: file },
  });
  if (status !== 0) throw new Error('The test failed. Run npx vitest run test/cli/first-minutes.test.ts to see why');
}
const times = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });

const secondsOf = (name) => median(times.filter(({ project }) => project === name).map(({ tookMs }) => tookMs)) / 1_000;
const rows = [
  ['next', 'Next, next dev'],
  ['sveltekit', 'SvelteKit, vite dev'],
  ['express', 'Express, node --watch'],
].map(([name, title]) => [title, name, secondsOf(name)]);
report('first-minutes', {
  figures: Object.fromEntries(rows.map(([, name, seconds]) => [`first.${name}Seconds`, seconds])),
  tables: [
    {
      title: 'From an empty project to a signed-in page with two commands',
      columns: [['seconds', 1]],
      rows: rows.map(([title, , seconds]) => [title, seconds]),
    },
  ],
});
