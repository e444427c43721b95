import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findings, forbidden, habits, type Sentence, sentencesIn } from './habits.js';

const skipped = /(?:^|\/)(?:node_modules|dist|fixtures|\.next|\.cache)(?:\/|$)/;

/** The sentences of all code below a folder. */
const sentencesBelow = (folder: string): Sentence[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:m?tsx?|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
    .filter((path) => !skipped.test(path) && !path.startsWith('test/prose'))
    .flatMap((path) => sentencesIn(path, readFileSync(path, 'utf8')));

const areas: readonly (readonly [name: string, sentences: readonly Sentence[]])[] = [
  ['src', sentencesBelow('src')],
  ['examples', sentencesBelow('examples')],
  ['scripts', sentencesBelow('scripts')],
  ['test titles', sentencesBelow('test').filter(({ kind }) => kind === 'title')],
];

test.each(areas)('the prose check finds no banned words in %s', (_name, sentences) => {
  expect(sentences.length).toBeGreaterThan(100);
  expect(findings(sentences, forbidden)).toEqual([]);
});

// `test.each` reads each % of a title as a placeholder.
for (const [name, sentences] of areas)
  test(`at most 2% of the sentences in ${name} match a listed bad habit`, () => {
    const found = findings(sentences, habits);

    expect(found.length / sentences.length, found.join('\n')).toBeLessThanOrEqual(0.02);
  });

test('the prose check finds banned words in comments, error messages and test titles', () => {
  const code = `/** Whoever calls it is told. */
// The token, undefined where there is none.
throw new Error('The caller is told what went wrong here');
test('is handled anew when it comes again', () => {});
/** List users, newest first. */`;

  const found = findings(sentencesIn('a.ts', code), forbidden);

  expect(found.map((line) => line.split(':')[1])).toEqual(['1', '2', '3', '4']);
});
