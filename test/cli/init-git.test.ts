import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { manifest, project } from './project.js';

const { sallyportIn, folder, write, read, files, init, done } = project();

const express = manifest({ express: '^5.3.0' }, { type: 'module' });
const next = { ...manifest({ next: '16.4.5' }), 'app/layout.tsx': '', 'tsconfig.json': '{}' };

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.test', ...args], {
    cwd: folder(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Create a git repository with these tracked files. */
const commit = (...names: readonly string[]): void => {
  git('init', '-q');
  git('add', '--force', '--', ...names);
  git('commit', '-qm', 'Begin');
};

takesLong('sallyport init in a git repository', () => {
  test.each([
    ["an Express project's tracked .env", express, ['.env'], '.env.local'],
    ["a Next project's tracked .env.local", next, ['.env.local'], '.env.development.local'],
  ])('writes no secret into %s, and prints a warning', async (_what, texts, tracked, secretFile) => {
    const [name] = tracked as [string];
    write({ ...texts, [name]: 'PUBLIC_TITLE=Shop\n' });
    commit(name);

    const planned = await done('--dry-run');
    const printed = await done();

    expect(read(name)).toBe('PUBLIC_TITLE=Shop\n');
    expect(read(secretFile)).toMatch(/^SALLYPORT_COOKIE_PASSWORD=.{43}$/m);
    expect(read('.gitignore')).toBe(`${secretFile}\n`);
    for (const text of [planned, printed])
      expect(text).toContain(
        `git tracks ${name}, so secrets in it would be part of your next commit. init uses ${secretFile} instead, which sallyport dev also reads.`,
      );
    expect(git('status', '--porcelain', '--untracked-files=all').match(/\.env.*/g)).toBeNull();
  });

  test('writes no secret into a file that is staged but not committed', async () => {
    write({ ...express, '.env': 'PUBLIC_TITLE=Shop\n' });
    git('init', '-q');
    git('add', '.env');

    await done();

    expect(read('.env')).toBe('PUBLIC_TITLE=Shop\n');
  });

  test("finds tracked files if the repository's root is above the project", async () => {
    write({ 'web/package.json': express['package.json'], 'web/.env': 'PUBLIC_TITLE=Shop\n' });
    commit('web/.env');
    const { output, exit } = sallyportIn({ cwd: join(folder(), 'web') }, 'init');

    expect([await exit, output.err]).toEqual([0, '']);
    expect(read('web/.env')).toBe('PUBLIC_TITLE=Shop\n');
    expect(read('web/.gitignore')).toBe('.env.local\n');
  });

  test('adds a variable that is not secret to a tracked .env', async () => {
    write({ ...express, '.env': 'SALLYPORT_API_KEY=set\nSALLYPORT_COOKIE_PASSWORD=set\n' });
    commit('.env');

    const printed = await done();

    expect(read('.env')).toContain('SALLYPORT_REDIRECT_URI=http://localhost:3000/callback\n');
    expect(existsSync(join(folder(), '.env.local'))).toBe(false);
    expect(printed).not.toContain('git tracks');
  });

  test('rejects a project if git tracks every .env file that could store the secrets', async () => {
    const names = ['.env', '.env.local', '.env.development.local'];
    write({ ...express, ...Object.fromEntries(names.map((name) => [name, 'A=1\n'])) });
    commit(...names);
    const before = files();

    const { output, exit } = init();

    expect([await exit, output.out]).toEqual([1, '']);
    expect(output.err).toContain('git tracks .env, .env.local, .env.development.local, so the API key');
    expect(output.err).toContain('Nothing was written. Run git rm --cached .env and run init again.');
    expect(files()).toEqual(before);
  });

  test.each([
    ['tracked .env', true],
    ['untracked .env', false],
  ])('adds only one line to .gitignore in two runs (%s)', async (_what, isTracked) => {
    write({ ...express, '.env': 'PUBLIC_TITLE=Shop\n', '.gitignore': 'node_modules\n' });
    commit(...(isTracked ? ['.env'] : []), '.gitignore');

    await done();
    await done();

    expect(read('.gitignore')).toBe(`node_modules\n\n${isTracked ? '.env.local' : '.env'}\n`);
  });

  test.each([
    ['.env', true],
    ['.env.*', false],
    ['.env*\n!.env', false],
    ['!.env\n.env', true],
    ['# .env', false],
    ['/.env \r', true],
  ])('reads the .gitignore text %j as git does, even before git init', async (lines, isIgnored) => {
    const text = `${lines}\n`;
    write({ ...express, '.gitignore': text });

    await done();
    const without = read('.gitignore');
    git('init', '-q');
    writeFileSync(join(folder(), '.gitignore'), text);
    await done();

    expect([without !== text, read('.gitignore') !== text]).toEqual([!isIgnored, !isIgnored]);
  });
});
