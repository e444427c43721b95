import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldsOf, read } from './markdown.js';

const page = read('docs/guides/configuration.md');

/** All names of settings in a text, without duplicates. */
const variablesIn = (text: string): string[] =>
  [...new Set(text.match(/\b(?:SALLYPORT|WORKOS)_[A-Z]+(?:_[A-Z]+)*\b/g) ?? [])].sort();

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => read(join('src', name)));

test('the configuration page names exactly the variables of the source', () => {
  const names = variablesIn(sources.join('\n'));

  expect(names).toContain('SALLYPORT_LOG');
  expect(variablesIn(page)).toEqual(names);
});

/** The options in the first column of the tables of the page, such as `apiKey` and `cookie.name`. */
const listed = [...page.matchAll(/^\| (`[^|]*) \|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z][\w.]+)`/g)].map(([, name = '']) => name))
  .filter((name) => name !== 'development' && name !== 'production');

const fields = (file: string, name: string, prefix = ''): string[] =>
  fieldsOf(file, name).map((field) => prefix + field);

const options: Readonly<Record<string, readonly string[]>> = {
  'new Sallyport': fields('src/transport/types.ts', 'SallyportOptions'),
  with: fields('src/transport/types.ts', 'WithOptions'),
  createSessions: fields('src/session/handle/sessions-options.ts', 'SessionsOptions'),
  createSessionReader: fields('src/session/read/reader-options.ts', 'ReaderOptions'),
  createTokenVerifier: fields('src/session/read/reader-options.ts', 'TokenOptions'),
  cookie: fields('src/session/cookie/cookies.ts', 'CookieOptions', 'cookie.'),
  refresh: fields('src/session/handle/sessions-options.ts', 'RefreshOptions', 'refresh.'),
  receive: fields('src/webhooks/receive-options.ts', 'ReceiveOptions'),
};

test.each(Object.entries(options))('the configuration page has all options of %s', (_, names) => {
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

test('the configuration page has no option that does not exist', () => {
  const names = Object.values(options).flat();

  expect(listed.filter((name) => !names.includes(name))).toEqual([]);
});
