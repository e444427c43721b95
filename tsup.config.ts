import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { joinPieces } from './scripts/client-modules.js';
import { joinEmulator } from './scripts/emulator-pieces.js';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

// Builds that run side by side would clean each other's files away.
rmSync('dist', { recursive: true, force: true });
rmSync('node_modules/.cache/sallyport', { recursive: true, force: true });

/** Records which files went into a build; `scripts/third-party-licenses.ts` reads it. Not part of the package. */
const contents = (name: string): Plugin => ({
  name: 'contents',
  setup({ initialOptions, onEnd }) {
    onEnd(({ metafile }) => {
      mkdirSync('node_modules/.cache/sallyport', { recursive: true });
      writeFileSync(`node_modules/.cache/sallyport/${name}-${initialOptions.format}.json`, JSON.stringify(metafile));
    });
  },
});

/** Makes the command line import the client, sessions, webhooks, mirror and emulator of the package, instead of copies. */
const commandLineBeside: Plugin = {
  name: 'command-line-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.\.\/)+(?:session|webhooks)\/index\.js$/ }, ({ path }) => ({
      path: `./node/${path.split('/').at(-2)}.js`,
      external: true,
    }));
    onResolve({ filter: /^(?:\.\.\/)+emulator\/index\.js$/ }, () => ({ path: './emulator.js', external: true }));
    onResolve({ filter: /^(?:\.\.\/)+mirror\/index\.js$/ }, () => ({ path: './mirror.js', external: true }));
    onResolve({ filter: /^\.\.\/\.\.\/index\.js$/ }, () => ({ path: './node/index.js', external: true }));
    onResolve({ filter: /^(?:\.\.\/)+emulator\/command-line\.js$/ }, () => ({
      path: './emulator-command-line.js',
      external: true,
    }));
  },
};

/** Makes `sallyport/testing` import the emulator and the sessions of the package, instead of copies. */
const packageBeside = (ending: 'js' | 'cjs'): Plugin => ({
  name: 'package-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/emulator\/index\.js$/ }, () => ({ path: `./emulator.${ending}`, external: true }));
    onResolve({ filter: /^\.\.\/session\/index\.js$/ }, () => ({ path: `./node/session.${ending}`, external: true }));
  },
});

/** Removes the comments that esbuild leaves in classes and objects: Node reads a client without them a millisecond sooner. */
const withoutComments: NonNullable<Options['plugins']>[number] = {
  name: 'without-comments',
  async renderChunk(code) {
    const bare = code.replace(
      /^[ \t]*(?:\/\/(?! src\/| node_modules\/)|\/\*\*(?:[^*]|\*(?!\/))*\*\/[ \t]*$).*\n/gm,
      '',
    );
    const [before, after] = await Promise.all([code, bare].map((one) => transform(one, { minifyWhitespace: true })));
    // A line of a string can look like a comment.
    if (before?.code !== after?.code) throw new Error('Removing the comments changed the code');
    return { code: bare };
  },
};

// `splitting` has its default. It splits ESM, and ky stays in its own file until the first request. It does not split CJS: a second
// compiler would then break some of the code.
const everything: Options = {
  outDir: 'dist',
  target: 'es2022',
  // The files read like the source without types and comments. Maps would be a third of the package.
  sourcemap: false,
  // The application brings Next and React.
  external: [/^(?:next\/|react$)/],
  noExternal: [/^(?!next\/|react$)/],
  removeNodeProtocol: false,
};

