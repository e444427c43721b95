import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.js';

const now = Date.parse('2026-10-21T07:28:00Z');
const waitFor = (value: string) => retryAfterMs(new Headers({ 'retry-after': value }), now);

test.each([
  ['0', 0],
  ['120', 120_000],
  ['0.5', 500],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  ['Wednesday, 21-Oct-26 07:28:30 GMT', 30_000],
  ['Wed Oct 21 07:28:30 2026', 30_000],
])('the header "Retry-After: %s" is read as a wait of %i ms', (value, ms) => {
  expect(waitFor(value)).toBe(ms);
});

test.each([
  ['without a value', ''],
  ['with 400 digits', '9'.repeat(400)],
  ['with a hexadecimal number', '0x10'],
  ['with the value Infinity', 'Infinity'],
  ['with two numbers', '12 13'],
  ['with a negative number', '-1'],
  ['with a word', 'soon'],
  ['with a date in the past', 'Thu, 01 Jan 1970 00:00:00 GMT'],
])('a Retry-After header %s is ignored', (_, value) => {
  expect(waitFor(value)).toBeUndefined();
});

test('a response without Retry-After causes no wait', () => {
  expect(retryAfterMs(new Headers(), now)).toBeUndefined();
});
