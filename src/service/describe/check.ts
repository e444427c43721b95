import { prefixOf } from '../identifiers.js';
import { expectationOf, isOfKind, join, kindOfValue } from './codec.js';
import type { Descriptor, MapBounds } from './define.js';

/** What is wrong with a caller's argument: where, what is asked for, what stands there. Never the value. */
export interface Complaint {
  readonly at: string;
  readonly expected: string;
  readonly found: string;
  /** What may stand there instead, where it is the name that nobody knows. */
  readonly known?: readonly string[];
}

/** The complaint about the first name that a description does not have; a field that is undefined is not sent. */
export function complaintAboutNames(
  value: Readonly<Record<string, unknown>>,
  shape: Readonly<Record<string, unknown>>,
  at = '',
): Complaint | undefined {
  const name = Object.keys(value).find((key) => value[key] !== undefined && !Object.hasOwn(shape, key));
  return name === undefined ? undefined : { at: join(at, name), expected: '', found: '', known: Object.keys(shape) };
}

/** The first thing wrong with a request under its description, or `undefined`. Values come in callers' names. */
export function complaintAbout(field: Descriptor, value: unknown, at = ''): Complaint | undefined {
  if (value === undefined)
    return field.optional || field.nullable ? undefined : { at, expected: expectationOf(field), found: 'missing' };
  if (value === null) return field.nullable ? undefined : { at, expected: expectationOf(field), found: 'null' };
  const wrong = (expected = expectationOf(field), found = kindOfValue(value)): Complaint => ({ at, expected, found });
  if (!isOfKind(field, value)) return wrong();
  const { min, max } = field;
  if (field.closed && !field.known!.includes(String(value)))
    return wrong(undefined, field.kind === 'string' ? 'another string' : String(value));
  switch (field.kind) {
    case 'string':
      // `isOfKind` has shown what it is, here and below.
      return complaintAboutId(field.prefixes, value as string, at);
    case 'integer':
      return min !== undefined && ((value as number) < min || (value as number) > max!)
        ? wrong(undefined, String(value))
        : undefined;
    case 'array': {
      const items = value as readonly unknown[];
      if (max !== undefined && items.length > max) return wrong(`at most ${max} entries`, `${items.length}`);
      for (let i = 0; i < items.length; i++) {
        const complaint = complaintAbout(field.element!, items[i], join(at, i));
        if (complaint) return complaint;
      }
      return undefined;
    }
    case 'model': {
      const { shape } = field.model!;
      const fields = value as Readonly<Record<string, unknown>>;
      for (const key in shape) {
        const complaint = complaintAbout(shape[key]!, fields[key], join(at, key));
        if (complaint) return complaint;
      }
      return complaintAboutNames(fields, shape, at);
    }
    case 'map':
      return complaintAboutMap(field, value as Record<string, unknown>, at);
    default:
      return undefined;
  }
}

/** What is wrong with an id, or `undefined`: it is refused only where its prefix is that of another resource. */
export function complaintAboutId(prefixes: Descriptor['prefixes'], id: string, at: string): Complaint | undefined {
  const other = prefixes && prefixOf(id);
  if (!other || prefixes.includes(other)) return undefined;
  return { at, expected: `an id that begins with ${prefixes[0]}`, found: `with ${other}` };
}

function complaintAboutMap(field: Descriptor, map: Record<string, unknown>, at: string): Complaint | undefined {
  const { values, bounds } = field;
  if (values)
    for (const key in map)
      if (!values.includes(map[key] === null ? 'null' : typeof map[key]))
        return { at: join(at, key), expected: `a ${values.join(' or ')}`, found: kindOfValue(map[key]) };
  return bounds && complaintAboutBounds(bounds, map, at);
}

/** The first bound a map breaks, or `undefined`. */
export function complaintAboutBounds(
  bounds: MapBounds,
  map: Record<string, unknown>,
  at: string,
): Complaint | undefined {
  const keys = Object.keys(map);
  if (keys.length > bounds.keys) return { at, expected: `at most ${bounds.keys} keys`, found: `${keys.length}` };
  for (const key of keys) {
    if (key.length > bounds.keyLength)
      return { at, expected: `keys of at most ${bounds.keyLength} characters`, found: `a key of ${key.length}` };
    const length = String(map[key]).length;
    if (length > bounds.valueLength)
      return { at: join(at, key), expected: `at most ${bounds.valueLength} characters`, found: `${length}` };
  }
  return undefined;
}

/** Every secret value in a request, so that it can be kept out of whatever is printed about it. */
export function* secretsIn(field: Descriptor, value: unknown): Generator<string> {
  if (field.secret && typeof value === 'string') yield value;
  if (field.kind === 'array' && Array.isArray(value)) for (const item of value) yield* secretsIn(field.element!, item);
  if (field.kind === 'model' && typeof value === 'object' && value !== null)
    for (const key in field.model!.shape)
      yield* secretsIn(field.model!.shape[key]!, (value as Record<string, unknown>)[key]);
}
