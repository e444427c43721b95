// Serve the single-page application in this folder, and an emulator for signing in: `npx tsx examples/browser/serve.ts`.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createEmulator, type Emulator, type EmulatorOptions } from 'sallyport/emulator';

/** The running application and its emulator. */
export interface Served {
  /** URL of the application. */
  readonly url: string;
  readonly emulator: Emulator;
  close(): Promise<void>;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** @param storage Storage of the refresh token: `memory`, `session` or `local`. */
export async function serveExample(storage = 'memory', options: EmulatorOptions = {}): Promise<Served> {
  const emulator = await createEmulator({
    dialect: 'workos',
    seed: { users: [{ email: 'ada@example.com', first_name: 'Ada', email_verified: true, password: 'correct horse' }] },
    ...options,
  });
  const service = await emulator.listen();
  const { outputFiles } = await build({
    entryPoints: [here('app.ts')],
    bundle: true,
    // Put rarely used code into separate files.
    splitting: true,
    outdir: '/',
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const page = (await readFile(here('index.html'), 'utf8'))
    .replace('http://127.0.0.1:4100', service)
    .replace('data-storage="memory"', `data-storage="${storage}"`);
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    ...Object.fromEntries(outputFiles.map(({ path, text }) => [`/${basename(path)}`, ['text/javascript', text]])),
    '/app.css': ['text/css', await readFile(here('app.css'), 'utf8')],
  };
  const server = createServer(({ url = '/' }, response) => {
    // Every other path serves the page, whose script handles it.
    const [type, content] = files[url] ?? ['text/html', page];
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      // No inline scripts and no eval. The page connects only to its own server and the service.
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${service}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  await emulator.addRedirectUri(`${url}/callback`);
  await emulator.addRedirectUri(`${url}/`);
  return {
    url,
    emulator,
    async close() {
      await emulator.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serveExample();
  console.log(`Open ${url} and sign in as ada@example.com with the password "correct horse".`);
}
