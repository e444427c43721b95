import { describe, expect, test } from 'vitest';
import { anchorOf, pages, readText, withTable } from '../../scripts/frameworks-table.js';
import { type Framework, frameworks } from '../frameworks/frameworks.js';

describe.each(Object.entries(pages))('%s', (path, page) => {
  const text = readText(path);

  test('names the frameworks that the tests drive, with their versions: `npm run docs` writes its table', () => {
    expect(text).toBe(withTable(text, page));
  });

  test('has a row for each of them', () => {
    const rows = [...text.matchAll(/^\| \[(.+?)\]\(.*?#(.+?)\) \| `(.+?)` (\S+) \|/gm)].map(([, ...cells]) => cells);

    expect(rows.map(([name]) => name)).toEqual(Object.values(frameworks).map(({ name }) => name));
    expect(rows).toContainEqual(['Express', 'express', 'express', '5.3.0']);
  });
});

test('docs/frameworks.md has a part about each of them', () => {
  const anchors = [...readText('docs/frameworks.md').matchAll(/^## (.+)$/gm)].map(([, title]) =>
    title!.toLowerCase().replaceAll(' ', '-'),
  );

  expect(anchors).toEqual(expect.arrayContaining(Object.values<Framework>(frameworks).map(anchorOf)));
});
