import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
/** The files that npm delivers. */
const delivered: readonly string[] = [...files, 'README.md', 'LICENSE', 'package.json'];
const pages = [
  'README.md',
  'SECURITY.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const isPacked = (path: string): boolean => delivered.some((one) => path === one || path.startsWith(`${one}/`));

/** What the headings of a page are called in addresses. */
const anchorsIn = (text: string): string[] =>
  (text.match(/^#+ .+$/gm) ?? []).map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/** Links of a text to files that are not delivered and to headings that are not there. */
function astray(page: string, text: string): string[] {
  const links = [
    ...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
  ];
  return links.flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? page : normalize(join(dirname(page), path));
    // What the README links to is shown from the repository.
    const isDelivered = existsSync(target) && (page === 'README.md' || isPacked(target));
    const isHeading =
      anchor === undefined || !target.endsWith('.md') || anchorsIn(readFileSync(target, 'utf8')).includes(anchor);
    return isDelivered && isHeading ? [] : [link];
  });
}

describe.each(pages)('%s', (page) => {
  test('leads by its links to files that users have, and to headings that are there', () => {
    expect(astray(page, readFileSync(page, 'utf8'))).toEqual([]);
  });
});

test('a link that leads nowhere would be noticed', () => {
  const text =
    '[a](sessions.md#next) [b](sessions.md#nowhere) [c](nothing.md) [d](../test/servers/wire.ts) [e](https://example.com)';

  expect(astray('docs/errors.md', text)).toEqual([
    '](sessions.md#nowhere)',
    '](nothing.md)',
    '](../test/servers/wire.ts)',
  ]);
});
