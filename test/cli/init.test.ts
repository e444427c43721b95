import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { example, manifest, project } from './project.js';

const { sallyportIn, folder, write, read, files, init, done, unfinished } = project();

const next = { ...manifest({ next: '16.4.5' }), 'app/layout.tsx': '', 'tsconfig.json': '{}' };
const kit = { ...manifest({ '@sveltejs/kit': '^3.2.0' }), 'tsconfig.json': '{}' };
const express = manifest({ express: '^5.3.0' }, { type: 'commonjs', main: 'index.js' });

const proxy = `import { next } from './sallyport';

export const proxy = next.proxy({
  protect: ['/'],
  open: ['/', '/_next', '/favicon.ico', '/health'],
  // Handles /sign-in, /callback and /sign-out.
  routes: true,
});

// All paths except the static files of Next. A pattern such as favicon.ico would also leave out /favicon.ico.map/account.
export const config = { matcher: ['/((?!_next/static/).*)'] };
`;

takesLong('sallyport init on Next', () => {
  test('writes the files of the example, and prints the next steps', async () => {
    write(next);

    const printed = await done();

    expect(files()).toEqual([
      '.env.local',
      '.gitignore',
      'app/account/page.tsx',
      'app/layout.tsx',
      'package.json',
      'proxy.ts',
      'sallyport.ts',
      'tsconfig.json',
    ]);
    expect(read('sallyport.ts')).toBe(example('frameworks/next/sallyport.ts'));
    expect(read('proxy.ts')).toBe(proxy);
    expect(read('app/account/page.tsx')).toContain('You are signed in as {user.email}.');
    expect(printed).toContain('wrote     proxy.ts\n');
    expect(printed).toContain('  npx sallyport dev -- npm run dev\n');
    expect(printed).toContain('open http://localhost:3000/account');
  });

  test('writes files to the src folder if the app folder is in src', async () => {
    write({ ...manifest({ next: '16.4.5' }), 'src/app/layout.tsx': '', 'tsconfig.json': '{}' });

    await done();

    expect(files().filter((name) => name.startsWith('src'))).toEqual([
      'src/app/account/page.tsx',
      'src/app/layout.tsx',
      'src/proxy.ts',
      'src/sallyport.ts',
    ]);
  });

  test('names the proxy file "middleware" for Next 15', async () => {
    write({ ...next, ...manifest({ next: '^15.4.0' }) });

    await done();

    expect(read('middleware.ts')).toBe(proxy.replace('const proxy', 'const middleware'));
    expect(existsSync(join(folder(), 'proxy.ts'))).toBe(false);
  });

  test('writes JavaScript files in a JavaScript project', async () => {
    write({ ...manifest({ next: '16.4.5' }), 'app/layout.js': '' });

    await done();

    expect(files().filter((name) => /\.[jt]sx?$/.test(name))).toEqual([
      'app/account/page.js',
      'app/layout.js',
      'proxy.js',
      'sallyport.js',
    ]);
    for (const name of ['app/account/page.js', 'proxy.js', 'sallyport.js'])
      await transform(read(name), { loader: 'jsx' });
  });

  test.each(['proxy.ts', 'middleware.js'])('with --force does not replace %s, but prints what to add', async (name) => {
    write({ ...next, [name]: 'export const mine = true;\n' });

    const printed = await unfinished('--force');

    expect(read(name)).toBe('export const mine = true;\n');
    expect(files().filter((file) => /^(?:proxy|middleware)/.test(file))).toEqual([name]);
    expect(printed).toContain(`${name} already exists and was not changed.`);
    expect(printed).toContain(
      "    export const proxy = next.proxy({\n      protect: ['/'],\n      open: ['/', '/_next', '/favicon.ico', '/health'],\n",
    );
  });

  test('rejects a project without the App Router', async () => {
    write({ ...manifest({ next: '16.4.5' }), 'pages/index.js': '' });

    const { output, exit } = init();

    expect(await exit).toBe(1);
    expect(output.err).toContain('This project has no app folder');
    expect(files()).toEqual(['package.json', 'pages/index.js']);
  });
});

