import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { frameworkOf, manifestIn } from '../../src/cli/frameworks.js';
import { addCommand, packageManagerOf } from '../../src/cli/init/package-manager.js';
import { setupOf } from '../../src/cli/init/setup.js';

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text));
  }
  return folder;
}

/** The paths that init writes or prints for a project, and its command. */
function setup(files: Readonly<Record<string, string | object>>) {
  const folder = folderWith(files);
  const manifest = manifestIn(folder)!;
  const found = setupOf({ folder, manifest, framework: frameworkOf(manifest)! });
  return {
    paths: found.files.map(({ path }) => path),
    command: found.command,
    texts: found.files.map(({ text }) => text),
  };
}

describe('sallyport init on Next', () => {
  const next = { 'package.json': { dependencies: { next: '^16.0.0' } }, 'tsconfig.json': '{}' };

  test.each([
    ['the root folder if the app folder is in the root folder', { 'app/page.tsx': '' }, ''],
    ['the root folder if the src folder contains no app folder', { 'app/page.tsx': '', 'src/lib/format.ts': '' }, ''],
    ['the root folder if both app and src/app exist', { 'app/page.tsx': '', 'src/app/page.tsx': '' }, ''],
    ['src if the app folder is in src', { 'src/app/page.tsx': '' }, 'src/'],
    ['src if src/app is a folder and app is a file', { 'src/app/page.tsx': '', app: '' }, 'src/'],
  ])('writes files to %s', (_, files, root) => {
    expect(setup({ ...next, ...files }).paths).toEqual([
      `${root}sallyport.ts`,
      `${root}proxy.ts`,
      `${root}app/account/page.tsx`,
    ]);
  });

  test('rejects a project without an app folder', () => {
    expect(() => setup({ ...next, 'src/pages/index.tsx': '' })).toThrow('This project has no app folder.');
  });
});

describe('sallyport init on Nuxt', () => {
  const config = (text: string) => ({ 'nuxt.config.ts': `export default defineNuxtConfig({ ${text} })` });

  test.each([
    ['Nuxt 3 and the srcDir option', '^3.15.0', config("srcDir: 'src/'"), 'src/server'],
    ['Nuxt 3 and a srcDir option that starts with ./', '^3.15.0', config('srcDir: "./client"'), 'client/server'],
    [
      'Nuxt 3 and the Nuxt 4 layout',
      '^3.15.0',
      config("srcDir: 'app/', future: { compatibilityVersion: 4 }"),
      'server',
    ],
    ['Nuxt 3 and no srcDir option', '^3.15.0', config("modules: ['@nuxt/ui']"), 'server'],
    ['Nuxt 3 and a commented-out srcDir option', '^3.15.0', config("\n  // srcDir: 'src/'\n"), 'server'],
    ['Nuxt 4 and the srcDir option', '^4.5.0', config("srcDir: 'src/'"), 'server'],
    ['the serverDir option', '^4.5.0', config("serverDir: 'back'"), 'back'],
    ['the serverDir and srcDir options', '^3.15.0', config("srcDir: 'src/', serverDir: './back/'"), 'back'],
    ['an unknown Nuxt version and no srcDir option', 'latest', {}, 'server'],
    ['a srcDir folder outside the project', '^3.15.0', config("srcDir: '../elsewhere'"), 'server'],
  ])('finds the server folder of a project with %s', (_, nuxt, files, folder) => {
    expect(setup({ 'package.json': { dependencies: { nuxt } }, 'tsconfig.json': '{}', ...files }).paths).toEqual([
      `${folder}/middleware/session.ts`,
      `${folder}/routes/account.get.ts`,
    ]);
  });

  test('rejects a project with an unknown Nuxt version and the srcDir option', () => {
    expect(() => setup({ 'package.json': { dependencies: { nuxt: 'latest' } }, ...config("srcDir: 'src/'") })).toThrow(
      'init cannot tell the version of nuxt',
    );
  });
});

