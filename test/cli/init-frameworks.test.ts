import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { example, exampleOfNewProject, manifest, project } from './project.js';

const { write, read, files, init, done, unfinished } = project();

/** The files of framework generators, as far as init reads them. */
const generated = {
  nuxt: {
    ...manifest({ nuxt: '^4.5.2', vue: '^3.5.45' }, { type: 'module', scripts: { dev: 'nuxt dev' } }),
    'tsconfig.json': '{ "files": [], "references": [] }',
    'app/app.vue': '<template>\n  <NuxtWelcome />\n</template>\n',
  },
  astro: {
    ...manifest({ astro: '^7.3.4' }, { type: 'module', scripts: { dev: 'astro dev' } }),
    'tsconfig.json': '{ "extends": "astro/tsconfigs/strict" }',
    'astro.config.mjs': "import { defineConfig } from 'astro/config';\n\nexport default defineConfig({});\n",
    'src/pages/index.astro': '<h1>Astro</h1>\n',
  },
  'tanstack-start': {
    ...manifest(
      { '@tanstack/react-start': '^1.169.5', react: '^19.3.1' },
      { scripts: { dev: 'vite dev --port 3000' } },
    ),
    'tsconfig.json': '{}',
    'src/router.tsx': "declare module '@tanstack/react-start' {\n  interface Register {}\n}\n",
    'src/routes/index.tsx': '',
  },
  'react-router': {
    ...manifest({ 'react-router': '8.4.0' }, { devDependencies: { '@react-router/dev': '8.4.0' } }),
    'tsconfig.json': '{}',
    'app/root.tsx': 'export default function App() {}\n',
    'app/routes.ts': 'export default [index("routes/home.tsx")] satisfies RouteConfig;\n',
  },
  fastify: manifest({ fastify: '^5.12.8' }, { type: 'module' }),
  hono: manifest({ hono: '^4.13.19', '@hono/node-server': '^2.1.8' }, { type: 'module' }),
};
type Name = keyof typeof generated;

/** The project of a generator, with added or replaced files. */
const having = (name: Name, texts: Readonly<Record<string, string>>) => ({ ...generated[name], ...texts });

/** The same project in JavaScript. */
const inJavaScript = (name: Name) =>
  Object.fromEntries(
    Object.entries(generated[name])
      .filter(([file]) => file !== 'tsconfig.json')
      .map(([file, text]) => [file.replace(/\.ts(x?)$/, '.js$1'), text]),
  );

/** The files that are written into an empty project, and the files in `examples` whose text they have, or their templates. */
const copies: Readonly<Record<Name, Readonly<Record<string, string>>>> = {
  nuxt: {
    'server/middleware/session.ts': 'frameworks/nuxt/server/middleware/session.ts',
    'server/routes/account.get.ts': 'templates/nuxt/account.get.ts',
  },
  astro: {
    'src/env.d.ts': 'frameworks/astro/src/env.d.ts',
    'src/middleware.ts': 'frameworks/astro/src/middleware.ts',
    'src/pages/account.astro': 'templates/astro/account.astro',
  },
  'tanstack-start': {
    'src/routes/account.tsx': 'templates/tanstack-start/account.tsx',
    'src/server.ts': 'frameworks/tanstack-start/src/server.ts',
    'src/sessions.ts': 'frameworks/tanstack-start/src/sessions.ts',
  },
  'react-router': {
    'app/routes/account.tsx': 'templates/react-router/account.tsx',
    'app/routes/not-found.ts': 'frameworks/react-router/app/routes/not-found.ts',
    'app/session.server.ts': 'frameworks/react-router/app/session.server.ts',
  },
  fastify: {
    'sallyport.js': 'frameworks/fastify/sallyport.js',
    'server.js': 'templates/fastify/server.js',
  },
  hono: {
    'sallyport.js': 'templates/hono/sallyport.js',
    'server.js': 'templates/hono/server.js',
  },
};
const names = Object.keys(copies) as Name[];
const addresses: Readonly<Record<Name, string>> = {
  nuxt: 'http://localhost:3000',
  astro: 'http://localhost:4321',
  'tanstack-start': 'http://localhost:3000',
  'react-router': 'http://localhost:5173',
  fastify: 'http://localhost:3000',
  hono: 'http://localhost:3000',
};
/** Frameworks whose files the user does not have to change. */
const isWhole = (name: Name): boolean => !['astro', 'react-router'].includes(name);
const run = (name: Name, ...flags: string[]): Promise<string> => (isWhole(name) ? done : unfinished)(...flags);

