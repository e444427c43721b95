import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compile, optionsIn } from '../builds/compiler.js';
import { takesLong } from '../runner/requirements.js';

// The code of the pages compiles, and code that is wrong does not. All of it is compiled together: a program for each page would
// read the same sources again.

const blocksOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

/** What a piece of code takes for granted. */
const around = (code: string): string => {
  if (code.includes('import ')) return '';
  const given = { emulator: 'Emulator', sallyport: 'Sallyport' };
  const own = Object.entries(given)
    .filter(([name]) => !code.includes(`const ${name}`))
    .map(([name, type]) => `declare const ${name}: ${type};\n`)
    .join('');
  return `import { createEmulator, type Emulator } from 'sallyport/emulator';\nimport { Sallyport } from 'sallyport';\nimport { createSessions } from 'sallyport/session';\n${own}`;
};

const answers = `import { type Sallyport, UnexpectedResponseError } from 'sallyport';
declare const sallyport: Sallyport;
${blocksOf('docs/answers.md')
  .map((block) => `{\n${block}}`)
  .join('\n')}
`;
const manual = ['run', 'simulate', 'seed', 'state', 'host']
  .flatMap((page) => blocksOf(`docs/emulator/${page}.md`))
  .map((code) => around(code) + code);

const files: Readonly<Record<string, string>> = {
  // One block after the other, as a reader would type them.
  'readme.ts': blocksOf('README.md').join('\n'),
  'tour.ts': blocksOf('docs/tour.md').join('\n'),
  'answers.ts': answers,
  ...Object.fromEntries(manual.map((code, at) => [`manual-${at}.ts`, code])),
};
const wrong: Readonly<Record<string, readonly [code: string, complaint: string]>> = {
  'wrong-option.ts': ['import { Sallyport } from "sallyport";\nnew Sallyport({ apiKy: "sk_test_1" });\n', 'apiKy'],
  'wrong-method.ts': [`${around('')}emulator.no();\n`, "'no' does not exist"],
};

takesLong('the code of the pages', () => {
  test('the code of the README, the tour, the answers page and the manual compiles, and wrong code does not', () => {
    const folder = '.cache/code-of-pages';
    mkdirSync(folder, { recursive: true });
    const codes = { ...files, ...Object.fromEntries(Object.entries(wrong).map(([name, [code]]) => [name, code])) };
    for (const [name, code] of Object.entries(codes)) writeFileSync(`${folder}/${name}`, code);

    const complaints = compile(folder, Object.keys(codes), optionsIn('.'));
    // Some pieces of the manual's code do not use everything that is put in front of them.
    const unused = /TS(?:6133|6192|6196): /;
    const said = Object.entries(complaints).map(([name, lines]) => [
      name,
      /^(?:manual|wrong)-/.test(name) ? lines.filter((line) => !unused.test(line)) : lines,
    ]);

    expect(manual.length).toBeGreaterThan(3);
    expect(answers).toContain('error.cursor');
    expect(Object.fromEntries(said)).toEqual({
      ...Object.fromEntries(Object.keys(files).map((name) => [name, []])),
      ...Object.fromEntries(
        Object.entries(wrong).map(([name, [, complaint]]) => [name, [expect.stringContaining(complaint)]]),
      ),
      elsewhere: [],
    });
  }, 60_000);
});