describe('sallyport init', () => {
  test.each<[string, Readonly<Record<string, string | object>>, readonly string[]]>([
    [
      "Astro's srcDir option",
      {
        'package.json': { dependencies: { astro: '^7.0.0' } },
        'astro.config.mjs': "export default defineConfig({ srcDir: './web/' })",
      },
      ['web/middleware.js', 'astro.config.mjs', 'web/pages/account.astro'],
    ],
    [
      "TanStack Start's srcDirectory option",
      {
        'package.json': { dependencies: { '@tanstack/react-start': '^1.140.0' } },
        'vite.config.js': "export default { plugins: [tanstackStart({ srcDirectory: 'site' })] }",
      },
      ['site/sessions.js', 'site/server.js', 'site/routes/account.jsx'],
    ],
    [
      "React Router's appDirectory option",
      {
        'package.json': { dependencies: { '@react-router/dev': '^8.0.0' } },
        'react-router.config.js': "export default { appDirectory: 'src/web' }",
        'src/web/root.jsx': '',
        'src/web/routes.js': '',
      },
      [
        'src/web/session.server.js',
        'src/web/routes/account.jsx',
        'src/web/routes/not-found.js',
        'src/web/root.jsx',
        'src/web/routes.js',
      ],
    ],
    [
      "SvelteKit's files option",
      {
        'package.json': { dependencies: { '@sveltejs/kit': '^2.60.0' } },
        'svelte.config.js':
          "export default { kit: { files: { lib: 'shared', routes: 'pages', hooks: { server: 'server/hooks' } } } }",
      },
      ['shared/server/sessions.js', 'server/hooks.js', 'pages/account/+page.server.js', 'pages/account/+page.svelte'],
    ],
  ])('writes files to the folders configured in %s', (_, files, paths) => {
    expect(setup(files).paths).toEqual(paths);
  });

  test('imports the sessions of a SvelteKit project from a custom lib folder', () => {
    const { texts } = setup({
      'package.json': { dependencies: { '@sveltejs/kit': '^2.60.0' } },
      'svelte.config.js': "export default { kit: { files: { lib: 'shared' } } }",
    });

    expect(texts[1]).toContain("from '$lib/server/sessions'");
  });
});

describe.each(['express', 'fastify', 'hono'])('sallyport init on %s', (name) => {
  const having = (more: object, devDependencies: object = {}) => ({
    'package.json': { dependencies: { [name]: '^5.0.0', '@hono/node-server': '2' }, devDependencies, ...more },
  });
  const typescript = { typescript: '^5.9.0', tsx: '^4.20.0' };

  test('writes a TypeScript server if TypeScript is a dependency', () => {
    expect(setup(having({ type: 'module' }, typescript))).toMatchObject({
      paths: ['sallyport.ts', 'server.ts'],
      command: 'npx tsx server.ts',
    });
    expect(setup(having({ type: 'module' })).paths).toEqual(['sallyport.js', 'server.js']);
  });

  test('writes a server to the src folder if the folder exists', () => {
    expect(setup({ ...having({ type: 'module' }, typescript), 'src/db.ts': '' })).toMatchObject({
      paths: ['src/sallyport.ts', 'src/server.ts'],
      command: 'npx tsx src/server.ts',
    });
  });

  test.each(['module', 'commonjs'])(
    'writes a server to the file that the dev script starts (package type %s)',
    (type) => {
      const { paths, command, texts } = setup(having({ type, scripts: { dev: 'tsx watch src/main.ts' } }, typescript));

      expect(paths).toEqual(['src/sallyport.ts', 'src/main.ts']);
      // The dev script of the project starts it.
      expect(command).toBeUndefined();
      expect(texts[1]).toContain("from './sallyport.js'");
    },
  );

  test("keeps the server's file names in a second run", () => {
    const project = having({ type: 'commonjs', scripts: { dev: 'tsx watch src/main.ts' } }, typescript);
    const { texts } = setup(project);

    const again = setup({ ...project, 'src/sallyport.ts': texts[0]!, 'src/main.ts': texts[1]! });

    expect(again.paths).toEqual(['src/sallyport.ts', 'src/main.ts']);
    expect(again.texts[0]).toBe(texts[0]);
  });

  test('writes no server to dist if the dev script runs a compiled file in dist', () => {
    const { paths, command } = setup(having({ type: 'module', scripts: { dev: 'node dist/main.js' } }, typescript));

    expect([paths, command]).toEqual([['sallyport.ts', 'server.ts'], 'npx tsx server.ts']);
  });

  test.each([
    ['pnpm exec', 'pnpm-lock.yaml', typescript, 'pnpm exec tsx server.ts'],
    ['pnpm dlx', 'pnpm-lock.yaml', { typescript: '5' }, 'pnpm dlx tsx server.ts'],
    ['bunx', 'bun.lock', typescript, 'bunx tsx server.ts'],
  ])('prints a command with %s to start a new server', (_runner, lock, devDependencies, command) => {
    expect(setup({ ...having({ type: 'module' }, devDependencies), [lock]: '' }).command).toBe(command);
  });
});

