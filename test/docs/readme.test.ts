import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const folder = '.cache/readme';

/** The TypeScript of a document, its blocks one after the other as a reader would type them. */
const codeOf = (markdown: string): string =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');

/** Writes code where it can be compiled and run with the project's settings. */
function place(name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  const path = `${folder}/${name}.ts`;
  writeFileSync(path, code);
  writeFileSync(
    `${folder}/tsconfig.${name}.json`,
    JSON.stringify({ extends: '../../tsconfig.json', include: [`${name}.ts`] }),
  );
  return path;
}
const compile = (name: string) =>
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', `${folder}/tsconfig.${name}.json`]);

test('the code of the README compiles and runs as it stands', async () => {
  const path = place('readme', codeOf(readFileSync('README.md', 'utf8')));

  await compile('readme');
  const { stdout } = await run(process.execPath, ['--import', 'tsx', path], { timeout: 60_000 });

  expect(stdout).toMatch(/^ada@acme\.test$/m);
  expect(stdout).toMatch(/^organization\.created$/m);
  expect(stdout).toMatch(/^404 req_\w+ \/organizations\/:id$/m);
  expect(stdout).toMatch(/^302$/m);
  expect(stdout).toMatch(/^expired$/m);
  expect(stdout).toMatch(/^grace@acme\.test$/m);
}, 120_000);

test('code that is wrong would be found', async () => {
  place(
    'wrong',
    codeOf('```ts\nimport { Sallyport } from "sallyport";\nnew Sallyport({ apiKy: "sk_test_1" });\n```\n'),
  );

  await expect(compile('wrong')).rejects.toMatchObject({ stdout: expect.stringContaining('apiKy') });
}, 120_000);
