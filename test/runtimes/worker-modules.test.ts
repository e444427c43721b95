import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { requires } from '../runner/requirements.js';

const root = join(import.meta.dirname, '../..');
const config = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .main)]);
const main :Workerd.Worker = (
  modules = [(name = "program.mjs", esModule = embed "program.mjs")],
  compatibilityDate = "2026-05-01",
);
`;

/** Run a module as a worker. Its top level may neither create random values nor start timers. */
async function runAsWorker(contents: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { outputFiles } = await build({
    stdin: {
      contents: `${contents}\nexport default { test() { console.log('loaded'); } };`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['next/*', 'react'],
    write: false,
    logLevel: 'silent',
  });
  writeFileSync(join(folder, 'program.mjs'), outputFiles[0]!.text);
  writeFileSync(join(folder, 'program.capnp'), config);
  const run = promisify(execFile)('workerd', ['test', 'program.capnp'], { cwd: folder, timeout: 30_000 });
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

requires('workerd')('at the top level of a worker module,', () => {
  test.each(['index', 'session/index', 'webhooks/index', 'stores/index', 'streams/index', 'adapters/hono'])(
    'the entry point src/%s.ts creates no random value and starts no timer',
    async (entry) => {
      const program = `import * as entry from './src/${entry}.ts';\nglobalThis.entry = entry;`;

      expect(await runAsWorker(program)).toContain('loaded');
    },
  );

  test.each(['crypto.randomUUID()', 'setTimeout(() => {}, 1)'])('workerd rejects the call %s', async (call) => {
    expect(await runAsWorker(`${call};`)).toContain('Disallowed operation called within global scope');
  });
});
