import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createEmulator } from 'sallyport/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { helpOf, purposes } from '../../src/cli/tasks.js';
import { administratorControls, controls } from '../../src/emulator/all-rooms.js';
import { namedControlsOf } from '../../src/emulator/server/control.js';

const manual = readFileSync('docs/emulator.md', 'utf8');
const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const [, repositoryName = ''] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
const repositoryFiles = `https://raw.githubusercontent.com/${repositoryName}/HEAD/`;

/** A picture of a page: its file and its alternative text. */
interface Shown {
  readonly file: string;
  readonly words: string | undefined;
}

/** The pictures that a page shows; of one that depends on the colours, each source too. */
function picturesOf(page: string, text: string): Shown[] {
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

const astray = (pictures: readonly Shown[]): string[] =>
  pictures.filter(({ file, words }) => !existsSync(file) || !words).map(({ file }) => file);

describe('the pictures of the documents', () => {
  const shown = pages.flatMap((page) => picturesOf(page, readFileSync(page, 'utf8')));

  test('are there, and say what they show', () => {
    expect(shown.length).toBeGreaterThan(5);
    expect(astray(shown)).toEqual([]);
  });

  test('are all that docs/pictures has, each of at most 60 KB', () => {
    const files = readdirSync('docs/pictures').map((name) => `docs/pictures/${name}`);

    expect([...new Set(shown.map(({ file }) => file))].sort()).toEqual(files.sort());
    expect(files.filter((file) => statSync(file).size > 60_000)).toEqual([]);
  });

  test('that are missing, or say nothing, would be noticed', () => {
    const page =
      '<img src="pictures/none.webp" alt="Nothing"> ![](emulator.md) <img src="emulator.md"> ![a](emulator.md)';

    expect(astray(picturesOf('docs/a.md', page))).toEqual([
      'docs/pictures/none.webp',
      'docs/emulator.md',
      'docs/emulator.md',
    ]);
  });
});

describe('what the manual names is there', () => {
  test('requests to the emulator itself', () => {
    const known = namedControlsOf({ ...controls, ...administratorControls }).map(
      ({ operation: { method, path } }) => `${method} ${path}`,
    );
    // No control: pages of the console listen there.
    known.push('GET /_emulator/live');
    const named = [...manual.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/_emulator\/[\w/:.]*\w)/g)].map(
      ([, request = '']) => request,
    );
    const fits = (request: string): boolean =>
      known.some((one) => new RegExp(`^${one.replace(/:\w+/g, '[^/]+')}$`).test(request));

    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((request) => !fits(request))).toEqual([]);
    expect(fits('POST /_emulator/nothing')).toBe(false);
  });

  test('options of the command line', () => {
    const help = helpOf([], undefined).map(({ body }) => body);
    const known = new Set(help.join('\n').match(/--[\w-]+/g));
    const named = [...new Set(manual.match(/(?<=[`\s])--[a-z][\w-]+/g))].filter((flag) => !flagsOfOthers.has(flag));

    expect(Object.keys(purposes)).toEqual(['init', 'dev', 'emulator', 'dead-letters']);
    expect(named.filter((flag) => !known.has(flag))).toEqual([]);
    expect(known.has('--no-such-flag')).toBe(false);
  });

  test('methods of the emulator', async () => {
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    const at = (path: string): unknown =>
      path
        .split('.')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], emulator);
    const named = [...new Set([...manual.matchAll(/\bemulator\.([a-z][\w.]*)\(/gi)].map(([, path = '']) => path))];

    expect(named).toContain('clock.advance');
    expect(named.filter((path) => typeof at(path) !== 'function')).toEqual([]);
  });
});

/** Options of other programs that the manual names. */
const flagsOfOthers = new Set(['--import', '--stay', '--data-binary']);
