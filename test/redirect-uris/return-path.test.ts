import { describe, expect, test } from 'vitest';
import { maxReturnPath, returnPath } from '../../src/redirect-uris/return-path.js';
import fc, { runs } from '../runner/property.js';

describe('the return path', () => {
  test.each([
    ['/', '/'],
    ['/reports', '/reports'],
    ['/reports/2026?month=11&sort=-size#totals', '/reports/2026?month=11&sort=-size#totals'],
    ['/search?q=a//b', '/search?q=a//b'],
    ['/search?path=C%3A%5Ctemp&text=one%0D%0Atwo', '/search?path=C%3A%5Ctemp&text=one%0D%0Atwo'],
    ['/login?next=https%3A%2F%2Fother.test', '/login?next=https%3A%2F%2Fother.test'],
    ['/login?next=https://other.test', '/login?next=https://other.test'],
    ['/@other.test', '/@other.test'],
    ['/users/ada%2Fbruno', '/users/ada%2Fbruno'],
    ['/a/../b', '/b'],
    ['/straße?ä', '/stra%C3%9Fe?%C3%A4'],
    ['/two words', '/two%20words'],
  ])('%j is accepted', (given, kept) => {
    expect(returnPath(given)).toBe(kept);
  });
});

describe('the return path', () => {
  test.each([
    'https://other.test/',
    'https:other.test',
    'javascript:alert(1)',
    'data:text/html,x',
    'other.test',
    'reports',
    '?q=1',
    '#top',
    '',
    ' /reports',
    ' //other.test',
    '//other.test',
    '///other.test',
    '//other.test@here.invalid/',
    '/\\other.test',
    '\\/other.test',
    '\\\\other.test',
    '/reports\\..\\x',
    '/\t/other.test',
    '/\n/other.test',
    '/\r\nset-cookie: a=b',
    '\u0000/reports',
    '/reports\u007f',
    '/reports\u0085',
    '/.//other.test',
    '/..//other.test',
    '/a/..//other.test',
    '/%2e//other.test',
    '/%2E%2e//other.test',
    '/%2f/other.test',
    '/%2Fother.test',
    '/%252fother.test',
    '/%25252Fother.test',
    '/%5cother.test',
    '/%5Cother.test',
    '/%255cother.test',
    '/x%5c..',
    '/%09/other.test',
    '/%0d%0aset-cookie:%20a=b',
    '/%250aset-cookie',
    '/%00',
    '/%7f',
  ])('%j is replaced by the path "/"', (given) => {
    expect(returnPath(given)).toBe('/');
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 42],
    ['an object', {}],
    ['a list', ['/reports']],
    ['a URL object', new URL('https://other.test/')],
  ])('is replaced by "/" if it is %s', (_, given) => {
    expect(returnPath(given)).toBe('/');
  });
});

test('a return path can have at most 1,024 characters', () => {
  const longest = `/${'x'.repeat(1_023)}`;

  expect(maxReturnPath).toBe(1_024);
  expect(returnPath(longest)).toBe(longest);
  expect(returnPath(`${longest}x`)).toBe('/');
});

test('a return path that exceeds the limit after escaping is replaced by the path "/"', () => {
  expect(returnPath(`/${'ß'.repeat(100)}`)).toBe(`/${'%C3%9F'.repeat(100)}`);
  expect(returnPath(`/${'ß'.repeat(200)}`)).toBe('/');
});

test('returnPath() returns a path on the site for any input, and returns its own results unchanged', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2f',
    '%5C',
    '%09',
    '\t',
    ':',
    '@',
    '?',
    '#',
    'other.test',
    'a',
    '%25',
  );
  const path = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
  );

  fc.assert(
    fc.property(path, (given) => {
      const result = returnPath(given);

      expect(result).toMatch(/^\/(?![/\\])/);
      expect(new URL(result, 'https://app.test/login').origin).toBe('https://app.test');
      expect(new URL(decodeURIComponentSafely(result), 'https://app.test/login').origin).toBe('https://app.test');
      expect(returnPath(result)).toBe(result);
    }),
    { numRuns: runs(5_000) },
  );
});

/** Decodes the path like a careless proxy. */
const decodeURIComponentSafely = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
