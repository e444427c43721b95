import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { signWebhook } from 'sallyport/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { body } from './delivery.js';

const packages = 'test/frameworks/installed/next/node_modules';
const secret = 'whsec_next';
const answering = (options: string) => `import { receive } from '../../webhooks.js';
${options}
export default async function handler(request, response) {
  const { httpStatus, text } = await receive(request, { secret: '${secret}', handler: () => undefined });
  response.writeHead(httpStatus).end(text);
}`;
/** An application with a route in each of the two routers, and one whose body is parsed. */
const files: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  'next.config.js': 'export default {};',
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/webhooks/route.js': `import { webhookHandler } from '../../webhooks.js';
export const POST = webhookHandler({ secret: '${secret}', handler: () => undefined });`,
  'pages/api/webhooks.js': answering('export const config = { api: { bodyParser: false } };'),
  'pages/api/parsed.js': answering(''),
};

requires(packages)('Next itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-next-'));
  let url = '';
  let end = async (): Promise<void> => undefined;
  beforeAll(async () => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    symlinkSync(resolve(packages), join(folder, 'node_modules'));
    await build({
      entryPoints: ['src/webhooks/index.ts'],
      outfile: join(folder, 'webhooks.js'),
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
    });
    const next = resolve(packages, 'next/dist/bin/next');
    // In development a refusal is answered with its message too.
    const server = spawn(process.execPath, [next, 'dev', '--webpack', '--port', '0', '--hostname', '127.0.0.1'], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' },
      detached: true,
    });
    // The server starts child processes, so the whole group is ended.
    end = async () => {
      process.kill(-server.pid!, 'SIGKILL');
      await once(server, 'exit');
    };
    url = await new Promise((ready, fail) => {
      let said = '';
      const listen = (chunk: Buffer): void => {
        said += chunk;
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
        if (address) ready(address);
      };
      server.stdout.on('data', listen);
      server.stderr.on('data', listen);
      server.once('exit', () => fail(new Error(said)));
    });
  });
  afterAll(async () => {
    await end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const deliver = async (path: string, by = secret) => {
    const sigHeader = await signWebhook({ payload: body, secret: by, timestamp: Date.now() });
    const headers = { 'content-type': 'application/json', 'service-signature': sigHeader };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    return `${response.status} ${await response.text()}`;
  };

  test.each(['/webhooks', '/api/webhooks'])(
    'takes a delivery at %s, and refuses a forged one',
    async (path) => {
      expect(await deliver(path)).toBe('200 handled');
      expect(await deliver(path, 'whsec_another')).toMatch(
        /^400 signature_mismatch: No signature of the request matches/,
      );
    },
    120_000,
  );

  test('says of a body that its parser has read what to do', async () => {
    expect(await deliver('/api/parsed')).toMatch(/^500 body_already_parsed: .*bodyParser: false/);
  }, 120_000);
});
