import { complaintAboutId } from '../service/describe/check.js';
import { kindOfValue } from '../service/describe/codec.js';
import type { Operation } from '../service/describe/operation.js';
import { prefixesUnder } from '../service/identifiers.js';
import { refuse } from './argument.js';

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The path with its parameters filled in, each encoded as one segment.
 *
 * Encoding is not enough: `.` and `..` survive it and would be folded away when the address is parsed, so that a request
 * would reach another resource. They are refused, like everything that is not a non-empty string.
 */
export function fillPath(template: string, operation: Operation, params: Readonly<Record<string, unknown>>): string {
  const [start = '', ...parts] = template.split(':');
  return parts.reduce((path, part, at) => {
    const [wireName = '', ...rest] = part.split('/');
    const name = camelCase(wireName);
    const argument = at === parts.length - 1 ? (operation.io.argument ?? name) : name;
    const not = (found: string): never =>
      refuse(operation, { at: argument, expected: 'a non-empty string', found }, `It is part of the path ${template}`);
    const value = params[name];
    if (typeof value !== 'string') return not(kindOfValue(value));
    if (value.trim() === '') return not('an empty string');
    if (value === '.' || value === '..') return not(`"${value}"`);
    const complaint = complaintAboutId(prefixesUnder(operation.path.split(`/:${wireName}`)[0]!), value, argument);
    if (complaint) refuse(operation, complaint);
    try {
      return [path + encodeURIComponent(value), ...rest].join('/');
    } catch {
      return not('a string with half a Unicode character');
    }
  }, start);
}
