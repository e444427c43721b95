import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, pages, read } from './markdown.js';

const { files, homepage, bugs, repository } = JSON.parse(read('package.json'));

/** The files of the repository: those in git, and new ones that are not ignored. */
const inRepository: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const isFile = (path: string): boolean => inRepository.includes(path);
const isFolder = (path: string): boolean => inRepository.some((file) => file.startsWith(`${path}/`));

/** Paths that npm publishes, and those below them that it omits. */
const delivered: readonly string[] = [
  ...files.filter((one: string) => !one.startsWith('!')),
  'README.md',
  'LICENSE',
  'package.json',
];
const leftOut: readonly string[] = files
  .filter((one: string) => one.startsWith('!'))
  .map((one: string) => one.slice(1));
const isWithin = (path: string, paths: readonly string[]): boolean =>
  paths.some((one) => path === one || path.startsWith(`${one}/`));
const isPacked = (path: string): boolean => isWithin(path, delivered) && !isWithin(path, leftOut);

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '``');

/** Whether the reader of a page has only the package. The README and the changelog are shown with links to the repository. */
const isReadFromPackage = (page: string): boolean => isPacked(page) && !['README.md', 'CHANGELOG.md'].includes(page);

/** The relative links of a text: `[a](b)`, `[a]: b` and `href="b"`. */
const linksIn = (text: string): RegExpMatchArray[] => [
  ...withoutCode(text).matchAll(
    /(?:\]\(|^\[[^\]]+\]: +|\bhref=")(?!https?:|mailto:)([^)#\s"]*)(?:#([^)\s"]+))?[)"]?/gm,
  ),
];

/** The links of a text to files that the reader of the page does not have, and to missing headings. */
function astray(page: string, text: string): string[] {
  return linksIn(text).flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
    const isThere = (isFile(target) || isFolder(target)) && (!isReadFromPackage(page) || isPacked(target));
    const isHeading =
      anchor === undefined || !target.endsWith('.md') || (isThere && anchorsOf(read(target)).has(anchor));
    return isThere && isHeading ? [] : [link];
  });
}

test.each(inRepository.filter((file) => file.endsWith('.md')))('%s contains no broken links', (page) => {
  expect(astray(page, read(page))).toEqual([]);
});

test('a broken link is reported', () => {
  const text = [
    '[a](sessions.md#check-permissions) [b](sessions.md#nowhere) [c](nothing.md) [d](../test/servers/wire.ts)',
    '[e](https://example.com) [f](pictures/request.webp) <a href="gone.md">g</a> `[h](gone.md)` [i](reference)',
    '',
    '[k]: lost.md',
  ].join('\n');

  expect(astray('docs/errors.md', text)).toEqual([
    '](sessions.md#nowhere)',
    '](nothing.md)',
    '](../test/servers/wire.ts)',
    '](pictures/request.webp)',
    'href="gone.md"',
    '[k]: lost.md',
  ]);
});

