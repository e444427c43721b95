import { describe, expect, test } from 'vitest';
import { globOf } from '../../../src/emulator/store/glob.js';
import fc, { runs } from '../../runner/property.js';
import { stage } from '../../stage.js';

describe('a wildcard pattern', () => {
  test.each(
    (
      [
        ['/organizations', '/organizations', true],
        ['/organizations', '/organizations/', false],
        ['/organizations/*', '/organizations/', true],
        ['/organizations/*', '/organizations/org_1/roles', true],
        ['/organizations/*', '/organizations', false],
        ['*/roles', '/organizations/org_1/roles', true],
        ['*/roles', '/organizations/org_1/role', false],
        ['/a/*/c/*/e', '/a/b/c/d/e', true],
        ['/a/*/c/*/e', '/a/c/d/e', false],
        ['*aab*', 'aaab', true],
        ['*aab*', 'aaacb', false],
        ['*abcabd*', 'abcabcabd', true],
        ['ab*ba', 'aba', false],
        ['ab*ba', 'abba', true],
        ['*', '', true],
        ['***', 'a', true],
        ['', '', true],
        ['', 'a', false],
        [' GET /a.b ', 'GET /a.b', true],
        ['GET /a.b', 'GET /a-b', false],
        ['/(a+)$', '/(a+)$', true],
        ['/a*', '/a\nb', true],
      ] as const
    ).map(([glob, text, fits]) => [fits ? 'matches' : 'does not match', text, glob, fits] as const),
  )('%s the string %j (pattern %j)', (_, text, glob, fits) => {
    expect(globOf(glob).test(text)).toBe(fits);
  });

  test('matches the same strings as a simple recursive implementation', () => {
    const fits = (glob: string, text: string): boolean => {
      if (glob === '') return text === '';
      if (glob[0] === '*') return fits(glob.slice(1), text) || (text !== '' && fits(glob, text.slice(1)));
      return glob[0] === text[0] && fits(glob.slice(1), text.slice(1));
    };
    const letters = (all: string, maxLength: number) =>
      fc.array(fc.constantFrom(...all), { maxLength }).map((some) => some.join(''));

    fc.assert(
      fc.property(letters('ab*', 8), letters('ab', 10), (glob, text) => {
        expect(globOf(glob).test(text)).toBe(fits(glob, text));
      }),
      { numRuns: runs(3_000) },
    );
  });

  // These take a few milliseconds, and the time limit of a test is one minute.
  test('is compared quickly with a long string that almost matches', () => {
    const half = 'a'.repeat(250_000);

    expect(globOf('/sso/jwks/*a*a*a*ab').test(`/sso/jwks/${half}`)).toBe(false);
    expect(globOf(`*${half}b${half}*`).test(half.repeat(8))).toBe(false);
    expect(globOf('*a'.repeat(100_000)).test(`${half}b`)).toBe(false);
  });
});

test('a fault whose path contains many stars does not slow down requests', async () => {
  const { send } = await stage();
  await send('POST /_emulator/faults', { path: '/sso/jwks/*a*a*a*ab' });

  const { status } = await send(`GET /sso/jwks/${'a'.repeat(3_000)}`);

  expect(status).toBe(404);
});

test('an API key whose denials contain many stars does not slow down requests', async () => {
  const { send } = await stage({ apiKeys: [{ value: 'sk_test_narrow', deny: ['GET /*a*a*a*ab'] }] });

  const { status } = await send(`GET /${'a'.repeat(3_000)}`, undefined, { authorization: 'Bearer sk_test_narrow' });

  expect(status).toBe(404);
});
