import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { triesAll } from '../runner/property.js';
import { expressionsOf, slownessOf } from './regular-expressions.js';

const root = join(import.meta.dirname, '../..');

const expressions = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) => expressionsOf({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Expressions that are built at run time, each with an example. */
const examples: Readonly<Record<string, RegExp>> = {
  'src/cli/development-port.ts: new RegExp(`\\\\b${name}\\\\s*:\\\\s*\\\\{`)': /\bserver\s*:\s*\{/,
  'src/cli/init/setup-pages.ts: new RegExp(`\\\\b${name}\\\\s*:\\\\s*[\'"\\`]([\\\\w@./-]+)[\'"\\`]`)':
    /\bsrcDir\s*:\s*['"`]([\w@./-]+)['"`]/,
  "src/errors/redact.ts: new RegExp(`(?<!\\\\w)${escaped(form)}(?!\\\\w)`, 'g')": /(?<!\w)%2B\+1(?!\w)/g,
  "src/streams/follow/position.ts: new RegExp(`.{${2 * width}}`, 'g')": /.{12}/g,
};

test('each regular expression in src matches in linear time', async () => {
  const slow: Record<string, string> = {};
  // `npm test` searches every tenth.
  const searched = expressions.filter((_, at) => triesAll || at % 10 === 0);
  for (const { place, source = examples[place]?.source, flags } of searched) {
    const slowness =
      source === undefined ? 'built at run time, so that it needs an example' : await slownessOf(source, flags);
    if (slowness !== undefined) slow[place] = slowness;
  }

  expect(expressions.length).toBeGreaterThan(300);
  expect(slow).toEqual({});
}, 900_000);

test('every example pattern belongs to a regular expression that is built at run time', () => {
  const built = expressions.filter(({ source }) => source === undefined).map(({ place }) => place);

  expect(built).toEqual(expect.arrayContaining(Object.keys(examples)));
});

test.each([
  ['trailing slashes', /\/+$/],
  ['a token with a dot', /\beyJ[\w-]+\./],
  ['a quoted string', /"(?:[^"\\]|\\.)*"/g],
  ['spaces around a comma', / *, */],
  ['a word without a preceding hyphen', /(?<!-)\w+$/],
])('a naive regular expression for %s takes more than linear time', async (_, { source, flags }) => {
  expect(await slownessOf(source, flags)).toMatch(/^2nd degree polynomial/);
});

test('a pattern with nested quantifiers takes exponential time', async () => {
  expect(await slownessOf('^(a+)+$', '')).toMatch(/^exponential/);
});

describe('a regular expression in a source file', () => {
  const placesOf = (text: string) => expressionsOf({ path: 'src/a.ts', text });

  test('is found together with its flags', () => {
    expect(placesOf('const all = /[/]a\\/b/gi;')).toEqual([
      { place: 'src/a.ts: /[/]a\\/b/gi', source: '[/]a\\/b', flags: 'gi' },
    ]);
  });

  test('is found in a RegExp call even if the pattern is not constant', () => {
    expect(placesOf("new RegExp('a+', 'g'); RegExp(`b`); new RegExp(c + '+', 'u');")).toEqual([
      { place: "src/a.ts: new RegExp('a+', 'g')", source: 'a+', flags: 'g' },
      { place: 'src/a.ts: RegExp(`b`)', source: 'b', flags: '' },
      { place: "src/a.ts: new RegExp(c + '+', 'u')", source: undefined, flags: 'u' },
    ]);
  });

  test('is ignored inside a comment or a string', () => {
    expect(placesOf("// /a/\nconst text = '/b/'; const half = 1 / 2 / 3;")).toEqual([]);
  });
});