const workspace = { workspaces: ['apps/*'] };

test.each([
  ['npm', { 'package-lock.json': '' }, 'npx', 'npm install'],
  ['npm in a workspace', { 'package-lock.json': '', 'package.json': workspace }, 'npx', 'npm install'],
  ['pnpm', { 'pnpm-lock.yaml': '' }, 'pnpm exec', 'pnpm add'],
  ['pnpm in the root of a workspace', { 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': '' }, 'pnpm exec', 'pnpm add -w'],
  ['Yarn', { 'yarn.lock': '__metadata:\n  version: 8\n' }, 'yarn', 'yarn add'],
  ['Yarn in a workspace', { 'yarn.lock': '__metadata:\n', 'package.json': workspace }, 'yarn', 'yarn add'],
  ['Yarn 1', { 'yarn.lock': '# yarn lockfile v1\n' }, 'npx', 'yarn add'],
  [
    'Yarn 1 from the packageManager field',
    { 'package.json': { packageManager: 'yarn@1.22.22+sha512.a' } },
    'npx',
    'yarn add',
  ],
  ['Yarn 1 in a workspace', { 'yarn.lock': '# yarn lockfile v1\n', 'package.json': workspace }, 'npx', 'yarn add -W'],
  ['Yarn from the packageManager field', { 'package.json': { packageManager: 'yarn@4.9.1' } }, 'yarn', 'yarn add'],
  ['Bun', { 'bun.lock': '', 'package.json': workspace }, 'bunx', 'bun add'],
])('sallyport init uses the run and add commands of %s', (_, files, exec, add) => {
  const folder = folderWith({ 'package.json': {}, ...files });
  const manifest = manifestIn(folder)!;

  expect([packageManagerOf(folder, manifest).exec, addCommand(folder, manifest)]).toEqual([exec, add]);
});

test('sallyport init adds packages to a pnpm workspace member without the flag -w', () => {
  const folder = folderWith({ 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': '', 'apps/web/package.json': {} });

  expect(addCommand(join(folder, 'apps/web'), {})).toBe('pnpm add');
});

test('sallyport init writes typed imports for a Fastify server in a .cts file', () => {
  const { paths, texts } = setup({
    'package.json': { dependencies: { fastify: '^5.12.8' }, scripts: { dev: 'tsx main.cts' } },
    'tsconfig.json': '{}',
  });

  expect(paths).toEqual(['sallyport.cts', 'main.cts']);
  expect(texts[0]).toContain("import { fastifySession, type WithSession } from 'sallyport/fastify';\n");
  expect(texts[1]).toContain("require('./sallyport.cjs')");
});

describe('in the templates of sallyport init,', () => {
  const folder = 'src/cli/init/templates';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const pairs = (from: RegExp, to: string): [name: string, other: string][] =>
    names
      .filter((name) => from.test(name))
      .map((name): [string, string] => [name, name.replace(from, to)])
      .filter(([, other]) => names.includes(other));
  const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

  test.each(pairs(/\.ts(x?)$/, '.js$1'))('%s has the same code as %s', async (typed, untyped) => {
    const codeOf = async (name: string) => (await transform(read(name), { loader: 'tsx', jsx: 'preserve' })).code;

    expect(await codeOf(untyped)).toBe(await codeOf(typed));
    expect(read(untyped)).not.toBe(read(typed));
  });

  test.each(pairs(/\.js$/, '.cjs'))(
    '%s has the same code as %s, except for imports and exports',
    (module, commonJs) => {
      const codeOf = (name: string): string[] =>
        lines(read(name).replace(/^export (?=const)/gm, '')).filter(
          (line) => !/^(?:import |const [^=]+ = require\(|module\.exports = )/.test(line),
        );
      const specifiersOf = (name: string) =>
        [...read(name).matchAll(/(?:from |require\()'([^']+)'/g)].map(([, specifier]) => specifier);

      expect(codeOf(commonJs)).toEqual(codeOf(module));
      expect(specifiersOf(commonJs)).toEqual(specifiersOf(module));
    },
  );

  test.each(pairs(/added\.(c?js)$/, 'server.$1'))('%s consists of lines from %s', (added, server) => {
    expect(lines(read(server))).toEqual(expect.arrayContaining(lines(read(added))));
  });
});
