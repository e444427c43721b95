import { Codec, expectationOf } from '../../service/describe/codec.js';
import { type Descriptor, string } from '../../service/describe/define.js';
import { dialects } from '../../service/describe/dialect.js';
import { descriptorOf } from '../../service/describe/operation.js';
import { type NamedControl, parametersOf } from './control.js';

const codec = new Codec(dialects.spec);

/** List the fields of a body or query, with their wire names. */
export const fieldsOf = (description: Descriptor) =>
  Object.entries(description.model?.shape ?? {}).map(([key, field]) => ({
    key,
    field,
    wire: codec.wireNames(key, field)[0]!,
  }));

/** An argument of a control over HTTP: a path parameter, or a field of its body or query. */
export interface ControlArgument {
  /** Wire name, such as `organization_id`. */
  readonly name: string;
  readonly field: Descriptor;
  readonly isRequired: boolean;
  /** Whether it has a place in the in-process method, instead of being part of an object. */
  readonly isPositional: boolean;
}

/** List the arguments of a control: path parameters, then fields. */
export function argumentsOf({ control: { positional }, operation: { path, io } }: NamedControl): ControlArgument[] {
  const sent = io.body ?? io.query;
  return [
    ...parametersOf(path).map((name) => ({ name, field: string, isRequired: true, isPositional: true })),
    ...(sent ? fieldsOf(descriptorOf(sent)) : []).map(({ key, field, wire }) => ({
      name: wire,
      field,
      isRequired: !field.optional && !field.nullable,
      isPositional: positional?.includes(key) ?? false,
    })),
  ];
}

const kinds: Partial<Record<Descriptor['kind'], string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  map: 'object',
  unknown: 'text or number',
};

const formats = { timestamp: 'ISO 8601 text', url: 'URL', email: 'email address', id: 'text' } as const;

/** Describe the type of a field for readers. `code` formats the names in it. */
export function typeOf(field: Descriptor, code: (name: string) => string): string {
  const or = field.nullable ? ' or null' : '';
  if (field.kind === 'array') return `list of ${typeOf(field.element!, code)}${or}`;
  if (field.kind === 'model')
    return `object of ${fieldsOf(field)
      .map(({ wire }) => code(wire))
      .join(', ')}${or}`;
  if (field.closed) return `${field.known!.map(code).join(', ')}${or}`;
  if (field.kind === 'integer' && field.min !== undefined) return expectationOf(field).replace(/^an /, '') + or;
  return ((field.format && formats[field.format]) ?? kinds[field.kind] ?? field.kind) + or;
}