takesLong('sallyport init on SvelteKit', () => {
  const hooks = (typesFrom: string) => `import type { Handle } from '${typesFrom}';
import { fillRoute, withSession } from 'sallyport/session';
import { sessions } from './lib/server/sessions';
`;

  test.each([
    ['^3.2.0', '@sveltejs/kit/hooks'],
    ['^2.63.0', '@sveltejs/kit'],
  ])('writes the files of the example if package.json lists @sveltejs/kit %s', async (version, typesFrom) => {
    write({ ...kit, ...manifest({ '@sveltejs/kit': version }) });

    const printed = await done();

    expect(files().filter((name) => name.startsWith('src'))).toEqual([
      'src/hooks.server.ts',
      'src/lib/server/sessions.ts',
      'src/routes/account/+page.server.ts',
      'src/routes/account/+page.svelte',
      'src/sallyport.d.ts',
    ]);
    expect(read('src/lib/server/sessions.ts')).toBe(example('frameworks/sveltekit/src/lib/server/sessions.ts'));
    expect(read('src/hooks.server.ts').startsWith(hooks(typesFrom))).toBe(true);
    expect(read('src/hooks.server.ts')).toContain(
      "open: ['/', '/_app/immutable', '/favicon.ico', '/health'],\n      routes: true,",
    );
    expect(read('.env')).toContain('SALLYPORT_REDIRECT_URI=http://localhost:5173/callback\n');
    expect(printed).toContain('open http://localhost:5173/account');
  });

  test('writes JavaScript files in a JavaScript project', async () => {
    write(manifest({ '@sveltejs/kit': '^3.2.0' }));

    await done();

    expect(files().filter((name) => name.startsWith('src'))).toEqual([
      'src/hooks.server.js',
      'src/lib/server/sessions.js',
      'src/routes/account/+page.server.js',
      'src/routes/account/+page.svelte',
    ]);
    for (const name of ['src/hooks.server.js', 'src/routes/account/+page.server.js'])
      await transform(read(name), { loader: 'js' });
    expect(
      read('src/routes/account/+page.svelte').startsWith('<script>\n  const { data } = $props();\n</script>'),
    ).toBe(true);
  });

  test('does not replace hooks.server.js, but prints what to add', async () => {
    write({ ...kit, 'src/hooks.server.js': 'export const handle = mine;\n' });

    const printed = await unfinished();

    expect(read('src/hooks.server.js')).toBe('export const handle = mine;\n');
    expect(printed).toContain('src/hooks.server.js already exists and was not changed.');
    expect(printed).toContain('with sequence');
    expect(printed).toContain('    export const handle');
  });
});

