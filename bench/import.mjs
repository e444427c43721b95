// The cost of an import: processes that import one entry and exit, compared with processes that import nothing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { report } from './harness/report.mjs';
import { builtForNode, ensureBuilt, results } from './harness/subject.mjs';
import { difference, quick, takeTurns, typical } from './harness/turns.mjs';

ensureBuilt();
const folder = join(results, 'import');
mkdirSync(folder, { recursive: true });

const ours = {
  sallyport: 'index',
  'sallyport/session': 'session',
  'sallyport/webhooks': 'webhooks',
  'sallyport/emulator': 'emulator',
};
const peers = {
  '@workos-inc/node': '11.0.0',
  stripe: '23.1.0',
  openai: '7.55.0',
  ky: '2.1.0',
  jose: '6.2.17',
  'iron-webcrypto': '2.0.0',
};
/** Packages that Node 20 cannot `require`. */
const modulesOnly = ['ky', 'jose', 'iron-webcrypto'];

/** The programs by name. Each one imports an entry and prints the memory of its process. */
const programs = {};
const addProgram = (name, format, statement) => {
  const file = join(folder, `${name.replace(/[^a-z0-9]/g, '-')}.${format === 'ESM' ? 'mjs' : 'cjs'}`);
  const memory = `(${format === 'ESM' ? 'await import("node:fs")' : 'require("node:fs")'}).writeSync(1, String(process.memoryUsage.rss()));`;
  writeFileSync(file, `${statement}\n${memory}\n`);
  programs[`${name}, ${format}`] = file;
};
addProgram('nothing', 'ESM', '');
addProgram('nothing', 'CJS', '');
for (const [name, entry] of Object.entries(ours)) {
  addProgram(name, 'ESM', `import ${JSON.stringify(pathToFileURL(builtForNode(`${entry}.js`)).href)};`);
  addProgram(name, 'CJS', `require(${JSON.stringify(builtForNode(`${entry}.cjs`))});`);
}
for (const name of Object.keys(peers)) {
  addProgram(name, 'ESM', `import ${JSON.stringify(name)};`);
  if (!modulesOnly.includes(name)) addProgram(name, 'CJS', `require(${JSON.stringify(name)});`);
}

const started = (file) => async () => {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  const wallMs = performance.now() - began;
  if (status !== 0) throw new Error(`${file} failed: ${stderr}`);
  return { wallMs, rssMb: Number(stdout) / 1024 / 1024 };
};

const contenders = Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, started(file)]));
const samples = await takeTurns(contenders, { rounds: quick ? 4 : 15, warmUp: 1 });

const bare = (format) => `nothing, ${format}`;
const rows = [...Object.keys(ours), ...Object.keys(peers)].map((name) => [
  peers[name] ? `${name} ${peers[name]}` : name,
  ...['ESM', 'CJS'].flatMap((format) => {
    const program = `${name}, ${format}`;
    if (!samples[program]) return [Number.NaN, Number.NaN];
    const over = (measure) => difference(samples, program, bare(format), measure);
    return [over('wallMs'), over('rssMb')];
  }),
]);
const figures = {};
for (const [name, esm, , cjs] of rows) {
  figures[`import.esm.${name}`] = esm;
  if (Number.isFinite(cjs)) figures[`import.cjs.${name}`] = cjs;
}
report('import', {
  figures,
  tables: [
    {
      title: `Import, minus bare Node (${typical(samples, bare('ESM'), 'wallMs').toFixed(0)} ms)`,
      columns: [
        ['ESM ms', 1],
        ['RSS MB', 1],
        ['CJS ms', 1],
        ['RSS MB', 1],
      ],
      rows,
    },
  ],
});
