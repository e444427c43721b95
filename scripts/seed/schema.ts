// Writes the objects of a seed as a JSON schema for editors.

import { idForm } from '../../src/emulator/store/pinned.js';
import type { Descriptor } from '../../src/service/describe/define.js';
import { formatted } from './formatted.js';
import type { SeedField, SeedObject } from './objects.js';

/** The file of the schema. */
export const schemaFile = new URL('../../seed.schema.json', import.meta.url);

type Schema = Readonly<Record<string, unknown>>;

/** Build the text of the schema file. The YAML language server supports draft 7 best. */
export function seedSchema([whole, ...others]: readonly SeedObject[]): string {
  const objectOf = ({ comment, fields }: SeedObject): Schema => ({
    description: comment,
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ descriptor }) => !descriptor.optional && !descriptor.nullable).map(({ name }) => name),
    additionalProperties: false,
  });
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Seed of the Sallyport emulator',
    ...objectOf(whole!),
    definitions: Object.fromEntries(others.map((object) => [object.name, objectOf(object)])),
  };
  return formatted(schemaFile, JSON.stringify(schema));
}

const propertyOf = (field: SeedField): Schema => ({
  description: field.comment,
  ...(field.deprecated ? { deprecated: true, deprecationMessage: field.comment } : {}),
  ...withNull(schemaOf(field, field.descriptor), field.descriptor),
});

function withNull(schema: Schema, { nullable }: Descriptor): Schema {
  if (!nullable) return schema;
  if ('enum' in schema) return { ...schema, enum: [...(schema.enum as readonly unknown[]), null] };
  if ('type' in schema) return { ...schema, type: [schema.type, 'null'] };
  const { anyOf = [schema] } = schema;
  return { anyOf: [...(anyOf as readonly unknown[]), { type: 'null' }] };
}

function schemaOf(field: SeedField, descriptor: Descriptor): Schema {
  const { kind, known, closed, element, min, max, format, values } = descriptor;
  switch (kind) {
    case 'string':
      if (closed) return { enum: known };
      if (field.known.length > 0) return { anyOf: [{ enum: field.known }, { type: 'string' }] };
      if (format === 'timestamp') return { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}' };
      if (format === 'id') return { type: 'string', pattern: idForm.source };
      return { type: 'string', ...(format === undefined ? {} : { format: format === 'url' ? 'uri' : format }) };
    case 'integer':
      if (closed) return { enum: known!.map(Number) };
      return { type: 'integer', ...(min === undefined ? {} : { minimum: min, maximum: max }) };
    case 'array':
      return {
        type: 'array',
        items: schemaOf(field, element!),
        ...(max === undefined ? {} : { maxItems: max }),
      };
    case 'model':
      return { $ref: `#/definitions/${field.object}` };
    case 'map':
      return { type: 'object', ...(values ? { additionalProperties: { type: [...values] } } : {}) };
    case 'number':
    case 'boolean':
      return { type: kind };
    case 'unknown':
      return {};
    default:
      throw new Error(`${field.name}: no seed has a field of kind ${kind} yet.`);
  }
}
