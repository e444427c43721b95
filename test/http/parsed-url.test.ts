import { expect, test } from 'vitest';
import { parsedUrl } from '../../src/http/parsed-url.js';

test('a URL is parsed as absolute, or as relative to another URL', () => {
  expect(parsedUrl('https://app.example.com/callback')?.href).toBe('https://app.example.com/callback');
  expect(parsedUrl('/callback', 'https://app.example.com/in')?.href).toBe('https://app.example.com/callback');
  expect(parsedUrl('//other.example', new URL('https://app.example.com'))?.href).toBe('https://other.example/');
});

test.each(['', '/callback', 'app.example.com', 'https://', 'https://a b'])('the string %j is not a URL', (text) => {
  expect(parsedUrl(text)).toBeUndefined();
});

test('an international host name is recognized every time', () => {
  const answers = Array.from({ length: 30_000 }, () => parsedUrl('https://münchen.example/callback')?.host);

  expect(new Set(answers)).toEqual(new Set(['xn--mnchen-3ya.example']));
});
