// Changes one condition or `throw` of the sources at a time, and runs the tests that reach it.
//
//   npx tsx test/mutants/main.ts           all mutants of mutants.json; fails if one survives that was caught before, or is not found
//   npx tsx test/mutants/main.ts 12 40     only these
//   npx tsx test/mutants/main.ts --write   writes the results to mutants.json
//   npx tsx test/mutants/main.ts --draw    draws the mutants again
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { draw } from './draw.js';
import { find, type Result, readMutants, readSources, writeMutants } from './list.js';

const seed = 20_261_127;
/** Folders, and how many mutants of them to draw. */
const parts: readonly (readonly [readonly string[], number])[] = [
  [['src/emulator/rooms', 'src/emulator/sign-in'], 48],
  [['src/session', 'src/transport', 'src/streams', 'src/webhooks'], 48],
  [['src/client'], 6],
  [['src/crypto'], 6],
  [['src/adapters'], 6],
  [['src/mirror'], 6],
];
const minutesPerMutant = 10;
const notFound = 'no longer in the sources';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { draw: { type: 'boolean' }, write: { type: 'boolean' }, reached: { type: 'string' } },
});

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

const folder = mkdtempSync(join(tmpdir(), 'mutants-'));

/** Run test files with one mutant, or with none, until one fails. Resolves with the file that failed. */
async function run(
  files: readonly string[],
  environment: Record<string, string>,
  bail: boolean,
): Promise<string | null> {
  const output = join(folder, `${environment.SALLYPORT_MUTANT ?? 'none'}.json`);
  const flags = ['--config', 'test/mutants/vitest.config.ts', '--reporter=json', `--outputFile=${output}`];
  const child = spawn('npx', ['vitest', 'run', ...flags, ...(bail ? ['--bail=1', '--maxWorkers=1'] : []), ...files], {
    env: { ...process.env, ...environment },
    stdio: 'ignore',
    detached: true,
  });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), minutesPerMutant * 60_000);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  if (code === 0) return null;
  if (!existsSync(output)) return code === null ? 'no end in time' : 'the run itself failed';
  const { testResults }: Report = JSON.parse(readFileSync(output, 'utf8'));
  // A file that `npm test` leaves out was named, so no test ran.
  if (testResults.length === 0) return null;
  const failed = testResults.find(({ status }) => status === 'failed');
  return failed ? relative('.', failed.name) : 'an error outside of tests';
}

/** Number of leading folders that two paths share below their first. */
const nearness = (one: string, other: string): number => {
  const [a, b] = [one.split(/[/.-]/).slice(1), other.split(/[/.-]/).slice(1)];
  return a.filter((part) => b.includes(part)).length;
};

async function filesReaching(): Promise<Map<number, string[]>> {
  const log = values.reached ?? join(folder, 'reached');
  if (!values.reached) await run([], { SALLYPORT_MUTANTS_REACHED: log }, false);
  const reaching = new Map<number, string[]>();
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
    const [path, mutants]: [string, number[]] = JSON.parse(line);
    for (const mutant of mutants) reaching.set(mutant, [...(reaching.get(mutant) ?? []), relative('.', path)]);
  }
  return reaching;
}

let reaching: Promise<Map<number, string[]>> | undefined;

async function test(mutant: Result, index: number): Promise<string | null> {
  // Most mutants are caught by the file that caught them before.
  const runMutant = (files: readonly string[]) => run(files, { SALLYPORT_MUTANT: `${index}` }, true);
  const { caughtBy: previous } = mutant;
  const again = previous && existsSync(previous) ? await runMutant([previous]) : null;
  if (again) return again;
  reaching ??= filesReaching();
  const files = (await reaching).get(index) ?? [];
  const sorted = [...new Set(files)].sort((a, b) => nearness(mutant.file, b) - nearness(mutant.file, a));
  for (const group of [sorted.slice(0, 4), sorted.slice(4)]) {
    if (group.length === 0) continue;
    const caughtBy = await runMutant(group);
    if (caughtBy) return caughtBy;
  }
  return null;
}

try {
  if (values.draw) {
    const drawn = parts.flatMap(([folders, count]) => draw(folders, count, seed));
    writeMutants(drawn.map((mutant) => ({ ...mutant, caughtBy: null })));
  } else {
    const before = readMutants();
    const sources = readSources();
    const chosen = positionals.length > 0 ? positionals.map(Number) : before.map((_, index) => index);
    const after = [...before];
    const queue = [...chosen];
    const work = async () => {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
        const mutant = before[index];
        if (!mutant) throw new RangeError(`There is no mutant ${index}`);
        const place = find(mutant, sources);
        const caughtBy = place ? await test(mutant, index) : notFound;
        after[index] = { ...mutant, file: place?.file ?? mutant.file, caughtBy };
        const news = caughtBy ?? `SURVIVES${mutant.caughtBy ? `; was caught by ${mutant.caughtBy}` : ''}`;
        console.log(`${index} ${mutant.file} ${mutant.within}: ${mutant.kind} ${mutant.text.slice(0, 60)}: ${news}`);
        if (values.write) writeMutants(after);
      }
    };
    await Promise.all([work(), work()]);
    const lost = chosen.filter((index) => before[index]?.caughtBy && !after[index]?.caughtBy);
    const survivors = chosen.filter((index) => !after[index]?.caughtBy);
    const gone = chosen.filter((index) => after[index]?.caughtBy === notFound);
    console.log(`${chosen.length} mutants, ${survivors.length} survive, ${lost.length} of them were caught before`);
    if (gone.length > 0) console.log(`Replace these, which are ${notFound}: ${gone.join(' ')}`);
    if (lost.length > 0 || gone.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
