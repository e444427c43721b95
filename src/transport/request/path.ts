import { complaintAboutId } from '../../service/describe/check.js';
import { kindOfValue } from '../../service/describe/codec.js';
import type { Operation } from '../../service/describe/operation.js';
import { prefixesUnder } from '../../service/identifiers.js';
import { rejectArgument } from './reject-argument.js';

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Fill the parameters into a path, each encoded as one segment.
 *
 * Encoding is not enough: it keeps `.` and `..`, and parsing the URL would then lead to another resource. They are rejected, and
 * so are empty strings and values that are not strings.
 */
export function fillPath(template: string, operation: Operation, params: Readonly<Record<string, unknown>>): string {
  const [start = '', ...parts] = template.split(':');
  return parts.reduce((path, part, at) => {
    const [wireName = '', ...rest] = part.split('/');
    const name = camelCase(wireName);
    const argument = at === parts.length - 1 ? (operation.io.argument ?? name) : name;
    const reject = (found: string): never =>
      rejectArgument(
        operation,
        { at: argument, expected: 'a non-empty string', found },
        `It is part of the path ${template}`,
      );
    const value = params[name];
    if (typeof value !== 'string') return reject(kindOfValue(value));
    if (value.trim() === '') return reject('an empty string');
    if (value === '.' || value === '..') return reject(`"${value}"`);
    const complaint = complaintAboutId(prefixesUnder(operation.path.split(`/:${wireName}`)[0]!), value, argument);
    if (complaint) rejectArgument(operation, complaint);
    try {
      return [path + encodeURIComponent(value), ...rest].join('/');
    } catch {
      return reject('a string with an unpaired surrogate');
    }
  }, start);
}
