import { expect, test } from 'vitest';
import { anchorOf, readText, withTable } from '../../scripts/frameworks-table.js';
import { type Framework, frameworks } from '../frameworks/frameworks.js';

const text = readText('docs/frameworks.md');

test('docs/frameworks.md lists the frameworks that the tests drive, with their versions: `npm run docs` writes its table', () => {
  expect(text).toBe(withTable(text));
});

test('the table has a row for each framework', () => {
  const rows = [...text.matchAll(/^\| \[(.+?)\]\(.*?#(.+?)\) \| `(.+?)` (\S+) \|/gm)].map(([, ...cells]) => cells);

  expect(rows.map(([name]) => name)).toEqual(Object.values(frameworks).map(({ name }) => name));
  expect(rows).toContainEqual(['Express', 'express', 'express', '5.3.0']);
});

test('docs/frameworks.md has a section for each framework', () => {
  const anchors = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'));

  expect(anchors).toEqual(expect.arrayContaining(Object.values<Framework>(frameworks).map(anchorOf)));
});
