import { kindOfValue } from '../../service/describe/codec.js';

/** Return what is wrong with a header, or undefined. Never prints its value, unlike the errors of `fetch`. */
export function headerProblem(name: string, value: unknown): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'its name must be a valid header name';
  if (typeof value !== 'string') return `it must be a string, not ${kindOfValue(value)}`;
  if (value.trim() === '') return 'it must not be blank';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : 'it must not contain line breaks or other characters that headers do not allow';
}
