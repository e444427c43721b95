import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installed, packAndInstall } from '../package/install.js';

const run = promisify(execFile);
const folder = '.cache/readme';

/** The TypeScript of a document, its blocks one after the other as a reader would type them. */
const codeOf = (markdown: string): string =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');

/** Writes code where it can be run with the project's settings. */
function place(name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}`, code);
  return `${folder}/${name}`;
}

const printedBy = async (page: string): Promise<string> => {
  const path = place(page.replace(/\W/g, '-').replace(/-md$/, '.ts'), codeOf(readFileSync(page, 'utf8')));
  const { stdout } = await run(process.execPath, ['--import', 'tsx', path], { timeout: 60_000 });
  return stdout;
};

test('the code of the README runs and prints the expected lines', async () => {
  const stdout = await printedBy('README.md');

  expect(stdout).toMatch(/^ada@acme\.test$/m);
  expect(stdout).toMatch(/^organization\.created$/m);
  expect(stdout).toMatch(/^expired$/m);
}, 120_000);

test('the code of the tour runs and prints the expected lines', async () => {
  const stdout = await printedBy('docs/tour.md');

  expect(stdout).toMatch(/^ada@acme\.test$/m);
  expect(stdout).toMatch(/^organization\.created$/m);
  expect(stdout).toMatch(/^404 req_\w+ \/organizations\/:id$/m);
  expect(stdout).toMatch(/^302$/m);
  expect(stdout).toMatch(/^expired$/m);
  expect(stdout).toMatch(/^grace@acme\.test$/m);
}, 120_000);

describe('the first code of the README runs in the installed package', () => {
  const firstBlock = (page: string, language: string): string =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(page, 'utf8'))?.[1] ?? '';
  const first = firstBlock('README.md', 'ts');
  const requires = firstBlock('docs/tour.md', 'js');
  const commonjs = `${requires}void (async () => {\n${first.replace(/^import .*\n/gm, '')}})();\n`;
  const tsx = ['--import', import.meta.resolve('tsx')];
  let installed: Installed;

  beforeAll(async () => {
    installed = await packAndInstall();
  });
  afterAll(() => installed.remove());

  test.each([
    ['as .mjs', 'first.mjs', first, [], {}],
    ['as .mts', 'first.mts', first, tsx, {}],
    ['as .js in a package of modules', 'first.js', first, [], { type: 'module' }],
    ['as .ts in a package of modules', 'first.ts', first, tsx, { type: 'module' }],
    ['as CommonJS', 'first.cjs', commonjs, [], {}],
  ])(
    '%s',
    async (_, name, code, loader, manifest) => {
      const folder = `${installed.folder}/${name.replace('.', '-')}`;
      mkdirSync(folder);
      writeFileSync(`${folder}/package.json`, JSON.stringify(manifest));
      writeFileSync(`${folder}/${name}`, code);

      const { stdout } = await run(process.execPath, [...loader, `${folder}/${name}`], { timeout: 60_000 });

      expect(stdout.split('\n').slice(0, 2)).toEqual(['ada@acme.test', 'organization.created']);
    },
    60_000,
  );
});
