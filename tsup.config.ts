import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { joinPieces } from './scripts/client-modules.js';
import { joinEmulator } from './scripts/emulator-pieces.js';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

// Builds that run side by side would clean each other's files away.
rmSync('dist', { recursive: true, force: true });
rmSync('node_modules/.cache/sallyport', { recursive: true, force: true });

/** Writes down which files went into a build; `scripts/third-party-licenses.ts` reads it. Not part of the package. */
const contents = (name: string): Plugin => ({
  name: 'contents',
  setup({ initialOptions, onEnd }) {
    onEnd(({ metafile }) => {
      mkdirSync('node_modules/.cache/sallyport', { recursive: true });
      writeFileSync(`node_modules/.cache/sallyport/${name}-${initialOptions.format}.json`, JSON.stringify(metafile));
    });
  },
});

/** Makes the command line import the client, sessions, webhooks, mirror and emulator of the package, instead of holding copies. */
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

/** Lets tests import the emulator and the sessions they are shipped with, instead of holding a copy of them. */
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

// `splitting` is left to its default, which splits ESM, so that ky stays a file of its own until the first request, and
// never CJS: there it would send the code through a second compiler, which breaks some of it.
const everything: Options = {
  outDir: 'dist',
  target: 'es2022',
  // The files read as they were written, but for types and comments; maps would be a third of the package.
  sourcemap: false,
  // Next and React are whichever the application has.
  external: [/^(?:next\/|react$)/],
  noExternal: [/^(?!next\/|react$)/],
  removeNodeProtocol: false,
};

/** The entries that run wherever there is `fetch`, beside the client. */
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
  // Bundlers read this one where somebody requires it, and Node its own: without blanks the package is smaller by a tenth.
  esbuildOptions(options, { format }) {
    options.minifyWhitespace = format === 'cjs';
  },
};

/**
 * Node's own cryptography in place of the web's. The `imports` field of package.json could choose it, and `dist` would hold the client once.
 * But Parcel cannot resolve `#crypto` without a setting, Jest chooses Node's also for jsdom, and the second file makes the import of
 * `sallyport/webhooks` on Node take 4.4 ms instead of 2. Node, Bun, Deno, esbuild, Rollup, Vite, Vitest, webpack, Rspack and Next agree.
 */
const native: Options = {
  platform: 'node',
  esbuildOptions(options) {
    options.alias = { '#crypto': './src/crypto/native' };
  },
};

/** Without blanks, for what is mostly other people's code. */
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
  // Each entry by itself: every file that one is made of costs time when it is imported. Refreshes of two entries are still
  // one at the service, which knows them by their idempotency key.
  ...Object.entries(sources).map(([name, source]) => ({
    ...web,
    entry: { [name]: source },
    esbuildPlugins: [contents(name)],
  })),
  // What Node, Bun and Deno get of those that check seals, tokens and signatures. In one file each: nobody sends it to a browser,
  // and every file costs time when it is imported.
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
    // One for both forms, which `scripts/emulator-module.ts` makes, and what is loaded later beside it.
    entry: { 'emulator-body': 'src/emulator/body.ts' },
    format: 'esm',
    platform: 'node',
    outDir: 'dist/emulator-pieces',
    onSuccess: () => joinEmulator('dist/emulator-pieces'),
    esbuildOptions(options, context) {
      native.esbuildOptions?.(options, context);
      minified(options, context);
      // A fifth of the largest file. Methods and properties keep their names, and so do errors.
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
      // Jest knows no import in what it requires.
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
