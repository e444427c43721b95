import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import { programs as pagesThatRun } from './markdown.js';

const run = promisify(execFile);
const folder = '.cache/readme';

/** The blocks of TypeScript of a document, one after the other as a reader would type them. */
const codeOf = (markdown: string): string =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');

/** Write code to a file that can be run with the settings of the project. */
function writeProgram(name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}`, code);
  return `${folder}/${name}`;
}

const programs = programsOf(
  pagesThatRun.map((page) => writeProgram(`${parse(page).name}.ts`, codeOf(readFileSync(page, 'utf8')))),
);

const printedBy = async (name: string): Promise<string> =>
  (await run(process.execPath, [programs.file(name)], { timeout: 60_000 })).stdout;

test('the code in the README runs and prints the expected lines', async () => {
  const stdout = await printedBy('README');

  expect(stdout).toMatch(/^ada@acme\.test$/m);
  expect(stdout).toMatch(/^organization\.created$/m);
  expect(stdout).toMatch(/an invitation expires after a week/);
}, 120_000);

test('the code in the tour runs and prints the expected lines', async () => {
  const stdout = await printedBy('tour');

  expect(stdout).toMatch(/^ada@acme\.test$/m);
  expect(stdout).toMatch(/^organization\.created$/m);
  expect(stdout).toMatch(/^404 req_\w+ \/organizations\/:id$/m);
  expect(stdout).toMatch(/^expired$/m);
}, 120_000);

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

  test('averages at most 59 words of prose per heading', () => {
    const text = readme.replace(/^```[\s\S]*?^```$/gm, '').replace(/\]\([^)]*\)/g, ']');
    const prose = text.split('\n').filter((line) => !/^\s*[|<#]/.test(line));
    const words = prose.join(' ').match(/[\w@'/.-]+/g) ?? [];
    const headings = text.match(/^#+ /gm) ?? [];

    expect(readme.split('\n').length).toBeLessThanOrEqual(151);
    expect(words.length / headings.length).toBeLessThanOrEqual(59);
  });

  test('links to fifteen answers to common questions', () => {
    const [, answers = ''] = /^## How do I …\n([\s\S]*?)\n\n\[The tour\]/m.exec(readme) ?? [];

    expect(answers.match(/\]\(docs\//g)).toHaveLength(15);
  });

  test('states the same number of operations as the operations table', () => {
    const [, counted] = /(\d+) operations:/.exec(readme) ?? [];

    expect(readFileSync('docs/operations.md', 'utf8')).toContain(`\n${counted} operations from the specification`);
  });
});

test.each(['README.md', 'package.json', 'llms.txt', 'CHANGELOG.md', 'docs/emulator/run.md'])(
  '%s states the same number of public operations as the operations table',
  (file) => {
    const [, here, all] = /(\d+) of the (\d+) operations of the\spublic service/.exec(
      readFileSync('docs/operations.md', 'utf8'),
    ) ?? ['', '', ''];
    const text = readFileSync(file, 'utf8');

    expect(text).toMatch(
      new RegExp(`of its \\[?specification(?:\\]\\(\\S+\\))?, ${here} of the public service's ${all}\\b`),
    );
    expect(text).not.toMatch(/whole (?:identity )?service/);
  },
);