/** Addresses of documents in a text, such as `docs/sessions.md#the-cookie`, but not those on other hosts. */
const addressesIn = (text: string): RegExpMatchArray[] => [
  ...text.matchAll(/(?<!\w\/|[\w.-])(docs\/[\w./-]+\.(?:md|webp))(?:#([\w-]+))?/g),
];

/** Addresses of documents that do not exist, or that name a heading which the page does not have. */
const lost = (text: string): string[] =>
  addressesIn(text).flatMap(([address, path = '', anchor]) => {
    const isThere = isFile(path) && (anchor === undefined || anchorsOf(read(path)).has(anchor));
    return isThere ? [] : [address];
  });

describe('a link from code to a document', () => {
  const code = inRepository.filter((file) =>
    /^(?:src|scripts|test|examples)\/.*\.(?:[cm]?[jt]sx?|py|ya?ml|svelte|vue|astro)$/.test(file),
  );
  // Tests make these up.
  const madeUp = ['docs/a.md', 'docs/wrong.md', 'docs/readme.md', 'docs/readme/a.md', 'docs/frameworks/NAME.md'];

  test('points to an existing page and heading', () => {
    const others = code.filter((file) => file !== 'test/docs/links.test.ts');
    const found = others.map((file) => ({ file, lost: lost(read(file)).filter((one) => !madeUp.includes(one)) }));

    expect(others.flatMap((file) => addressesIn(read(file))).length).toBeGreaterThan(20);
    expect(found.filter((one) => one.lost.length > 0)).toEqual([]);
  });

  test('is reported if the page or heading does not exist', () => {
    const text =
      'see docs/sessions.md#the-cookie, ../docs/gone.md, docs/sessions.md#gone, https://vue.test/docs/gone.md';

    expect(lost(text)).toEqual(['docs/gone.md', 'docs/sessions.md#gone']);
  });
});

const [, repositoryName = ''] = /^git\+https:\/\/github\.com\/([\w-]+\/[\w.-]+)\.git$/.exec(repository.url) ?? [];
const repositoryFiles = `https://raw.githubusercontent.com/${repositoryName}/HEAD/`;

/**
 * Relative links of the README that do not work on the page of the registry. It puts the address of the repository before them, so
 * each must be the path of a file from the root. A folder has another address there.
 */
const astrayOnRegistry = (text: string): string[] =>
  linksIn(text).flatMap(([link, path = '']) => (path === '' || isFile(path) ? [] : [link]));

describe('the README on the npm registry', () => {
  test('has relative links only to files in the repository', () => {
    const readme = read('README.md');

    expect(linksIn(readme).length).toBeGreaterThan(20);
    expect(astrayOnRegistry(readme)).toEqual([]);
  });

  test('is reported if a link works only in the repository', () => {
    const text =
      '[a](docs/README.md) [b](./docs/README.md) [c](/docs/README.md) [d](docs) [e](../sallyport/README.md) [f](#install)';

    expect(astrayOnRegistry(text)).toEqual([
      '](./docs/README.md)',
      '](/docs/README.md)',
      '](docs)',
      '](../sallyport/README.md)',
    ]);
  });

  test('appears on a page that links to the repository and the issues on GitHub', () => {
    expect(repositoryName).not.toBe('');
    expect(repository.directory).toBeUndefined();
    expect(homepage).toBe(`https://github.com/${repositoryName}#readme`);
    expect(bugs.url).toBe(`https://github.com/${repositoryName}/issues`);
  });
});

describe('docs/README.md', () => {
  const index = read('docs/README.md');
  const targets = linksIn(index).map(([, path = '']) => normalize(join('docs', path)));

  test('lists every page, starting with the tutorial', () => {
    const others = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');

    expect(targets[0]).toBe('docs/start.md');
    expect(others.filter((page) => !targets.includes(page))).toEqual([]);
  });

  test('links, together with the other pages, to every program in examples', () => {
    const linked = pages.flatMap((page) =>
      linksIn(read(page)).map(([, path = '']) => normalize(join(dirname(page), path))),
    );
    const programs = readdirSync('examples').filter((name) => name.endsWith('.ts'));

    expect(programs.filter((name) => !linked.includes(`examples/${name}`))).toEqual([]);
  });
});

/** A picture in a page: its file and its alternative text. */
interface Picture {
  readonly file: string;
  readonly words: string | undefined;
}

/** The pictures of a page, including each source of one that depends on the color scheme. */
function picturesOf(page: string, text: string): Picture[] {
  const at = (address: string): string =>
    address.startsWith(repositoryFiles)
      ? address.slice(repositoryFiles.length)
      : normalize(join(dirname(page), address));
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

describe('the images in the documentation', () => {
  const shown = pages.flatMap((page) => picturesOf(page, read(page)));

  test('have absolute URLs, because the npm package does not contain the images', () => {
    const addresses = pages.flatMap((page) =>
      [...read(page).matchAll(/\bsrc(?:set)?="([^"]*)"/g)].map(([, one]) => one),
    );

    expect(addresses.length).toBeGreaterThan(5);
    expect(addresses.filter((address) => !address!.startsWith(repositoryFiles))).toEqual([]);
  });

  test('exist and have alternative text', () => {
    expect(shown.length).toBeGreaterThan(5);
    expect(unclear(shown)).toEqual([]);
  });

  test('are exactly the files in docs/pictures, and each file has at most 60 KB', () => {
    const files = readdirSync('docs/pictures').map((name) => `docs/pictures/${name}`);

    expect([...new Set(shown.map(({ file }) => file))].sort()).toEqual(files.sort());
    expect(files.filter((file) => statSync(file).size > 60_000)).toEqual([]);
  });

  test('are reported if the file or the alternative text is missing', () => {
    const page = '<img src="pictures/none.webp" alt="Nothing"> ![](errors.md) <img src="errors.md"> ![a](errors.md)';

    expect(unclear(picturesOf('docs/a.md', page))).toEqual([
      'docs/pictures/none.webp',
      'docs/errors.md',
      'docs/errors.md',
    ]);
  });
});
