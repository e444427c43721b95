import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { apiKey, say } from '../servers/server.js';
import { wireOrganization } from '../servers/wire.js';
import { serveList } from './list-service.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = fileURLToPath(new URL('fetches/node_modules', import.meta.url));

/** The program of each runtime: a call, a list of three pages, an unanswered call, and one with an endless response. */
const calls = (url: string): string => `
  import { Sallyport } from 'sallyport';
  const codeOf = (call) => call.then(() => 'answered', ({ code, message }) => code + ': ' + message);
  async function play(fetch) {
    const sallyport = new Sallyport({ apiKey: '${apiKey}', baseUrl: '${url}', fetch, maxRetries: 0 });
    const { organizations } = sallyport;
    const { name } = await organizations.createOrganization({ name: 'Grüße' });
    const ids = [];
    for await (const { id } of organizations.listOrganizations({ limit: 2 })) ids.push(id);
    const silent = await codeOf(organizations.getOrganization('org_silent', { timeoutMs: 200 }));
    const endless = await codeOf(sallyport.with({ maxResponseBytes: 1_000 }).organizations.getOrganization('org_endless'));
    console.log(JSON.stringify({ name, ids, silent, endless }));
  }`;

const workerConfig = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "program", worker = .program), (name = "internet", network = (allow = ["local"]))],
);
const program :Workerd.Worker = (
  modules = [(name = "program.mjs", esModule = embed "program.mjs")],
  compatibilityDate = "2026-11-01",
);`;

const own = 'await play((url, init) => fetch(url, init));';
const kinds = [
  ['of Node.js', ['node24', 'program.mjs'], own],
  ['of Bun', ['bun', '--no-install', 'program.mjs'], own],
  ['of Cloudflare Workers', ['workerd', 'test', 'program.capnp'], `export default { async test() { ${own} } };`],
  ['of undici', ['node24', 'program.mjs'], "import { fetch } from 'undici'; await play(fetch);"],
  ['of node-fetch', ['node24', 'program.mjs'], "import fetch from 'node-fetch'; await play(fetch);"],
] as const;

requires(
  'node24',
  'bun',
  'workerd',
  'test/transport/fetches/node_modules',
)('a client', () => {
  test.each(kinds)(
    'with the fetch function %s sends calls, iterates over lists, and applies time and size limits',
    async (_, [program, ...args], start) => {
      const cuts: Record<string, Promise<boolean>> = {};
      const server = await serveList(5, ({ method, path, cut }, _, __, response) => {
        cuts[path] = cut;
        if (method === 'POST') say(response, { status: 201, body: wireOrganization({ name: 'Grüße' }) });
        if (path.endsWith('/org_endless')) {
          response.writeHead(200, { 'content-type': 'application/json' });
          const more = (): unknown => response.destroyed || response.write(' '.repeat(600), () => setImmediate(more));
          more();
        }
        return path.includes('org_') || method === 'POST' ? 'answered' : undefined;
      });
      // The programs import packages from the folder above.
      const folder = mkdtempSync(join(packages, '.program-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const { outputFiles } = await build({
        stdin: { contents: calls(server.url) + start, resolveDir: root, loader: 'ts' },
        bundle: true,
        format: 'esm',
        platform: 'neutral',
        external: ['undici', 'node-fetch'],
        write: false,
        logLevel: 'silent',
      });
      writeFileSync(join(folder, 'program.mjs'), outputFiles[0]!.text);
      writeFileSync(join(folder, 'program.capnp'), workerConfig);

      const { stdout } = await promisify(execFile)(program, args, { cwd: folder, timeout: 30_000 });

      expect(JSON.parse(stdout)).toEqual({
        name: 'Grüße',
        ids: ['org_0000', 'org_0001', 'org_0002', 'org_0003', 'org_0004'],
        silent: expect.stringMatching(/^timeout: /),
        endless: expect.stringMatching(/^unexpected_response: .*larger than maxResponseBytes, 1000 bytes/),
      });
      expect(await cuts['/organizations/org_silent']).toBe(true);
      expect(await cuts['/organizations/org_endless']).toBe(true);
    },
    60_000,
  );
});
