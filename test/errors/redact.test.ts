import { describe, expect, test } from 'vitest';
import { mask, quotable, redact } from '../../src/errors/index.js';
import { growth } from '../growth.js';
import fc, { runs } from '../runner/property.js';

const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyXzEifQ.c2lnbmF0dXJl';

describe('a token in an error message', () => {
  test.each([
    ['at the start', `${token} is expired`, '… is expired'],
    ['after a hyphen', `token-${token}`, 'token-…'],
    ['after a dot', `token.${token}`, 'token.…'],
    ['after a slash', `/tokens/${token}/claims`, '/tokens/…/claims'],
    ['after two incomplete tokens', `eyJ-eyJ-${token}`, '…'],
    ['after the word eyJabc', `eyJabc ${token}`, 'eyJabc …'],
    ['without a signature', 'alg none: eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyXzEifQ.', 'alg none: …'],
    ['in upper case', token.toUpperCase(), '…'],
  ])('%s is masked', (_, text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  test.each(['token', 'token_'])('directly after the text %j is masked except for the public header', (before) => {
    expect(redact(`${before}${token}`)).toBe(`${before}eyJhbGciOiJSUzI1NiJ9.…`);
  });

  test('after the word Bearer is masked even if the token is incomplete', () => {
    expect(redact('authorization: Bearer eyJhbGciOiJSUzI1NiJ9')).toBe('authorization: Bearer …');
  });
});

test.each(['eyJ', 'eyJ-eyJ-eyJ', 'eyJabc.', 'eyJ.abc'])(
  'the word %s, which only starts like a token, is not masked',
  (text) => {
    expect(redact(text)).toBe(text);
  },
);

test('a key is masked even inside a word that starts like a token', () => {
  expect(redact('eyJ-sk_test_0123456789abcdef is wrong')).toBe('eyJ-sk_…cdef is wrong');
  expect(redact('eyJ-a-whsec_0123456789abcdef')).toBe('eyJ-a-whsec_…cdef');
});

// The patterns of secrets without limits of time: a search takes four times as long in a text of double length.
const secrets =
  /(?<=\bBearer )[^\s"',;]+|(?<![a-z])(?:sk|whsec)_[\w-]+|\bFe26\.2\*[^\s"',;]*|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/gi;

test('redaction masks all secrets in an error message, and no other text', () => {
  const piece = fc.constantFrom('eyJ', 'a', '.', '-', '_', 'Bearer ', 'sk_', 'whsec_', 'Fe26.2*', ' ', '"');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
      const text = pieces.join('');
      expect(redact(text)).toBe(text.replace(secrets, mask));
    }),
    { numRuns: runs(5_000) },
  );
});

describe('redaction time grows linearly with the length of a string', () => {
  test.each([
    ['token prefixes', 'eyJ-'],
    ['token and key prefixes', 'eyJ-sk_'],
    ['sealed cookie prefixes', 'Fe26.2*'],
    ['key prefixes', '-sk_'],
    ['Bearer schemes', 'Bearer '],
    ['control characters', '\n\r'],
  ])('that is full of %s', async (_, piece) => {
    const textOf = (length: number): string => piece.repeat(length / piece.length);

    expect(await growth(5_000, textOf, (text) => quotable(text, ['a secret']))).toBeLessThanOrEqual(2.5);
  });
});
