import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read } from './markdown.js';

const page = read('docs/guides/configuration.md');

/** All names of settings in a text, without duplicates. */
const variablesIn = (text: string): string[] =>
  [...new Set(text.match(/\b(?:SALLYPORT|WORKOS)_[A-Z]+(?:_[A-Z]+)*\b/g) ?? [])].sort();

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => read(join('src', name)));

test('the configuration page names exactly the environment variables that the source code reads', () => {
  const names = variablesIn(sources.join('\n'));

  expect(names).toContain('SALLYPORT_LOG');
  expect(variablesIn(page)).toEqual(names);
});
