import { expect, test } from 'vitest';
import { withComparison } from '../../scripts/comparison-table.js';
import { readText } from '../../scripts/frameworks-table.js';

const readme = readText('README.md');
const figures = readText('bench/README.md');

test('the README compares the clients by the figures of bench/README.md: `npm run docs` writes its table', () => {
  expect(withComparison(readme, figures)).toBe(readme);
});

test('the table has six rows, each with a figure of Sallyport', () => {
  const [, table = ''] = /<!-- comparison -->\n([\s\S]*?)<!-- \/comparison -->/.exec(readme) ?? [];
  const rows = table.trim().split('\n').slice(2);

  expect(rows).toHaveLength(6);
  for (const row of rows) expect(row).toMatch(/^\| [^|]+ \| [\d.,]+ \|/);
});

test('a figure that changes changes the table', () => {
  const changed = figures.replace(/^\| sallyport, handle \| 0 \|/m, '| sallyport, handle | 7 |');

  expect(withComparison(readme, changed)).toContain(
    '| Users signed out by ten concurrent refreshes, in 100 rounds | 7 | 100 |',
  );
});

test('a heading that is missing is an error', () => {
  expect(() =>
    withComparison(readme, figures.replaceAll('### Verifying a 1 KB webhook', '### Something else')),
  ).toThrow('bench/README.md has no heading "Verifying a 1 KB webhook"');
});
