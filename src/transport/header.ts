import { kindOfValue } from '../service/describe/codec.js';

/** What is wrong with a header, if anything; said without its value, which `fetch` would print. */
export function complaintAboutHeader(name: string, value: unknown): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'it has a name that no header can have';
  if (typeof value !== 'string') return `it is ${kindOfValue(value)} and not a string`;
  if (value.trim() === '') return 'it is blank';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'it holds a line break or a character that no header can have';
}
