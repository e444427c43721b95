import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { compile, optionsIn } from '../compiler.js';

const run = promisify(execFile);
const folder = '.cache/readme';

/** The TypeScript of a document, its blocks one after the other as a reader would type them. */
const codeOf = (markdown: string): string =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');

/** Writes code where it can be compiled and run with the project's settings. */
function place(name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}`, code);
  return `${folder}/${name}`;
}

const readme = codeOf(readFileSync('README.md', 'utf8'));
const wrong = codeOf('```ts\nimport { Sallyport } from "sallyport";\nnew Sallyport({ apiKy: "sk_test_1" });\n```\n');

test('the code of the README compiles, and code that is wrong does not', () => {
  place('readme.ts', readme);
  place('wrong.ts', wrong);

  expect(compile(folder, ['readme.ts', 'wrong.ts'], optionsIn('.'))).toEqual({
    'readme.ts': [],
    'wrong.ts': [expect.stringContaining('apiKy')],
    elsewhere: [],
  });
}, 60_000);

test('the code of the README runs as it stands and prints what it says', async () => {
  const path = place('running.ts', readme);

  const { stdout } = await run(process.execPath, ['--import', 'tsx', path], { timeout: 60_000 });

  expect(stdout).toMatch(/^ada@acme\.test$/m);
  expect(stdout).toMatch(/^organization\.created$/m);
  expect(stdout).toMatch(/^404 req_\w+ \/organizations\/:id$/m);
  expect(stdout).toMatch(/^302$/m);
  expect(stdout).toMatch(/^expired$/m);
  expect(stdout).toMatch(/^grace@acme\.test$/m);
}, 120_000);
