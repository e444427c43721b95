// Describes the objects of a seed. Combines the descriptions in the code with the types and comments of `src/emulator/seed.ts`.
import { join } from 'node:path';
import ts from 'typescript';
import { seedParts } from '../../src/emulator/registry.js';
import { describeSeed } from '../../src/emulator/seed/description.js';
import { Codec } from '../../src/service/describe/codec.js';
import type { AnyModel, Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { inWireNames, originOf } from '../declarations/names.js';
import { root } from '../declarations/sources.js';

/** A field of an object, with its name in seeds. */
export interface SeedField {
  readonly name: string;
  readonly descriptor: Descriptor;
  readonly comment: string;
  readonly deprecated: boolean;
  /** Known values of an open string. */
  readonly known: readonly string[];
  /** Name of the object in the field, such as `DomainSeed`. */
  readonly object: string;
}

/** An object of a seed, or the whole seed. */
export interface SeedObject {
  /** Name of its type, such as `OrganizationSeed`. */
  readonly name: string;
  readonly comment: string;
  readonly fields: readonly SeedField[];
}

const codec = new Codec(dialects.spec);

/** List the whole seed and every object in it. Throws if the types and the descriptions have different fields. */
export function seedObjects(): readonly SeedObject[] {
  const path = join(root, 'src/emulator/seed.ts');
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const objects: SeedObject[] = [];

  const commentOf = (symbol: ts.Symbol) => {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ');
    const note = symbol.getJsDocTags(checker).find(({ name }) => name === 'deprecated');
    return { comment: note ? ts.displayPartsToString(note.text) : text, deprecated: note !== undefined };
  };
  const add = (type: ts.Type, model: AnyModel): void => {
    const { name } = type.symbol;
    if (objects.some((other) => other.name === name)) return;
    const inObjects: [ts.Type, AnyModel][] = [];
    const fieldOf = (wireName: string, descriptor: Descriptor): SeedField => {
      const field = type.getProperty(wireName);
      if (!field) throw new Error(`${name} in ${path} does not have the field ${wireName} of its description.`);
      const whole = checker.getNonNullableType(checker.getTypeOfSymbol(field));
      const value = descriptor.element ? checker.getIndexTypeOfType(whole, ts.IndexKind.Number)! : whole;
      const { model } = descriptor.element ?? descriptor;
      if (model) inObjects.push([value, model]);
      const { comment, deprecated } = commentOf(originOf(field));
      const object = value.symbol?.name ?? '';
      return {
        name: wireName,
        descriptor,
        comment: inWireNames(comment),
        deprecated,
        known: literalsIn(value),
        object,
      };
    };
    const fields = Object.entries(model.shape).flatMap(([key, descriptor]) =>
      codec.readNames(key, descriptor).map((wireName) => fieldOf(wireName, descriptor)),
    );
    const [unknown] = type.getProperties().filter(({ name }) => !fields.some((field) => field.name === name));
    if (unknown) throw new Error(`${name} in ${path} has the field ${unknown.name}, and its description does not.`);
    objects.push({ name, comment: commentOf(type.symbol).comment, fields });
    for (const [type, model] of inObjects) add(type, model);
  };

  const seed = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!);
  const whole = seed.find(({ name }) => name === 'Seed')!;
  add(checker.getDeclaredTypeOfSymbol(whole), describeSeed(seedParts).whole.model!);
  return objects;
}

// Sort the literals, because the compiler's order depends on what it has read before.
const literalsIn = (type: ts.Type): string[] =>
  type.isUnion() ? type.types.flatMap((one) => (one.isStringLiteral() ? one.value : [])).sort() : [];
