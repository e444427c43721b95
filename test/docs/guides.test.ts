import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeIn, read } from './markdown.js';

// The code of a guide is cut out of programs that tests run, so that it compiles and does what the page says.

const folder = 'docs/guides';
const guides = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
const pages = [...guides, 'docs/for-agents.md'];

const lines = (code: string): string => `\n${code.replace(/^[ \t]+/gm, '').trim()}\n`;

/** The programs below `examples` that a page links to. */
const programsOf = (page: string): string[] =>
  [...page.matchAll(/\]\((?:\.\.\/)+(examples\/[^)#]+\.[jt]sx?)\)/g)].map(([, file = '']) => file);

/** The pieces of a page's code that none of the programs has. `// …` stands for lines that are left out. */
const inventions = (page: string, programs: readonly string[]): string[] =>
  [...codeIn(page, '[jt]sx?')]
    .flatMap((block) => block.split(/^\s*\/\/ …\s*$/m))
    .filter((piece) => !programs.some((program) => lines(program).includes(lines(piece))));

test.each(pages)('the code of %s is that of programs which a test runs', (file) => {
  const page = read(file);
  const programs = programsOf(page);

  // A page without code, such as a glossary, needs no program.
  if (codeIn(page, 'tsx?').length > 0) expect(programs, 'a link to a program').not.toEqual([]);
  expect(inventions(page, programs.map(read))).toEqual([]);
});

test('code that no program has is found', () => {
  const program = 'const one = 1;\n{\n  const two = 2;\n  use(two);\n}\n';
  const page = '```ts\nconst one = 1;\n// …\nconst two = 2;\nuse(two);\n```\n\n```ts\nuse(three);\n```\n';

  expect(programsOf('[all of it](../../examples/sso.ts)')).toEqual(['examples/sso.ts']);
  expect(programsOf('[one](../examples/a.js) [two](a.js)')).toEqual(['examples/a.js']);
  expect(inventions(page, [program])).toEqual(['use(three);\n']);
});
