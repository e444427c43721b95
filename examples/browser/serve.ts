// Serves the single-page application of this folder and an emulator to sign in at: `npx tsx examples/browser/serve.ts`.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createEmulator, type Emulator, type EmulatorOptions } from 'sallyport/emulator';

/** The application and the service it signs users in at, both on this machine. */
export interface Served {
  /** Where the application is. */
  readonly url: string;
  readonly emulator: Emulator;
  close(): Promise<void>;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** @param storage Where the application keeps its refresh token: `memory`, `session` or `local`. */
export async function serveExample(storage = 'memory', options: EmulatorOptions = {}): Promise<Served> {
  const emulator = await createEmulator({
    seed: { users: [{ email: 'ada@example.com', first_name: 'Ada', email_verified: true, password: 'correct horse' }] },
    ...options,
  });
  const service = await emulator.listen();
  const { outputFiles } = await build({
    entryPoints: [here('app.ts')],
    bundle: true,
    // What few pages need comes in a file of its own.
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
    // Every other path is the page, which finds out itself what to show.
    const [type, content] = files[url] ?? ['text/html', page];
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      // Neither inline scripts nor eval; besides its own server the page talks to the service alone.
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${service}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port gives an address with a port.
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
