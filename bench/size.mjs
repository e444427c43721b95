// The size of a bundled program that uses an entry, minified and gzipped; and the size of the npm download.
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { report } from './harness/report.mjs';
import { built, dist, ensureBuilt, esbuild, root } from './harness/subject.mjs';

ensureBuilt();
const client = (rest) => `import { Sallyport } from '${built('index.js')}';\nconst client = new Sallyport();\n${rest}`;
const programs = {
  'sallyport, client with all resources': client('globalThis.client = client;'),
  'sallyport, client, one resource used': client('globalThis.organizations = client.organizations;'),
  'sallyport/webhooks': `import { verifyWebhook } from '${built('webhooks.js')}';\nglobalThis.verify = verifyWebhook;`,
  'sallyport/webhooks, receive': `import { receive } from '${built('webhooks.js')}';\nglobalThis.receive = receive;`,
  'sallyport/streams, everything': `import * as streams from '${built('streams.js')}';\nglobalThis.streams = streams;`,
  'sallyport/streams, only follow': `import { follow } from '${built('streams.js')}';\nglobalThis.follow = follow;`,
  'sallyport/stores': `import * as stores from '${built('stores.js')}';\nglobalThis.stores = stores;`,
  'sallyport/session': `import { createSessions } from '${built('session.js')}';\nglobalThis.create = createSessions;`,
  'sallyport/session, reader': `import { createSessionReader } from '${built('session.js')}';\nglobalThis.create = createSessionReader;`,
  ...Object.fromEntries(
    ['express', 'fastify', 'hono', 'next', 'react'].map((entry) => [
      `sallyport/${entry}`,
      `import * as entry from '${built(`${entry}.js`)}';\nglobalThis.entry = entry;`,
    ]),
  ),
  'sallyport/browser': `import * as browser from '${built('browser.js')}';\nglobalThis.browser = browser;`,
  'hand-written iron-webcrypto and jose': `import { unseal } from 'iron-webcrypto';\nimport { createRemoteJWKSet, jwtVerify } from 'jose';\nglobalThis.check = [unseal, createRemoteJWKSet, jwtVerify];`,
  '@workos-inc/node 11.0.0': "import { WorkOS } from '@workos-inc/node';\nglobalThis.client = new WorkOS('sk');",
  'stripe 23.1.0': "import Stripe from 'stripe';\nglobalThis.client = new Stripe('sk');",
  'openai 7.55.0': "import OpenAI from 'openai';\nglobalThis.client = new OpenAI();",
  'ky 2.1.0': "import ky from 'ky';\nglobalThis.ky = ky;",
};

/** Keeps lazily loaded parts out of the bundle. */
const excludeLazyParts = {
  name: 'kept-apart',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};

async function bundled(contents, plugins = []) {
  const { outputFiles } = await esbuild().build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
    // Applications that import these entries already have these packages.
    external: ['next/*', 'react'],
    plugins,
  });
  const [{ contents: code }] = outputFiles;
  return { minified: code.length, gzipped: gzipSync(code, { level: 9 }).length };
}

/** Bundle a program with code splitting, and gzip it and its loaded parts separately. */
async function bundledWith(contents, parts) {
  const { outputFiles, metafile } = await esbuild().build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: '.',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const { outputs } = metafile;
  const loaded = new Set();
  const load = (name) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { path, kind } of outputs[name].imports) if (kind === 'import-statement') load(path);
  };
  const isLoaded = ([name, { entryPoint }]) =>
    entryPoint === '<stdin>' || (entryPoint && parts.some((part) => name.startsWith(`${part}-`)));
  for (const [name] of Object.entries(outputs).filter(isLoaded)) load(name);
  const files = outputFiles.filter(({ path }) => loaded.has(basename(path))).map(({ contents: code }) => code);
  return {
    minified: files.reduce((sum, code) => sum + code.length, 0),
    gzipped: files.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0),
  };
}

const kib = (bytes) => bytes / 1024;
const figures = {};
const rows = [];
for (const [name, program] of Object.entries(programs)) {
  const { minified, gzipped } = await bundled(program);
  rows.push([name, kib(minified), kib(gzipped)]);
  figures[`size.${name}`] = kib(gzipped);
}
const whole = programs['sallyport, client with all resources'];
const moments = {
  'sallyport/browser before sign-in': await bundled(programs['sallyport/browser'], [excludeLazyParts]),
  'sallyport/session, reader without lazy parts': await bundled(programs['sallyport/session, reader'], [
    excludeLazyParts,
  ]),
  'sallyport/session, without lazy parts': await bundled(programs['sallyport/session'], [excludeLazyParts]),
  'sallyport, client after its first call': await bundledWith(whole, ['ky', 'organizations']),
  'sallyport, client before its first call': await bundled(whole, [excludeLazyParts]),
};
for (const [name, { minified, gzipped }] of Object.entries(moments)) {
  rows.unshift([name, kib(minified), kib(gzipped)]);
  figures[`size.${name}`] = kib(gzipped);
}
const tables = [
  {
    title: 'Bundles for a browser, KiB',
    columns: [
      ['minified', 1],
      ['gzip', 1],
    ],
    rows,
  },
];

if (!process.env.SALLYPORT_DIST) {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ size, unpackedSize, entryCount }] = JSON.parse(packed.slice(packed.indexOf('[')));
  figures['size.tarball'] = kib(size);
  tables.push({
    title: 'The package, KiB',
    columns: [
      ['tarball', 0],
      ['unpacked', 0],
      ['files', 0],
    ],
    rows: [['sallyport', kib(size), kib(unpackedSize), entryCount]],
  });
}
process.stderr.write(`measured ${dist}\n`);
report('size', { figures, tables });