takesLong('sallyport init', () => {
  test('prints a type declaration for roles and permissions only in a TypeScript project', async () => {
    write(next);
    const typed = await done();
    rmSync(join(folder(), 'tsconfig.json'));

    const untyped = await done('--force');

    expect(typed).toContain(
      "in a .ts file:\n\n    import 'sallyport';\n\n    declare module 'sallyport' {\n      interface SallyportTypes {\n",
    );
    expect(untyped).not.toContain('SallyportTypes');
  });

  test('sets all variables, and does not print the cookie password', async () => {
    write(next);

    const printed = await done();

    const [, password = ''] = read('.env.local').match(/^SALLYPORT_COOKIE_PASSWORD=(.+)$/m) ?? [];
    expect(Buffer.from(password, 'base64url')).toHaveLength(32);
    expect(printed).not.toContain(password);
    expect(read('.env.local').match(/^\w+=.*/gm)).toEqual([
      'SALLYPORT_BASE_URL=http://127.0.0.1:4100',
      'SALLYPORT_DIALECT=workos',
      'SALLYPORT_CLIENT_ID=client_sallyport_emulator',
      'SALLYPORT_API_KEY=sk_test_sallyport_emulator',
      `SALLYPORT_COOKIE_PASSWORD=${password}`,
      'SALLYPORT_REDIRECT_URI=http://localhost:3000/callback',
    ]);
    expect(printed).toContain('added     .env.local SALLYPORT_BASE_URL, SALLYPORT_DIALECT, SALLYPORT_CLIENT_ID, ');
  });

  test('adds only the variables that no environment file sets', async () => {
    write({
      ...next,
      '.env': 'SALLYPORT_API_KEY=sk_test_ours\n',
      '.env.local': 'OTHER=1\nSALLYPORT_CLIENT_ID=client_ours',
    });

    await done();
    const once = read('.env.local');
    await done();

    expect(once).toMatch(/^OTHER=1\nSALLYPORT_CLIENT_ID=client_ours\n\n#/);
    expect(once.match(/^SALLYPORT_\w+/gm)).toEqual([
      'SALLYPORT_CLIENT_ID',
      'SALLYPORT_BASE_URL',
      'SALLYPORT_DIALECT',
      'SALLYPORT_COOKIE_PASSWORD',
      'SALLYPORT_REDIRECT_URI',
    ]);
    expect(read('.env.local')).toBe(once);
    expect(read('.env')).toBe('SALLYPORT_API_KEY=sk_test_ours\n');
  });

  test("sets no dialect in a project with a base URL other than the emulator's", async () => {
    write({ ...next, '.env': 'SALLYPORT_BASE_URL=https://api.acme.test\n' });

    await done();

    expect(read('.env.local').match(/^SALLYPORT_\w+/gm)).toEqual([
      'SALLYPORT_CLIENT_ID',
      'SALLYPORT_API_KEY',
      'SALLYPORT_COOKIE_PASSWORD',
      'SALLYPORT_REDIRECT_URI',
    ]);
  });

  test.each([
    ['is missing', undefined, '.env\n'],
    ['ignores only other files', 'node_modules\n', 'node_modules\n\n.env\n'],
    ['has a line for .env', '/.env\n', '/.env\n'],
    ['has a pattern for .env files', '.env*\n', '.env*\n'],
  ])('ensures that git ignores .env if .gitignore %s', async (_what, before, after) => {
    write({ ...express, ...(before === undefined ? {} : { '.gitignore': before }) });

    await done();

    expect(read('.gitignore')).toBe(after);
  });

  test('adds no line to .gitignore if git already ignores .env', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder() });
    write({ ...express, '.gitignore': '[.]env\n' });

    await done();

    expect(read('.gitignore')).toBe('[.]env\n');
  });

  test('replaces an existing file only with --force', async () => {
    write({ ...next, 'sallyport.ts': '// mine\n' });

    const printed = await unfinished();
    const left = read('sallyport.ts');
    await done('--force');

    expect(left).toBe('// mine\n');
    expect(printed).toContain('skipped   sallyport.ts\n');
    expect(printed).toContain('sallyport.ts already exists and was not changed. Run init with --force to replace it.');
    expect(read('sallyport.ts')).toBe(example('frameworks/next/sallyport.ts'));
  });

  test('changes nothing in a second run', async () => {
    write(next);
    await done();
    const before = files().map((name) => read(name));

    const printed = await done();

    expect(printed).not.toMatch(/^ {2}(?:wrote|added)/m);
    expect(files().map((name) => read(name))).toEqual(before);
  });

  test('with --dry-run prints the planned changes and writes nothing', async () => {
    write({ ...next, ...manifest({ next: '16.4.5', sallyport: '' }), 'sallyport.ts': '// mine\n' });
    const before = files();

    const printed = await unfinished('--dry-run');

    expect(files()).toEqual(before);
    expect(printed).toContain('nothing is written');
    expect(printed).toContain('to write  proxy.ts\n');
    expect(printed).toContain('skipped   sallyport.ts\n');
    expect(printed).toContain('to add    .env.local');
  });

  test.each([
    ['a folder without a package.json', {}, [], 'This folder has no package.json'],
    ['a package.json that is not JSON', { 'package.json': '{' }, [], 'package.json cannot be read'],
    ['an unknown framework', manifest({ koa: '3.0.0' }), [], 'It supports next, sveltekit, nuxt'],
    ['a React project without a server', manifest({ react: '^19.3.0' }), [], 'docs/frameworks/react.md in the package'],
    ['an unknown value of --framework', next, ['--framework', 'rails'], 'must be one of next, sveltekit'],
    ['an unknown option', next, ['--dryrun'], '--dryrun'],
  ])('rejects %s', async (_what, texts, flags, message) => {
    write(texts);
    const before = files();

    const { output, exit } = init(...flags);

    expect(await exit).toBe(1);
    expect(output.err).toMatch(/^sallyport: /);
    expect(output.err).toContain(message);
    expect(output.err).not.toMatch(/\n\s+at /);
    expect(files()).toEqual(before);
  });

  test('uses the framework named by --framework if a project has several frameworks', async () => {
    write({ ...next, ...manifest({ next: '16.4.5', express: '5.3.0' }) });

    await done('--framework', 'express');

    expect(existsSync(join(folder(), 'server.mts'))).toBe(true);
    expect(existsSync(join(folder(), 'proxy.ts'))).toBe(false);
  });
});

