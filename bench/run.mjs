// Runs all benchmarks or the named ones, each in its own process:
//
//   node run.mjs [name ...] [--quick] [--runs 3] [--write]
//
// --quick makes a short run whose numbers are not reliable. --runs repeats and takes the median of every number. --write puts the
// numbers into README.md, and repeats three times by default.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figuresTable } from './harness/figures.mjs';
import { asMarkdown, merged, save } from './harness/report.mjs';
import { ensureBuilt, results } from './harness/subject.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const all = [
  'size',
  'import',
  'types',
  'call',
  'cold-start',
  'stack',
  'list',
  'decode',
  'webhooks',
  'exactly-once',
  'streams',
  'mirror',
  'session',
  'revocations',
  'sign-in',
  'emulator',
  'soak',
  'worlds',
  'state',
  'stores',
  'limits',
  'first-minutes',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`Unknown benchmark ${unknown.join(', ')}. Choose from ${all.join(', ')}`);
const runs = Number(values.runs ?? (values.write ? 3 : 1));
if (!(Number.isInteger(runs) && runs > 0)) throw new Error(`--runs must be a whole number, not ${values.runs}`);

if (!existsSync(join(here, 'node_modules'))) {
  process.stderr.write('installing the peers\n');
  // Hide warnings: some peers declare a higher minimum version of Node than they need.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Installing the peers failed: run npm --prefix bench ci to see why');
}
mkdirSync(results, { recursive: true });
ensureBuilt();

const failed = [];
for (const name of positionals.length > 0 ? positionals : all) {
  const taken = [];
  for (let run = 1; run <= runs; run++) {
    process.stdout.write(`\n== ${name}${runs > 1 ? `, run ${run} of ${runs}` : ''}\n`);
    const file = join(results, `${name}.${run}.json`);
    const { status } = spawnSync(process.execPath, [join(here, `${name}.mjs`), ...(values.quick ? ['--quick'] : [])], {
      stdio: 'inherit',
      env: { ...process.env, BENCH_RESULT: file },
    });
    if (status !== 0) break;
    taken.push(JSON.parse(readFileSync(file, 'utf8')));
  }
  if (taken.length < runs) failed.push(name);
  else save(merged(taken), join(results, `${name}.json`));
}

const measured = all
  .map((name) => join(results, `${name}.json`))
  .filter((file) => existsSync(file))
  .map((file) => JSON.parse(readFileSync(file, 'utf8')));
const table = figuresTable(Object.assign({}, ...measured.map((result) => result.figures)));
process.stdout.write(`\n${table}\n`);

/** Replace the text between two markers of the README. */
function put(text, marker, content) {
  const [begin, end] = [`<!-- ${marker} -->`, `<!-- /${marker} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${marker} markers`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}

if (failed.length > 0) {
  process.stderr.write(`\nfailed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
} else if (values.write) {
  const conditions = measured.map(({ name, node, runs: repeated, load, quick }) => {
    const heard = load.map((one) => one.toFixed(1)).join(', ');
    return `- ${name}: Node ${node.slice(1)}, ${quick ? 'a short run, ' : ''}${repeated} ${repeated === 1 ? 'run' : 'runs'}, load average ${heard} at the end of each run`;
  });
  const machine = `Measured on ${cpus().length} cores. Numbers are medians of all runs.`;
  const details = measured.flatMap(({ tables }) => tables).map((one) => `### ${one.title}\n\n${asMarkdown(one)}`);
  const file = join(here, 'README.md');
  let text = readFileSync(file, 'utf8');
  text = put(text, 'figures', table);
  text = put(text, 'details', `${machine}\n\n${conditions.join('\n')}\n\n${details.join('\n\n')}`);
  writeFileSync(file, text);
  process.stdout.write('\nwrote bench/README.md\n');
}
