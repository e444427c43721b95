// Time from process start to the first response: programs that get one organization from a fixed service, print its id and exit.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { organizationAt } from './harness/organizations.mjs';
import { report } from './harness/report.mjs';
import { startService } from './harness/service.mjs';
import { builtForNode, ensureBuilt, results } from './harness/subject.mjs';
import { difference, quick, ratio, takeTurns, typical } from './harness/turns.mjs';

ensureBuilt();
const folder = join(results, 'cold-start');
mkdirSync(folder, { recursive: true });
const service = await startService({ records: 100 });
const { id } = organizationAt(0);
const { hostname, port } = new URL(service.url);
const address = JSON.stringify(`${service.url}/organizations/${id}`);
const headers = "{ accept: 'application/json', authorization: 'Bearer sk_test_bench' }";
const ours = JSON.stringify(pathToFileURL(builtForNode('index.js')).href);

/** The imports of each program, and its call. */
const programs = {
  'node:http': [
    "import { get } from 'node:http';",
    `await new Promise((resolve) => get(${address}, { headers: ${headers} }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(JSON.parse(text));
    }))`,
  ],
  'raw fetch': ['', `JSON.parse(await (await fetch(${address}, { headers: ${headers} })).text())`],
  'ky 2.1.0': [
    "import ky from 'ky';",
    `JSON.parse(await (await ky(${address}, { headers: ${headers}, retry: 0, timeout: false, throwHttpErrors: false })).text())`,
  ],
  sallyport: [
    `import { Sallyport } from ${ours};`,
    `await new Sallyport({ apiKey: 'sk_test_bench', baseUrl: '${service.url}' }).organizations.getOrganization('${id}')`,
  ],
  '@workos-inc/node 11.0.0': [
    "import { WorkOS } from '@workos-inc/node';",
    `await new WorkOS('sk_test_bench', { apiHostname: '${hostname}', port: ${port}, https: false }).organizations.getOrganization('${id}')`,
  ],
  'stripe 23.1.0': [
    "import Stripe from 'stripe';",
    `await new Stripe('sk_test_bench', { host: '${hostname}', port: ${port}, protocol: 'http', telemetry: false }).customers.retrieve('${id}')`,
  ],
  'openai 7.55.0': [
    "import OpenAI from 'openai';",
    `await new OpenAI({ apiKey: 'sk_test_bench', baseURL: '${service.url}/v1' }).models.retrieve('${id}')`,
  ],
};

const contenders = {};
for (const [name, [statement, got]] of Object.entries(programs)) {
  const file = join(folder, `${name.replace(/[^a-z0-9]/g, '-')}.mjs`);
  // Exit immediately, so that open connections do not delay the end of the process.
  writeFileSync(
    file,
    `import { writeSync } from 'node:fs';\n${statement}\nconst { id } = ${got};\nwriteSync(1, id);\nprocess.exit();\n`,
  );
  contenders[name] = () => {
    const began = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    const wallMs = performance.now() - began;
    if (status !== 0 || stdout !== id) throw new Error(`${name} did not get the organization: ${stderr}`);
    return { wallMs };
  };
}

const samples = await takeTurns(contenders, { rounds: quick ? 4 : 25, warmUp: 1 });
service.stop();
const rows = Object.keys(programs).map((name) => [
  name,
  typical(samples, name, 'wallMs'),
  difference(samples, name, 'raw fetch', 'wallMs'),
  ratio(samples, name, 'raw fetch', 'wallMs'),
]);
report('cold-start', {
  figures: Object.fromEntries(rows.map(([name, , , overFetch]) => [`cold.${name}`, overFetch])),
  tables: [
    {
      title: 'From process start to the first response',
      columns: [
        ['ms', 1],
        ['over raw fetch', 1],
        ['x raw fetch', 2],
      ],
      rows,
    },
  ],
});
