import { describe, expect, test } from 'vitest';
import { patternOf } from '../../../../src/emulator/rooms/audit-logs/pattern.js';
import fc, { runs } from '../../../runner/property.js';

/** Whether a pattern fits a text, and in how many steps. */
function compare(pattern: string, text: string) {
  let steps = 0;
  const fits = patternOf(pattern, (more) => {
    steps += more;
  }).test(text);
  return { fits, steps };
}

/** Patterns in the whole syntax that is accepted. */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'a',
      'b',
      '-',
      '.',
      '\\.',
      '\\d',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '[ab]',
      '[^a]',
      '[a-c\\]]',
      '[\\b\\-]',
      '[]',
      '[^]',
    ),
    fc.constantFrom(
      '^',
      '$',
      '\\b',
      '\\B',
      '\\p{L}',
      '\\P{L}',
      '\\u0061',
      '\\u{1F600}',
      '\\uD83D\\uDE00',
      '\\x62',
      '\\cJ',
      '\\0',
      '\u{1F600}',
      '\\/',
      '\\t',
      '(?!)',
    ),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
    tie('pattern').map((inner) => `(?=${inner})`),
    tie('pattern').map((inner) => `(?!${inner})`),
    fc
      .tuple(
        fc.oneof(
          fc.constantFrom('a', 'b', '.', '[ab]', '\\w'),
          tie('pattern').map((inner) => `(?:${inner})`),
        ),
        fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0}', '{1,}', '{0,2}', '{1,3}?'),
      )
      .map(([inner, count]) => inner + count),
  ),
  pattern: fc.oneof(
    { depthSize: 'small' },
    fc.array(tie('atom'), { maxLength: 4 }).map((atoms) => atoms.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((two) => two.join('|')),
  ),
}));

const anyText = fc
  .array(
    fc.constantFrom('a', 'b', 'c', '-', ']', '.', '/', '1', ' ', '\n', '\b', '\u0000', 'é', '\u{1F600}', '\uD83D'),
    { maxLength: 8 },
  )
  .map((characters) => characters.join(''));

test('a pattern fits the same texts as a RegExp', () => {
  fc.assert(
    fc.property(anyPattern, anyText, (pattern, text) => {
      // Against the standard, V8 looks for a place of no width between two surrogates too.
      fc.pre(!(/\\B|\(\?[=!]/.test(pattern) && text.includes('\u{1F600}')));
      expect(compare(pattern, text).fits, `${JSON.stringify(pattern)} and ${JSON.stringify(text)}`).toBe(
        new RegExp(pattern, 'u').test(text),
      );
    }),
    { numRuns: runs(10_000) },
  );
});

test.each([
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 'ada@acme.test', true],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 'ada@acme', false],
  ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Password1', true],
  ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'password1', false],
  ['^(?!admin$)\\w+$', 'admin', false],
  ['^(?!admin$)\\w+$', 'admins', true],
  ['^(?<year>\\d{4})-(?<month>\\d\\d)$', '2026-01', true],
  ['', '', true],
])('%j compared with %j gives %j', (pattern, text, fits) => {
  expect(compare(pattern, text).fits).toBe(fits);
});

describe('a pattern that a RegExp takes very long for takes few steps', () => {
  test.each([
    '^(a+)+$',
    '^(a*)*$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^(.*a){30}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '^(?:a?){100}a{100}$',
    'a*a*a*a*a*a*b',
    '(?=(a+)+b)',
    '^((a+)*)*b',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    '^(?:(?:a*)*)*b$',
    '(x+x+)+y',
    '^(\\w+\\s?)*$',
  ])('%s', (pattern) => {
    const { fits, steps } = compare(pattern, `${'a'.repeat(500)}!`);

    expect(fits).toBe(false);
    expect(steps).toBeLessThan(2_000_000);
  });

  test('the steps of any pattern are bounded by its length and the length of the text', () => {
    fc.assert(
      fc.property(anyPattern, fc.constantFrom('a', 'b', 'ab', '-'), (pattern, piece) => {
        fc.pre(!pattern.includes('(?=') && !pattern.includes('(?!'));
        // A count multiplies the states, at most by three for each of the nested groups.
        const states = compare(pattern, '').steps + 1;

        expect(compare(pattern, piece.repeat(300)).steps).toBeLessThan(40 * states * 600);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

test.each([
  ['(a)\\1', 'must not use back-references'],
  ['(?<name>a)\\k<name>', 'must not use back-references'],
  ['(?<=a)b', 'must not use groups that start with (?<=, (?<! or flags'],
  ['(?<!a)b', 'must not use groups that start with (?<=, (?<! or flags'],
  ['a{10001}', 'has more than 10000 states'],
  ['(?:(?:){1000000000}){1000000000}', 'has more than 10000 states'],
  ['((((a{20}){20}){20}){20}){20}', 'has more than 10000 states'],
  ['a'.repeat(2_001), 'is longer than 2000 characters'],
  ['(', 'Invalid regular expression'],
  ['a**', 'Invalid regular expression'],
])('the pattern %s is refused: it %s', (pattern, why) => {
  expect(() => compare(pattern, '')).toThrow(why);
});

test('a comparison ends when all steps are used', () => {
  const pattern = patternOf('^(?=.*(?=.*(?=.*b)))', () => {
    throw new Error('no steps left');
  });

  expect(() => pattern.test('a'.repeat(500))).toThrow('no steps left');
});
