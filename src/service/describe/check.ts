import { prefixOf } from '../identifiers.js';
import { expectationOf, isObject, isOfKind, join, kindOfValue, tagOf } from './codec.js';
import type { Descriptor, MapBounds } from './define.js';

/** An invalid argument: its path, the expected value and the kind of the actual one. Never contains the value itself. */
export interface Complaint {
  readonly at: string;
  readonly expected: string;
  readonly found: string;
  /** Valid names, if the problem is an unknown name. */
  readonly known?: readonly string[] | undefined;
}

/** Return a complaint about the first unknown name, or `undefined`. Undefined fields are not sent, so they are ignored. */
export function complaintAboutNames(
  value: Readonly<Record<string, unknown>>,
  shape: Readonly<Record<string, unknown>>,
  at = '',
): Complaint | undefined {
  const name = Object.keys(value).find((key) => value[key] !== undefined && !Object.hasOwn(shape, key));
  return name === undefined ? undefined : { at: join(at, name), expected: '', found: '', known: Object.keys(shape) };
}

/**
 * Check a request against its description and return the first complaint, or `undefined`. Fields have the callers' names and places.
 *
 * @param isFlat Whether callers pass the fields of the items without the objects around them.
 */
export function complaintAbout(field: Descriptor, value: unknown, at = '', isFlat = false): Complaint | undefined {
  if (value === undefined)
    return field.optional || field.nullable ? undefined : { at, expected: expectationOf(field), found: 'missing' };
  if (value === null) return field.nullable ? undefined : { at, expected: expectationOf(field), found: 'null' };
  const wrong = (expected = expectationOf(field), found = kindOfValue(value)): Complaint => ({ at, expected, found });
  if (!isOfKind(field, value) || (field.kind !== 'unknown' && isObject(value) && isClosed(value))) return wrong();
  const { min, max } = field;
  if (field.closed && !field.known!.includes(String(value)))
    return wrong(undefined, field.kind === 'string' ? 'another string' : String(value));
  switch (field.kind) {
    case 'string':
      // `isOfKind` has checked the type, here and below.
      return complaintAboutId(field.prefixes, value as string, at);
    case 'integer':
      return min !== undefined && ((value as number) < min || (value as number) > max!)
        ? wrong(undefined, String(value))
        : undefined;
    case 'array': {
      const items = value as readonly unknown[];
      if (max !== undefined && items.length > max) return wrong(`at most ${max} entries`, `${items.length}`);
      for (let i = 0; i < items.length; i++) {
        const complaint = complaintAbout(field.element!, items[i], join(at, i), isFlat);
        if (complaint) return complaint;
      }
      return undefined;
    }
    case 'model': {
      const { shape } = field.model!;
      const fields = value as Readonly<Record<string, unknown>>;
      // A misspelled name comes first: the field that it stands for is also missing.
      const unknown = complaintAboutNames(fields, shape, at);
      if (unknown) return { ...unknown, known: knownNames(unknown.at, shape, isFlat) };
      for (const key in shape) {
        const { inside, flatWith } = shape[key]!;
        const holder = isFlat ? undefined : inside;
        const flat = flatWith && fields[flatWith[0]] === flatWith[1];
        const complaint = complaintAbout(shape[key]!, fields[key], join(holder ? join(at, holder) : at, key), flat);
        if (complaint) return complaint;
      }
      return undefined;
    }
    case 'map':
      return complaintAboutMap(field, value as Record<string, unknown>, at) ?? complaintAboutJson(value, at);
    default:
      return complaintAboutJson(value, at);
  }
}

/** Return the names that may replace an unknown one: those in the object around it, if callers pass fields in an object. */
function knownNames(at: string, shape: Readonly<Record<string, Descriptor>>, isFlat: boolean): string[] {
  const keys = Object.keys(shape);
  const holderOf = (key: string) => (isFlat ? undefined : shape[key]!.inside);
  const around = at.split('.').at(-2);
  const within = keys.filter((key) => around && holderOf(key) === around);
  return within.length > 0 ? within : [...new Set(keys.map((key) => holderOf(key) ?? key))];
}

/** Maximum depth of a value. `JSON.stringify` runs out of stack soon after it. */
const maxDepth = 1_000;

/**
 * Return a complaint about the first part of a value that JSON has no form for, and would drop or replace, or `undefined`. Instances of
 * classes are sent as the result of their `toJSON`, or as their fields.
 *
 * @param holders The objects that contain the value.
 */
export function complaintAboutJson(
  value: unknown,
  at: string,
  holders: readonly unknown[] = [],
): Complaint | undefined {
  const wrong = (found = kindOfValue(value)): Complaint => ({ at, expected: 'a JSON value', found });
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : wrong(`${value}`);
  if (['bigint', 'function', 'symbol'].includes(typeof value)) return wrong();
  if (typeof value !== 'object' || value === null) return undefined;
  if (holders.includes(value) || holders.length > maxDepth) return wrong('a circular reference');
  const within = [...holders, value];
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function' && !isPending(value)) {
    try {
      const json: unknown = toJSON.call(value);
      // The text of an invalid Date is null.
      return json === null ? wrong(`an invalid ${tagOf(value)}`) : complaintAboutJson(json, at, within);
    } catch {
      return wrong('an object whose toJSON throws');
    }
  }
  if (!Array.isArray(value) && isClosed(value)) return wrong();
  for (const [key, part] of Object.entries(value)) {
    const complaint = complaintAboutJson(part, join(at, Array.isArray(value) ? Number(key) : key), within);
    if (complaint) return complaint;
  }
  return undefined;
}

/** Whether a value is a promise, such as a call without `await`, or a stream of Node. */
const isPending = ({ then, pipe }: { readonly then?: unknown; readonly pipe?: unknown }): boolean =>
  typeof then === 'function' || typeof pipe === 'function';

/** Whether an object does not hold its content in fields, like a Map, a Blob or a stream, so that JSON would lose it. */
function isClosed(value: object): boolean {
  const tag = tagOf(value);
  const isBuiltIn =
    typeof (globalThis as Record<string, unknown>)[tag] === 'function' || /(?:Iterator|Generator)$/.test(tag);
  return (isBuiltIn && tag !== 'Object') || isPending(value);
}

/** Check the prefix of an id. Only a prefix of another resource is rejected. */
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

/** Return a complaint about the first bound that a map exceeds, or `undefined`. */
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

/** List every secret value in a request, so that error messages can redact them. */
export function* secretsIn(field: Descriptor, value: unknown): Generator<string> {
  if (field.secret && typeof value === 'string') yield value;
  if (field.kind === 'array' && Array.isArray(value)) for (const item of value) yield* secretsIn(field.element!, item);
  if (field.kind === 'model' && typeof value === 'object' && value !== null)
    for (const key in field.model!.shape)
      yield* secretsIn(field.model!.shape[key]!, (value as Record<string, unknown>)[key]);
}
