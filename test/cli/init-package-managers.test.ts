import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { project } from './project.js';

const packages = 'test/outsiders/package-managers/node_modules';
const program = { yarn: '@yarnpkg/cli-dist/bin/yarn.js', pnpm: 'pnpm/bin/pnpm.cjs' };

requires(packages)('sallyport init in a workspace', () => {
  const { sallyportIn, folder, write, files } = project();

  beforeEach(() => {
    // The package is in a file, so that the installation needs no network.
    write({ 'package/package.json': { name: 'next', version: '15.5.28' } });
    execFileSync('tar', ['-czf', 'next.tgz', 'package'], { cwd: folder() });
    write({ 'apps/web/tsconfig.json': '{}', 'apps/web/app/layout.tsx': '', 'yarn.lock': '' });
    write({ 'apps/web/package.json': { name: 'web', dependencies: { next: 'file:../../next.tgz' } } });
  });

  const install = (manager: keyof typeof program, ...flags: string[]): void => {
    const env = { ...process.env, YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_GLOBAL_CACHE: '0', CI: '' };
    execFileSync(process.execPath, [resolve(packages, program[manager]), 'install', ...flags], { cwd: folder(), env });
    // The version in package.json is removed, because init must find the installed one.
    write({ 'apps/web/package.json': { name: 'web', dependencies: { next: 'catalog:', sallyport: 'catalog:' } } });
  };

  const proxies = async (): Promise<string[]> => {
    const { output, exit } = sallyportIn({ cwd: resolve(folder(), 'apps/web') }, 'init');
    expect([await exit, output.err]).toEqual([0, '']);
    return files().filter((name) => /^apps\/web\/(?:middleware|proxy)/.test(name));
  };

  test.each([
    ["Plug'n'Play", 'pnp'],
    ['node_modules', 'node-modules'],
    ["pnpm's linker", 'pnpm'],
  ])('finds the version of Next that Yarn installed with %s', async (_what, linker) => {
    write({ 'package.json': { private: true, workspaces: ['apps/*'] }, '.yarnrc.yml': `nodeLinker: ${linker}\n` });
    install('yarn', '--no-immutable');

    expect(await proxies()).toEqual(['apps/web/middleware.ts']);
  });

  test.each(['isolated', 'hoisted'])(
    'finds the version of Next that pnpm installed with the %s linker',
    async (linker) => {
      write({
        'package.json': { private: true },
        'pnpm-workspace.yaml': `packages:\n  - apps/*\nnodeLinker: ${linker}\n`,
      });
      install('pnpm', '--offline', '--no-frozen-lockfile');

      expect(await proxies()).toEqual(['apps/web/middleware.ts']);
    },
  );
});
