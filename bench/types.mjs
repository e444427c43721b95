// The CPU time of the type checker for a program that imports a package, with the declarations of all libraries checked too.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './harness/report.mjs';
import { built, ensureBuilt, results, root } from './harness/subject.mjs';
import { quick, ratio, takeTurns, typical } from './harness/turns.mjs';

const file = fileURLToPath(import.meta.url);
const list = (client) =>
  `${client}\nexport const page = await client.organizations.listOrganizations({ limit: 10 });\nexport const name: string | undefined = page.data[0]?.name;\n`;
const programs = {
  nothing: 'export const page = 1;\n',
  sallyport: list(
    "import { Sallyport } from 'sallyport';\nconst client = new Sallyport({ apiKey: 'sk_test_bench', clientId: 'client_bench' });",
  ),
  '@workos-inc/node': list(
    "import { WorkOS } from '@workos-inc/node';\nconst client = new WorkOS('sk_test_bench', { clientId: 'client_bench' });",
  ),
  stripe:
    "import Stripe from 'stripe';\nconst client = new Stripe('sk_test_bench');\nexport const page = await client.customers.list({ limit: 10 });\n",
};

/** Check one program in this process. The declarations of Node.js belong to each program, as in most applications. */
function check(program) {
  const ts = createRequire(join(root, 'package.json'))('typescript');
  const checked = ts.createProgram([program], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: { sallyport: [built('index.d.ts')] },
  });
  const before = process.cpuUsage();
  const problems = [...checked.getGlobalDiagnostics(), ...checked.getSemanticDiagnostics()];
  const { user, system } = process.cpuUsage(before);
  const [problem] = problems;
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  process.stdout.write(
    JSON.stringify({ cpuMs: (user + system) / 1_000, instantiations: checked.getInstantiationCount() }),
  );
}

function compare() {
  ensureBuilt();
  const folder = join(results, 'types');
  mkdirSync(folder, { recursive: true });
  const checked = (name) => {
    const program = join(folder, `${name.replace(/[^a-z]/g, '-')}.mts`);
    writeFileSync(program, programs[name]);
    return async () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, program], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
      return JSON.parse(stdout);
    };
  };
  return takeTurns(Object.fromEntries(Object.keys(programs).map((name) => [name, checked(name)])), {
    rounds: quick ? 2 : 7,
    warmUp: 1,
  });
}

const [program] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (program) check(program);
else {
  const samples = await compare();
  const names = Object.keys(programs);
  const cpuMs = (name) => typical(samples, name, 'cpuMs');
  const overIncumbent = (name) => ratio(samples, name, '@workos-inc/node', 'cpuMs');
  report('types', {
    figures: Object.fromEntries(names.slice(1).map((name) => [`types.${name}`, overIncumbent(name)])),
    tables: [
      {
        title: 'Type check of a program that imports a package, `skipLibCheck: false`',
        columns: [
          ['CPU ms', 0],
          ['@workos-inc/node = 1', 2],
          ['instantiations', 0],
        ],
        rows: names.map((name) => [name, cpuMs(name), overIncumbent(name), typical(samples, name, 'instantiations')]),
      },
    ],
  });
}
