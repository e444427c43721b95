import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownBlocks } from './blocks.js';
import { codeIn, read } from './markdown.js';

// The code of a guide is taken from programs that tests run, so it compiles and does what the page says.

const folder = 'docs/guides';
const pages = readdirSync(folder).map((name) => join(folder, name));

test.each(pages)('the code in %s comes from programs that a test runs', (page) => {
  expect(ownBlocks(page, read(page)).map(({ code }) => code)).toEqual([]);
});

/** The first option of each emulator that a text creates. */
const emulatorsIn = (text: string): string[] =>
  [...text.matchAll(/createEmulator\((?:\{\s*)?([^,})]*)/g)].map(([, first = '']) => first.trim());

test('the introductory pages and the examples use the workos dialect unless an operation requires the spec dialect', () => {
  const examples = readdirSync('examples').filter((name) => name.endsWith('.ts'));
  const files = ['README.md', ...['start', 'tour', 'sessions', 'answers'].map((page) => `docs/${page}.md`)];
  const others = ['demo', 'fga', 'legacy', 'passwordless'].map((name) => `examples/${name}.ts`);
  const wrong = [...files, ...examples.map((name) => `examples/${name}`)].flatMap((file) => {
    const dialect = `dialect: '${others.includes(file) ? 'spec' : 'workos'}'`;
    return emulatorsIn(read(file)).flatMap((first) => (first === dialect ? [] : `${file}: ${first}`));
  });

  expect(wrong).toEqual([]);
  expect(emulatorsIn('createEmulator(); createEmulator({ seed });')).toEqual(['', 'seed']);
});

test('every emulator in the emulator manual is started with the workos dialect', () => {
  const code = readdirSync('docs/emulator').flatMap((name) => codeIn(read(`docs/emulator/${name}`)));
  const commands = code.join('\n').match(/npx sallyport emulator .*/g) ?? [];
  const created = code.flatMap(emulatorsIn);

  expect([commands.length, created.length].every((count) => count > 2)).toBe(true);
  expect(commands.filter((command) => !command.includes('--dialect workos'))).toEqual([]);
  expect(created.filter((first) => first !== "dialect: 'workos'")).toEqual([]);
});

test('a code block that no program contains is reported, together with the output block below', () => {
  const [first, , third] = read('examples/events.ts').split('\n');
  const page = `[all](../examples/events.ts)\n\n\`\`\`ts\n${first}\n// …\n${third}\n\`\`\`\n\n\`\`\`ts\none();\n\`\`\`\n\n\`\`\`text\n1\n\`\`\`\n\n\`\`\`js\ntwo();\n\`\`\`\n`;

  expect(ownBlocks('docs/a.md', page)).toEqual([
    { page: 'docs/a.md', line: 9, language: 'ts', code: 'one();\n', output: '1\n' },
    { page: 'docs/a.md', line: 17, language: 'js', code: 'two();\n', output: undefined },
  ]);
  expect(ownBlocks('docs/a.md', page.replace('[all](../examples/events.ts)', 'No link.'))).toHaveLength(3);
});