/** The entries that run on every platform with `fetch`, besides the client. */
const sources: Record<string, string> = {
  session: 'src/session/index.ts',
  webhooks: 'src/webhooks/index.ts',
  browser: 'src/browser/index.ts',
  react: 'src/react/index.ts',
  stores: 'src/stores/index.ts',
  streams: 'src/streams/index.ts',
  mirror: 'src/mirror/index.ts',
  express: 'src/adapters/express.ts',
  fastify: 'src/adapters/fastify.ts',
  hono: 'src/adapters/hono.ts',
  next: 'src/adapters/next.ts',
};
const web: Options = {
  ...everything,
  format: ['esm', 'cjs'],
  // Importing a Node module stops the build.
  platform: 'neutral',
  plugins: [withoutComments],
  // Only bundlers read the CommonJS of this build, and Node reads its own: without blanks, the package is smaller by a tenth.
  esbuildOptions(options, { format }) {
    options.minifyWhitespace = format === 'cjs';
  },
};

/**
 * The cryptography of Node instead of Web Crypto. The `imports` field of package.json could choose it, and `dist` would contain the
 * client once. But Parcel cannot resolve `#crypto` without a setting, Jest chooses Node's also for jsdom, and the second file makes the import of
 * `sallyport/webhooks` on Node take 4.4 ms instead of 2. Node, Bun, Deno, esbuild, Rollup, Vite, Vitest, webpack, Rspack and Next agree.
 */
const native: Options = {
  platform: 'node',
  esbuildOptions(options) {
    options.alias = { '#crypto': './src/crypto/native' };
  },
};

/** Without blanks, for files that are mostly inlined libraries. */
const minified: NonNullable<Options['esbuildOptions']> = (options) => {
  options.minifySyntax = true;
  options.minifyWhitespace = true;
};

/** The client in files that Node and bundlers load as they are needed: one for its start, and one for each part that comes later. */
const client = (name: string, folder: string): Options => ({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  outDir: `dist/${name}-pieces`,
  esbuildPlugins: [contents(name)],
  onSuccess: () => joinPieces(`dist/${name}-pieces`, folder),
});

export default defineConfig([
  { ...web, ...client('index', 'dist') },
  { ...web, ...native, ...client('index-node', 'dist/node') },
  // Each entry is one file, because each further file costs time at the import. Two entries still share a refresh, because they send the
  // same idempotency key.
  ...Object.entries(sources).map(([name, source]) => ({
    ...web,
    entry: { [name]: source },
    esbuildPlugins: [contents(name)],
  })),
  // Node, Bun and Deno get these builds of the entries that check seals, tokens and signatures. Each is one file, because each further file
  // costs time at the import.
  ...['session', 'webhooks'].map((name) => ({
    ...web,
    ...native,
    outDir: 'dist/node',
    entry: { [name]: sources[name]! },
    splitting: false,
    esbuildPlugins: [contents(`${name}-node`)],
  })),
  {
    ...everything,
    // One body for ESM and CJS, which `scripts/emulator-module.ts` writes, with the parts that are loaded later.
    entry: { 'emulator-body': 'src/emulator/body.ts' },
    format: 'esm',
    platform: 'node',
    outDir: 'dist/emulator-pieces',
    onSuccess: () => joinEmulator('dist/emulator-pieces'),
    esbuildOptions(options, context) {
      native.esbuildOptions?.(options, context);
      minified(options, context);
      // Saves a fifth of the largest file. Methods, properties and errors keep their names.
      options.minifyIdentifiers = true;
    },
    esbuildPlugins: [contents('emulator')],
  },
  ...(['esm', 'cjs'] as const).map(
    (format): Options => ({
      ...everything,
      entry: { testing: 'src/testing/index.ts' },
      format,
      platform: 'node',
      // Jest does not support `import()` in files that it requires.
      esbuildOptions(options) {
        if (format === 'cjs') options.supported = { 'dynamic-import': false };
      },
      esbuildPlugins: [contents('testing'), packageBeside(format === 'esm' ? 'js' : 'cjs')],
    }),
  ),
  {
    ...everything,
    entry: { cli: 'src/cli/main.ts' },
    format: 'esm',
    platform: 'node',
    esbuildOptions: minified,
    esbuildPlugins: [contents('cli'), commandLineBeside],
  },
]);
