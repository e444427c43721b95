import { Codec } from '../../src/service/describe/codec.js';
import type { Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { descriptorOf, type Operation, pathOf } from '../../src/service/describe/operation.js';
import { operations } from '../../src/service/operations.js';

type Dialect = keyof typeof dialects;
type Json = Readonly<Record<string, unknown>>;

/**
 * Fields that are described as always present but are present only sometimes: a picture in the specification; the organization
 * of a session or its tokens in the schema of the public service.
 */
const forSome: Readonly<Record<Dialect, readonly string[]>> = {
  spec: ['profile_picture_url'],
  workos: ['organization_id'],
};

/** Returns the paths of the described fields that an answer lacks; reads without the codec, which would fill them in. */
export function gapsIn(dialect: Dialect, operation: Operation, body: unknown): string[] {
  const { io, kind } = operation;
  if (!io.returns) return [];
  const item = descriptorOf(io.returns);
  const codec = new Codec(dialects[dialect]);
  if (kind !== 'list' && kind !== 'data') return [...gaps(codec, dialect, item, body, '')];
  const array: Descriptor = { kind: 'array', element: item };
  const { list_metadata, listMetadata } = body as Json;
  // The older lists have the second name.
  const envelope = kind === 'list' && (list_metadata ?? listMetadata) === undefined ? ['list_metadata'] : [];
  return [...envelope, ...gaps(codec, dialect, array, (body as Json).data, 'data')];
}

function* gaps(codec: Codec, dialect: Dialect, field: Descriptor, value: unknown, at: string): Generator<string> {
  if (field.kind === 'array')
    for (const one of (value ?? []) as unknown[]) yield* gaps(codec, dialect, field.element!, one, at);
  if (field.kind !== 'model' || value === null) return;
  const { name, shape } = field.model!;
  const wire = value as Json;
  const fields: [string, Descriptor][] = Object.entries(shape);
  if (name !== null) fields.push(['object', { kind: 'constant', constant: name }]);
  for (const [key, inner] of fields)
    for (const wireName of codec.wireNames(key, inner)) {
      const path = at ? `${at}.${wireName}` : wireName;
      const present = wire[wireName];
      if (present === undefined) {
        if (!inner.optional && !forSome[dialect].includes(wireName)) yield path;
        continue;
      }
      yield* gaps(codec, dialect, inner.tag?.fields[String(wire[inner.tag.by])] ?? inner, present, path);
    }
}

/** Returns the operations that share a path, such as the grants; they have the same answer. */
export const operationAt = (dialect: Dialect, method: string, path: string): Operation | undefined =>
  Object.values(operations).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${pathOf(operation, dialects[dialect]).replace(/:[a-z_]+/g, '[^/]+')}$`).test(path),
  );
