// Decode a page of a hundred organizations: rename every key and check the type of every known field, compared with only
// JSON.parse. Each case runs in separate processes, so that one does not affect the compiled code of the other.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { organizationAt } from './harness/organizations.mjs';
import { report } from './harness/report.mjs';
import { loadSource } from './harness/subject.mjs';
import { median, quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

const file = fileURLToPath(import.meta.url);
const text = JSON.stringify({
  object: 'list',
  data: Array.from({ length: 100 }, (_, index) => organizationAt(index)),
  list_metadata: { before: null, after: 'org_01HZX3V7Q8M2T4B600000099' },
});

const cases = {
  'JSON.parse': () => () => JSON.parse(text),
  sallyport: async () => {
    const { codec, organization } = await loadSource(
      'codec',
      `import { Codec } from './src/service/describe/codec.js';
       import { dialects } from './src/service/describe/dialect.js';
       import { organization as model } from './src/service/organizations.js';
       export const codec = new Codec(dialects.spec);
       export const organization = { kind: 'model', model };`,
    );
    return () => codec.decode({ kind: 'array', element: organization }, JSON.parse(text).data);
  },
};

/** Decode pages one after the other, in a process that does nothing else. */
async function alone(name) {
  const decode = await cases[name]();
  const pages = (count) => {
    for (let page = 0; page < count; page++) decode();
  };
  pages(2000);
  const samples = [];
  for (let batch = 0; batch < 9; batch++) samples.push((await timed(() => pages(300))).cpuMs / 300);
  process.send({ cpuMs: median(samples) });
}

const inProcess = (name) => () =>
  new Promise((resolve, reject) => {
    const child = fork(file, [name]);
    child.once('message', resolve);
    child.once('exit', (code) => code && reject(new Error(`${name} exited with ${code}`)));
  });

if (process.send && process.argv[2] in cases) await alone(process.argv[2]);
else {
  const names = Object.keys(cases);
  const contenders = Object.fromEntries(names.map((name) => [name, inProcess(name)]));
  const samples = await takeTurns(contenders, { rounds: quick ? 2 : 9, warmUp: 0 });
  const rows = names.map((name) => [
    name,
    typical(samples, name, 'cpuMs') * 1000,
    ratio(samples, name, 'JSON.parse', 'cpuMs'),
  ]);
  report('decode', {
    figures: { decode: rows[1][2] },
    tables: [
      {
        title: `A page of 100 organizations, ${(text.length / 1000).toFixed(0)} KB: microseconds per page`,
        columns: [
          ['CPU', 0],
          ['x JSON.parse', 2],
        ],
        rows,
      },
    ],
  });
}
