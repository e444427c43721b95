// Writes the objects of a seed as interfaces.
import type { Descriptor } from '../../src/service/describe/define.js';
import { formatted } from './formatted.js';
import type { SeedField, SeedObject, SeedObjects } from './objects.js';

/** The file of the interfaces. */
export const typesFile = new URL('../../src/emulator/seed.ts', import.meta.url);

/** Build the text of the file with the interfaces. */
export function seedTypes({ all, nameOf, imports }: SeedObjects): string {
  const text = [
    '// Written by `npm run docs` from the seed descriptions of the rooms. Do not edit by hand.',
    ...[...imports].map(([name, file]) => `import type { ${name} } from '../${file}';`),
    ...all.map((object) => interfaceOf(object, nameOf)),
  ].join('\n\n');
  return formatted(typesFile, text);
}

const interfaceOf = ({ name, comment, fields }: SeedObject, nameOf: SeedObjects['nameOf']): string =>
  `/** ${comment} */\nexport interface ${name} {\n${fields.map((field) => propertyOf(field, nameOf)).join('\n')}\n}`;

function propertyOf(field: SeedField, nameOf: SeedObjects['nameOf']): string {
  const { name, comment, deprecated, descriptor } = field;
  const mayLack = descriptor.optional || descriptor.nullable;
  const type = [typeOf(field, descriptor, nameOf), descriptor.nullable && 'null', mayLack && 'undefined'];
  return `  /** ${deprecated ? '@deprecated ' : ''}${comment} */
  readonly ${name}${mayLack ? '?' : ''}: ${type.filter((part) => part).join(' | ')};`;
}

function typeOf(field: SeedField, descriptor: Descriptor, nameOf: SeedObjects['nameOf']): string {
  const { kind, known, closed, element, model } = descriptor;
  switch (kind) {
    case 'string':
      if (closed) return known!.map((value) => `'${value}'`).join(' | ');
      return field.known.length === 0
        ? 'string'
        : `${field.known.map((value) => `'${value}' | `).join('')}(string & {})`;
    case 'integer':
      return closed ? known!.join(' | ') : 'number';
    case 'array':
      return `readonly (${typeOf(field, element!, nameOf)})[]`;
    case 'model':
      return nameOf(model!);
    case 'map':
      return `Readonly<${field.type}>`;
    case 'number':
    case 'boolean':
      return kind;
    case 'unknown':
      return field.type;
    default:
      throw new Error(`${field.name}: no seed has a field of kind ${kind} yet.`);
  }
}