const codeOf = async (text: string, path: string): Promise<string> => {
  const [, loader = ''] = path.match(/\.([jt]sx?)$/) ?? [];
  return (await transform(text, { loader: loader as 'ts', jsx: 'preserve' })).code;
};

takesLong('sallyport init', () => {
  describe.each(names)('on %s', (name) => {
    test('writes the files of the example, and prints the next steps', async () => {
      write(generated[name]);
      const before = files();

      const printed = await run(name);

      expect(files()).toEqual([...before, ...Object.keys(copies[name]), '.env', '.gitignore'].sort());
      for (const [path, source] of Object.entries(copies[name]))
        expect(read(path), path).toBe(exampleOfNewProject(source));
      expect(read('.env')).toContain(`SALLYPORT_REDIRECT_URI=${addresses[name]}/callback\n`);
      expect(printed).toContain(`open ${addresses[name]}/account`);
      expect(printed).toContain(
        `  npx sallyport dev -- ${['fastify', 'hono'].includes(name) ? 'node server.js' : 'npm run dev'}\n`,
      );
    });

    test('writes nothing in a second run', async () => {
      write(generated[name]);
      await run(name);
      const before = files().map((file) => [file, read(file)]);

      const printed = await run(name);

      expect(printed).not.toMatch(/^ {2}(?:wrote|added)/m);
      expect(files().map((file) => [file, read(file)])).toEqual(before);
    });

    test('does not overwrite existing files', async () => {
      const mine = Object.fromEntries(Object.keys(copies[name]).map((path) => [path, '// mine\n']));
      write(having(name, mine));

      await unfinished();

      for (const path of Object.keys(mine)) expect(read(path)).toBe('// mine\n');
      for (const [path, text] of Object.entries(generated[name]))
        if (path !== 'package.json') expect(read(path)).toBe(text);
    });
  });

  describe.each(['nuxt', 'astro', 'tanstack-start', 'react-router'] as const)('on %s with JavaScript', (name) => {
    test('writes code that is equivalent to the TypeScript files', async () => {
      write(inJavaScript(name));

      await run(name);

      const scripts = Object.entries(copies[name]).filter(([path]) => /(?<!\.d)\.tsx?$/.test(path));
      for (const [path, source] of scripts) {
        const written = path.replace(/\.ts(x?)$/, '.js$1');
        expect(await codeOf(read(written), written), written).toBe(await codeOf(exampleOfNewProject(source), path));
      }
      expect(files().filter((file) => /\.tsx?$/.test(file))).toEqual([]);
    });
  });

  test.each([
    ['src/middleware.ts', 'with sequence from astro:middleware', 'export const onRequest = defineMiddleware('],
    ['src/middleware/index.ts', 'with sequence from astro:middleware', 'export const onRequest = defineMiddleware('],
    ['src/env.d.ts', 'the type of locals', "      auth: import('sallyport/session').HandleResult;"],
  ])("with --force does not replace Astro's %s, but prints what to add", async (file, words, line) => {
    write(having('astro', { [file]: '// mine\n' }));

    const printed = await unfinished('--force');

    expect(read(file)).toBe('// mine\n');
    expect(printed).toContain(`${file} already exists and was not changed.`);
    expect(printed).toContain(words);
    expect(printed).toContain(line);
  });

  test('prints the required Astro option until the configuration contains the option', async () => {
    write(generated.astro);

    const printed = await unfinished();
    write({ 'astro.config.mjs': "export default defineConfig({ output: 'server' });\n" });
    const after = await done();

    expect(printed).toContain('astro.config.mjs already exists and was not changed.');
    expect(printed).toContain("    output: 'server',\n");
    expect(after).toContain('unchanged astro.config.mjs\n');
  });

  test('with --force does not replace a TanStack Start server, but prints what to add', async () => {
    write(having('tanstack-start', { 'src/server.ts': '// mine\n' }));

    const printed = await unfinished('--force');

    expect(read('src/server.ts')).toBe('// mine\n');
    expect(printed).toContain(
      "    export default createServerEntry({\n      fetch: withSession(sessions, answer, {\n        protect: ['/'],\n        open: ['/', '/assets', '/favicon.ico', '/health'],\n",
    );
  });

  test('asks the user to remove an existing TanStack Router declaration', async () => {
    write(having('tanstack-start', { 'src/router.tsx': "declare module '@tanstack/react-router' {}\n" }));

    const printed = await unfinished();

    expect(read('src/router.tsx')).toBe("declare module '@tanstack/react-router' {}\n");
    expect(printed).toContain("Remove declare module '@tanstack/react-router' from it");
  });

  test("prints the lines to add to React Router's root and routes until both files contain the lines", async () => {
    write(generated['react-router']);

    const printed = await unfinished();
    write({
      'app/root.tsx': "import { sessionMiddleware } from './session.server';\n",
      'app/routes.ts': "export default [route('account', 'a.tsx'), route('*', 'b.ts')];\n",
    });
    const after = await done();

    expect(printed).toContain(`app/root.tsx already exists and was not changed. Run the middleware first:

    import { sessionMiddleware } from './session.server';
    export const middleware: Route.MiddlewareFunction[] = [sessionMiddleware];
`);
    expect(
      printed,
    ).toContain(`app/routes.ts already exists and was not changed. Add these routes, with the last one at the end of the list:

    import { type RouteConfig, route } from '@react-router/dev/routes';
    route('account', 'routes/account.tsx'),
    // Middleware runs only for routes, so /sign-in, /callback and /sign-out need this route.
    route('*', 'routes/not-found.ts'),
`);
    expect(after).toContain('unchanged app/routes.ts\n');
  });

  test('prints untyped code for a React Router project in JavaScript', async () => {
    write(inJavaScript('react-router'));

    const printed = await unfinished();

    expect(printed).toContain('    export const middleware = [sessionMiddleware];\n');
    expect(printed).toContain("    import { route } from '@react-router/dev/routes';\n");
    expect(printed).toContain("    route('account', 'routes/account.jsx'),\n");
    expect(printed).toContain("    route('*', 'routes/not-found.js'),\n");
  });

  test("writes React Router's catch-all route as a file if the project uses file-based routes", async () => {
    write(having('react-router', { 'app/routes.ts': 'export default flatRoutes();\n' }));

    const printed = await unfinished();

    expect(read('app/routes/$.ts')).toBe(example('frameworks/react-router/app/routes/not-found.ts'));
    expect(printed).not.toContain('app/routes.ts');
  });

  test.each([
    ['fastify', [], "app.register(session);\n\n    app.get('/account', (request, reply) => {"],
    ['hono', ["import { html } from 'hono/html';"], "app.use(session);\n\n    app.get('/account', (c) => {"],
  ] as const)(
    'with --force does not replace an existing %s server, but prints what to add',
    async (name, imports, lines) => {
      const server = "import x from 'x';\n";
      write({ ...having(name, { 'src/index.ts': server, 'tsconfig.json': '{}' }) });

      const printed = await unfinished('--force');

      expect(read('src/index.ts')).toBe(server);
      expect(files().filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('.d.ts'))).toEqual([
        'src/index.ts',
        'src/sallyport.ts',
      ]);
      expect(printed).toContain('src/index.ts already exists and was not changed.');
      const [, added = ''] = printed.split(/add a page:\n\n/);
      const imported = [...imports, `import { sessionOf } from 'sallyport/${name}';`];
      expect(added.split('\n').slice(0, imported.length)).toEqual(imported.map((line) => `    ${line}`));
      expect(added).toContain(`    import { session } from './sallyport.js';\n\n    ${lines}\n`);
      expect(printed).toContain('npx sallyport dev -- npx tsx src/index.ts\n');
    },
  );

  describe('for a TypeScript server', () => {
    test.each([
      ['module', 'ts', 'js'],
      ['commonjs', 'mts', 'mjs'],
    ])('in a package of type %s uses the file extension .%s', async (type, extension, imported) => {
      write({ ...manifest({ fastify: '^5.12.8' }, { type }), 'tsconfig.json': '{}' });

      const printed = await done();

      expect(read(`sallyport.${extension}`)).toContain(
        "import { createSessions } from 'sallyport/session';\n\ndeclare module 'fastify' {\n  interface FastifyRequest extends WithSession {}\n}\n",
      );
      expect(await codeOf(read(`sallyport.${extension}`), 'a.ts')).toBe(
        await codeOf(exampleOfNewProject('frameworks/fastify/sallyport.js'), 'a.js'),
      );
      expect(read(`server.${extension}`)).toContain(`from './sallyport.${imported}';\n`);
      expect(printed).toContain(`  npx sallyport dev -- npx tsx server.${extension}\n`);
    });
  });

  test.each([
    ['fastify', "const { fastifySession } = require('sallyport/fastify');", "const fastify = require('fastify');"],
    ['hono', "const { honoSession } = require('sallyport/hono');", "const { Hono } = require('hono');"],
  ] as const)('on %s writes CommonJS if the project does not use ES modules', async (name, session, server) => {
    write({ ...generated[name], ...manifest({ [name]: '^5.0.0', '@hono/node-server': '^2.1.8' }) });

    await done();

    expect(read('sallyport.js').split('\n')).toContain(session);
    expect(read('server.js').split('\n')).toContain(server);
    for (const path of ['sallyport.js', 'server.js']) {
      expect(read(path)).not.toMatch(/^(?:import|export)\b/m);
      // The compiler does not allow await outside of a function in this format.
      await transform(read(path), { loader: 'js', format: 'cjs' });
    }
  });

  test('writes the honoSession options of the Hono example', () => {
    expect(exampleOfNewProject('frameworks/hono/src/app.ts')).toContain(
      "const open = ['/', '/assets', '/favicon.ico', '/health'];\n  app.use(honoSession(sessions, { protect: ['/'], open, routes: true }));",
    );
    expect(example('templates/hono/sallyport.js')).toContain(
      "honoSession(sessions, {\n  protect: ['/'],\n  open: ['/', '/assets', '/favicon.ico', '/health'],\n  routes: true,\n});",
    );
  });

  test('prints the packages to install for a new server', async () => {
    write(manifest({ hono: '^4.13.19' }, { type: 'module' }));

    const printed = await done('--no-install');

    expect(printed).toContain(
      'Next steps:\n\n  npm install @hono/node-server\n  npx sallyport dev -- node server.js\n',
    );
  });

  test.each([
    [
      'a Hono project for Cloudflare Workers',
      having('hono', { 'wrangler.jsonc': '{}' }),
      'examples/frameworks/hono/src/worker.ts',
    ],
    ['a React Router project without framework mode', manifest({ '@react-router/dev': '8.4.0' }), 'no app/root.tsx'],
    [
      'a React Router 7 project',
      { ...generated['react-router'], ...manifest({ '@react-router/dev': '^7.9.0' }) },
      'React Router 7',
    ],
    [
      'a React project without a server',
      manifest({ react: '^19.3.1', 'react-router': '8.4.0' }),
      'wrap your app in <SessionProvider client={client}> from sallyport/react',
    ],
  ])('rejects %s', async (_what, texts, message) => {
    write(texts);
    const before = files();

    const { output, exit } = init();

    expect(await exit).toBe(1);
    expect(output.err).toContain(message);
    expect(files()).toEqual(before);
  });
});