takesLong('sallyport init in a project without sallyport', () => {
  /** A package manager that only records its arguments. */
  const manager = (name: string, code = 0): NodeJS.ProcessEnv => {
    write({ [`bin/${name}`]: `#!/bin/sh\necho "$0 $@" | sed 's#.*/##' > called\nexit ${code}\n` });
    chmodSync(join(folder(), 'bin', name), 0o755);
    return {
      NO_COLOR: '1',
      PATH: [join(folder(), 'bin'), process.env.PATH].join(delimiter),
      npm_config_user_agent: '',
    };
  };
  const bare = { ...next, 'package.json': { dependencies: { next: '16.4.5' } } };

  test.each([
    ['npm', 'package-lock.json exists', { 'package-lock.json': '{}' }, 'npm install sallyport@^0.1.0\n'],
    ['npm', 'no lockfile exists', {}, 'npm install sallyport@^0.1.0\n'],
    ['pnpm', 'pnpm-lock.yaml exists', { 'pnpm-lock.yaml': '' }, 'pnpm add sallyport@^0.1.0\n'],
    ['yarn', 'yarn.lock exists', { 'yarn.lock': '' }, 'yarn add sallyport@^0.1.0\n'],
    ['bun', 'bun.lock exists', { 'bun.lock': '' }, 'bun add sallyport@^0.1.0\n'],
  ])('installs sallyport with %s if %s', async (name, _lockfile, lock, called) => {
    write({ ...bare, ...lock });

    const { output, exit } = sallyportIn({ cwd: folder(), env: manager(name) }, 'init');

    expect(await exit).toBe(0);
    expect(read('called')).toBe(called);
    expect(output.out).toContain(`  ${called}`);
  });

  test('prints the install command if the installation fails or --no-install is passed', async () => {
    write(bare);
    const env = manager('npm', 1);

    const failed = sallyportIn({ cwd: folder(), env }, 'init');
    const failure = await failed.exit;
    rmSync(join(folder(), 'called'));
    const quiet = sallyportIn({ cwd: folder(), env }, 'init', '--no-install');
    const success = await quiet.exit;

    expect([failure, success]).toEqual([1, 0]);
    for (const { output } of [failed, quiet])
      expect(output.out).toMatch(/Next steps:\n\n {2}npm install sallyport@\^0\.1\.0\n {2}npx sallyport dev/);
    expect(existsSync(join(folder(), 'called'))).toBe(false);
  });
});
