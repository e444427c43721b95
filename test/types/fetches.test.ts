import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, optionsOf } from '../builds/compiler.js';
import { folderWithPackage, type Unpacked } from '../package/install.js';
import { requires } from '../runner/requirements.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The types that a program has in each runtime. */
const runtimes = {
  'a browser': { types: [], lib: ['es2022', 'dom'] },
  'Node.js': { types: ['node'], lib: ['es2022'] },
  Bun: { types: ['bun-types'], lib: ['esnext'] },
  'Cloudflare Workers': { types: ['@cloudflare/workers-types'], lib: ['es2022'] },
} as const;

/** A program that passes this as \`fetch\` to every function that takes one. */
const passing = (fetch: string, imports = ''): string => `${imports}
  import { type Fetch, Sallyport } from 'sallyport';
  import { controlsAt } from 'sallyport/emulator';
  import { createSessionReader, createSessions, createTokenVerifier } from 'sallyport/session';
  const apiKey = 'sk_1', clientId = 'client_1', baseUrl = 'https://id.acme.test', cookiePassword = 'x'.repeat(32);
  new Sallyport({ apiKey, baseUrl, fetch: ${fetch} });
  createSessions({ clientId, baseUrl, cookiePassword, fetch: ${fetch} });
  createSessionReader({ clientId, baseUrl, cookiePassword, fetch: ${fetch} });
  createTokenVerifier({ clientId, baseUrl, fetch: ${fetch} });
  controlsAt({ baseUrl, apiKey, fetch: ${fetch} });
  export const named: Fetch = ${fetch};`;

/** Values that applications pass in every runtime. */
const everywhere = {
  'the global fetch': passing('fetch'),
  'a wrapper': passing('(url, init) => fetch(url, init)'),
  'a wrapper that adds an option': passing(
    '(url, init) => fetch(url, Object.assign({ ...init }, { proxy: "http://proxy" }))',
  ),
  'a wrapper with types': passing('async (input: string | URL | Request, init?: RequestInit) => fetch(input, init)'),
  'a response that was made up': passing('async () => new Response("{}")'),
  'the fetch of an emulator': passing(
    'emulator.fetch',
    "import { createEmulator } from 'sallyport/emulator';\nconst emulator = await createEmulator();",
  ),
};

/** Packages that make requests in Node.js. */
const ofNode = {
  'the fetch of undici': passing('fetch', "import { fetch } from 'undici';"),
  'a wrapper of undici with a dispatcher': passing(
    '(url, init) => fetch(url, { ...init, dispatcher: new Agent() })',
    "import { Agent, fetch } from 'undici';",
  ),
  'the fetch of node-fetch': passing('fetch', "import fetch from 'node-fetch';"),
  'a wrapper of node-fetch': passing(
    '(url, init) => fetch(url, { ...init, compress: false })',
    "import fetch from 'node-fetch';",
  ),
};

/** Values that are not a \`fetch\`. */
const wrong = {
  'a fetch that returns JSON': passing('async (url: string) => ({ url })'),
  'a fetch that needs a third argument': passing(
    '(url: string, init: object, more: string) => fetch(url + more, init)',
  ),
  'an address': passing('"https://id.acme.test"'),
};

requires('test/transport/fetches/node_modules')('the published types', () => {
  let installed: Unpacked;

  /** Compile programs with the types of a runtime. Returns the errors of each program that has any. */
  const complaints = (programs: Readonly<Record<string, string>>, runtime: keyof typeof runtimes) => {
    const files = Object.entries(programs).map(([title, text], at) => [title, text, `program-${at}.mts`] as const);
    for (const [, text, file] of files) writeFileSync(join(installed.folder, file), text);
    const options = optionsOf({
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      module: 'nodenext',
      typeRoots: [join(installed.folder, 'node_modules/@types'), join(installed.folder, 'node_modules')],
      ...runtimes[runtime],
    });
    const names = files.map(([, , file]) => file);
    const found = compile(installed.folder, names, options);
    const lists = [
      ...files.map(([title, , file]) => [title, found[file]] as const),
      ['options', found.elsewhere] as const,
    ];
    return Object.fromEntries(lists.filter(([, list]) => list?.length));
  };

  beforeAll(async () => {
    installed = await folderWithPackage();
    const packages = ['@cloudflare/workers-types', '@types/node', 'bun-types', 'node-fetch', 'undici', 'undici-types'];
    for (const name of [...packages, 'fetch-blob', 'formdata-polyfill'])
      link(name, here('../transport/fetches/node_modules'));
    link('node-sqlite3-wasm', here('../../node_modules'));
  });
  const link = (name: string, from: string): void => {
    const to = join(installed.folder, 'node_modules', name);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(join(from, name), to);
  };
  afterAll(() => installed?.remove());

  test.each(Object.keys(runtimes) as (keyof typeof runtimes)[])(
    'accept every kind of fetch function when compiled with types for %s',
    (runtime) => {
      expect(complaints(everywhere, runtime)).toEqual({});
    },
  );

  test('accept fetch from undici and from node-fetch', () => {
    expect(complaints(ofNode, 'Node.js')).toEqual({});
  });

  test.each(Object.keys(runtimes) as (keyof typeof runtimes)[])(
    'reject an unsuitable fetch option when compiled with types for %s',
    (runtime) => {
      expect(Object.keys(complaints(wrong, runtime))).toEqual(Object.keys(wrong));
    },
  );

  test.each(Object.keys(runtimes) as (keyof typeof runtimes)[])(
    'accept readonly arrays and event handlers when compiled with types for %s',
    (runtime) => {
      const programs = ['readonly', 'handlers'].map((name) => [
        name,
        readFileSync(here(`${name}.test-d-like.ts`), 'utf8')
          .replace(/\.\.\/\.\.\/src\/index\.js/, 'sallyport')
          .replace(/\.\.\/\.\.\/src\/(\w+)\/index\.js/g, 'sallyport/$1'),
      ]);

      expect(complaints(Object.fromEntries(programs), runtime)).toEqual({});
    },
  );
});
