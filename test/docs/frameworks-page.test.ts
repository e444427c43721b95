import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { frameworksPage, pagesWithCode, readFromPage } from '../../scripts/frameworks-page.js';
import { anchorOf } from '../../scripts/frameworks-table.js';
import { type Framework, frameworks } from '../frameworks/frameworks.js';

const page = readFileSync('docs/frameworks.md', 'utf8');

test.each(pagesWithCode)('docs/%s is up to date: `npm run docs` writes its code', (name) => {
  expect(readFromPage(name)).toBe(frameworksPage(readFromPage(name), readFromPage));
});

test.each(Object.values<Framework>(frameworks))('shows code of the application on $name', (framework) => {
  const parts = page
    .split(/^## /m)
    .map((part) => [part.split('\n')[0]!.toLowerCase().replaceAll(' ', '-'), part] as const);

  expect(new Map(parts).get(anchorOf(framework))).toContain(`](../examples/frameworks/${framework.folder}/`);
});

test('every block of its code is that of a file which the line above names', () => {
  const above = [...page.matchAll(/^(.*)\n\n```(?!sh$)\w+$/gm)].map(([, line]) => line);

  expect(above.length).toBeGreaterThan(0);
  expect(above.filter((line) => !/\]\(\.\.\/examples\/[^)]+\)/.test(line!))).toEqual([]);
});

test('a block of some lines begins and ends where the file has blank lines', () => {
  const parts = [...page.matchAll(/\]\(([^)#]+)#L(\d+)-L(\d+)\)/g)].map(([link, path, first, last]) => {
    const lines = ['', ...readFromPage(path!).split('\n'), ''];
    return [
      link,
      lines[Number(first) - 1],
      lines[Number(first)] !== '',
      lines[Number(last)] !== '',
      lines[Number(last) + 1],
    ];
  });

  expect(parts).toEqual(parts.map(([link]) => [link, '', true, true, '']));
});

test('a block becomes what the file says, whole or the lines that the link names', () => {
  const text = (fragment: string, code: string) =>
    `[\`a.js\`](../examples/a.js${fragment}):\n\n\`\`\`js\n${code}\`\`\`\n`;
  const read = (path: string) => (path === '../examples/a.js' ? 'one();\ntwo();\nthree();\n' : '');

  expect(frameworksPage(text('', 'old();\n'), read)).toBe(text('', 'one();\ntwo();\nthree();\n'));
  expect(frameworksPage(text('#L2-L3', ''), read)).toBe(text('#L2-L3', 'two();\nthree();\n'));
});

test('a block beneath no link stays as it is', () => {
  const text = 'Run it:\n\n```sh\nnpm start\n```\n';

  expect(frameworksPage(text, readFromPage)).toBe(text);
});
