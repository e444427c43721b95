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
    ['after what starts like a token', `eyJ-eyJ-${token}`, '…'],
    ['after what starts like a token in another word', `eyJabc ${token}`, 'eyJabc …'],
    ['without a signature', 'alg none: eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyXzEifQ.', 'alg none: …'],
    ['in upper case', token.toUpperCase(), '…'],
  ])('%s is masked', (_, text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  test.each(['token', 'token_'])(
    'after %j is masked, except for the header of the token, which is not secret',
    (before) => {
      expect(redact(`${before}${token}`)).toBe(`${before}eyJhbGciOiJSUzI1NiJ9.…`);
    },
  );

  test('after the word Bearer is masked even if it is damaged', () => {
    expect(redact('authorization: Bearer eyJhbGciOiJSUzI1NiJ9')).toBe('authorization: Bearer …');
  });
});

test.each(['eyJ', 'eyJ-eyJ-eyJ', 'eyJabc.', 'eyJ.abc'])('the word %s starts like a token and is not masked', (text) => {
  expect(redact(text)).toBe(text);
});

test('a key in a word that starts like a token is masked', () => {
  expect(redact('eyJ-sk_test_0123456789abcdef is wrong')).toBe('eyJ-sk_…cdef is wrong');
  expect(redact('eyJ-a-whsec_0123456789abcdef')).toBe('eyJ-a-whsec_…cdef');
});

// The patterns of secrets without limits of time: a search takes four times as long in a text of double length.
const secrets =
  /(?<=\bBearer )[^\s"',;]+|(?<![a-z])(?:sk|whsec)_[\w-]+|\bFe26\.2\*[^\s"',;]*|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/gi;

test('all secrets of an error message are masked, and nothing else', () => {
  const piece = fc.constantFrom('eyJ', 'a', '.', '-', '_', 'Bearer ', 'sk_', 'whsec_', 'Fe26.2*', ' ', '"');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
      const text = pieces.join('');
      expect(redact(text)).toBe(text.replace(secrets, mask));
    }),
    { numRuns: runs(5_000) },
  );
});

describe('the redaction of a string takes about twice as long if the string is twice as long and', () => {
  test.each([
    ['starts of tokens', 'eyJ-'],
    ['starts of tokens and keys', 'eyJ-sk_'],
    ['starts of sealed cookies', 'Fe26.2*'],
    ['keys', '-sk_'],
    ['bearer tokens', 'Bearer '],
    ['control characters', '\n\r'],
  ])('is full of %s', async (_, piece) => {
    const textOf = (length: number): string => piece.repeat(length / piece.length);

    expect(await growth(5_000, textOf, (text) => quotable(text, ['a secret']))).toBeLessThanOrEqual(2.5);
  });
});
