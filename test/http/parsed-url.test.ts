import { expect, test } from 'vitest';
import { parsedUrl } from '../../src/http/parsed-url.js';

test('a URL is parsed as an absolute URL, or relative to a base URL', () => {
  expect(parsedUrl('https://app.example.com/callback')?.href).toBe('https://app.example.com/callback');
  expect(parsedUrl('/callback', 'https://app.example.com/in')?.href).toBe('https://app.example.com/callback');
  expect(parsedUrl('//other.example', new URL('https://app.example.com'))?.href).toBe('https://other.example/');
});

test.each(['', '/callback', 'app.example.com', 'https://', 'https://a b'])(
  'the string %j is not accepted as an absolute URL',
  (text) => {
    expect(parsedUrl(text)).toBeUndefined();
  },
);

test('an international host name is converted to Punycode in each of 30,000 calls', () => {
  const answers = Array.from({ length: 30_000 }, () => parsedUrl('https://münchen.example/callback')?.host);

  expect(new Set(answers)).toEqual(new Set(['xn--mnchen-3ya.example']));
});
