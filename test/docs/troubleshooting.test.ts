import { expect, test } from 'vitest';
import { read, textsOf } from './markdown.js';

const page = read('docs/guides/troubleshooting.md');
const lacking = (texts: readonly string[]): string[] => texts.filter((text) => !page.includes(text));

test.each([
  ['CheckProblemCode', 'src/session/read/problem-texts.ts'],
  ['SessionProblemCode', 'src/session/read/problem-texts.ts'],
])('the troubleshooting page lists each code from %s', (type, file) => {
  const codes = textsOf(file, type);

  expect(codes).not.toEqual([]);
  expect(lacking(codes.map((code) => `\`${code}\``))).toEqual([]);
});

test('the troubleshooting page lists the hints about rejected webhooks', () => {
  // Up to the colon or the variable part of each sentence.
  const hints = [...read('src/webhooks/hints.ts').matchAll(/['`](The [^:'`$]+?) ?[:$]/g)].map(([, hint = '']) => hint);

  expect(hints).toHaveLength(6);
  expect(lacking(hints)).toEqual([]);
});

test('the troubleshooting page lists the reasons for failed sign-ins', () => {
  const reasons = [
    'no_pending_flow',
    'state_mismatch',
    'expired',
    'no_code',
    'denied',
    'rejected',
    'not_allowed',
    'service_refused',
    'invalid_tokens',
    'session_too_large',
  ];
  const source = read('src/session/sign-in/finish-sign-in.ts');

  expect(reasons.filter((reason) => !source.includes(`'${reason}'`))).toEqual([]);
  expect(lacking(reasons.map((reason) => `\`${reason}\``))).toEqual([]);
});
