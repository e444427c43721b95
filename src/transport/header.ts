import { kindOfValue } from '../service/describe/codec.js';

/** What is wrong with a header, if anything; said without its value, which `fetch` would print. */
export function complaintAboutHeader(name: string, value: unknown): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'its name must be one that a header can have';
  if (typeof value !== 'string') return `it must be a string and is ${kindOfValue(value)}`;
  if (value.trim() === '') return 'it must not be blank';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'it must not hold a line break or a character that no header can have';
}
