import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, pages, read } from './markdown.js';

const { files, repository } = JSON.parse(read('package.json'));
/** The files that npm delivers. */
const delivered: readonly string[] = [...files, 'README.md', 'LICENSE', 'package.json'];
const isPacked = (path: string): boolean => delivered.some((one) => path === one || path.startsWith(`${one}/`));

/** Links of a text to files that are not delivered and to headings that are not there. */
function astray(page: string, text: string): string[] {
  const links = [
    ...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
  ];
  return links.flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? page : normalize(join(dirname(page), path));
    // What the README links to is shown from the repository.
    const isDelivered = existsSync(target) && (page === 'README.md' || isPacked(target));
    const isHeading = anchor === undefined || !target.endsWith('.md') || anchorsOf(read(target)).has(anchor);
    return isDelivered && isHeading ? [] : [link];
  });
}

test.each([...pages, 'SECURITY.md'])(
  '%s leads by its links to files that users have, and to headings that are there',
  (page) => {
    expect(astray(page, read(page))).toEqual([]);
  },
);

test('a link that leads nowhere would be noticed', () => {
  const text =
    '[a](sessions.md#next) [b](sessions.md#nowhere) [c](nothing.md) [d](../test/servers/wire.ts) [e](https://example.com)';

  expect(astray('docs/errors.md', text)).toEqual([
    '](sessions.md#nowhere)',
    '](nothing.md)',
    '](../test/servers/wire.ts)',
  ]);
});

const [, repositoryName = ''] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
const repositoryFiles = `https://raw.githubusercontent.com/${repositoryName}/HEAD/`;

/** A picture of a page: its file and its alternative text. */
interface Picture {
  readonly file: string;
  readonly words: string | undefined;
}

/** The pictures that a page shows; of one that depends on the colours, each source too. */
function picturesOf(page: string, text: string): Picture[] {
  // The README is shown by the registry too, where only whole addresses work.
  const at = (address: string): string =>
    page === 'README.md' ? address.replace(repositoryFiles, '') : normalize(join(dirname(page), address));
  const tags = [...text.matchAll(/<(img|source)\b([^>]*)>/g)].map(([, tag, attributes = '']) => ({
    file: at(/\bsrc(?:set)?="([^"]*)"/.exec(attributes)?.[1] ?? ''),
    words: tag === 'source' ? 'those of the picture' : /\balt="([^"]*)"/.exec(attributes)?.[1],
  }));
  const marks = [...text.matchAll(/!\[([^\]]*)\]\((?!https?:)([^)]+)\)/g)].map(([, words, address = '']) => ({
    file: at(address),
    words,
  }));
  return [...tags, ...marks];
}

const unclear = (pictures: readonly Picture[]): string[] =>
  pictures.filter(({ file, words }) => !existsSync(file) || !words).map(({ file }) => file);

describe('the pictures of the documents', () => {
  const shown = pages.flatMap((page) => picturesOf(page, read(page)));

  test('are there, and say what they show', () => {
    expect(shown.length).toBeGreaterThan(5);
    expect(unclear(shown)).toEqual([]);
  });

  test('are all that docs/pictures has, each of at most 60 KB', () => {
    const files = readdirSync('docs/pictures').map((name) => `docs/pictures/${name}`);

    expect([...new Set(shown.map(({ file }) => file))].sort()).toEqual(files.sort());
    expect(files.filter((file) => statSync(file).size > 60_000)).toEqual([]);
  });

  test('that are missing, or say nothing, would be noticed', () => {
    const page = '<img src="pictures/none.webp" alt="Nothing"> ![](errors.md) <img src="errors.md"> ![a](errors.md)';

    expect(unclear(picturesOf('docs/a.md', page))).toEqual([
      'docs/pictures/none.webp',
      'docs/errors.md',
      'docs/errors.md',
    ]);
  });
});
