// Describes the objects of a seed. Combines the descriptions in the code with types and comments from the compiler.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { seedParts } from '../../src/emulator/registry.js';
import { describeSeed } from '../../src/emulator/seed/description.js';
import type { Addition, Section } from '../../src/emulator/seed/section.js';
import { Codec } from '../../src/service/describe/codec.js';
import type { AnyModel, Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';

/** A field of an object, with its name in seeds. */
export interface SeedField {
  readonly name: string;
  readonly descriptor: Descriptor;
  readonly comment: string;
  readonly deprecated: boolean;
  /** Known values of an open string. */
  readonly known: readonly string[];
  /** TypeScript type of a map. */
  readonly type: string;
}

/** An object of a seed, or the whole seed. */
export interface SeedObject {
  /** Name of its type, such as `OrganizationSeed`. */
  readonly name: string;
  readonly comment: string;
  readonly fields: readonly SeedField[];
}

/** The whole seed, followed by every object in it, and the type name of each. */
export interface SeedObjects {
  readonly all: readonly SeedObject[];
  readonly nameOf: (model: AnyModel) => string;
  /** Files, relative to `src`, that declare the types of maps. */
  readonly imports: ReadonlyMap<string, string>;
}

interface Comment {
  readonly text: string;
  readonly deprecated: boolean;
}

/** Declaration of a model. */
interface Declared {
  readonly name: string;
  readonly comment: string;
  readonly fields: ReadonlyMap<string, Comment & { readonly type: ts.Type }>;
}

const root = fileURLToPath(new URL('../../src', import.meta.url));
const codec = new Codec(dialects.spec);

/** Read the descriptions and their comments. */
export async function seedObjects(): Promise<SeedObjects> {
  const program = ts.createProgram([join(root, 'emulator/registry.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const { models, sections } = await declarations(program, checker);
  const imports = new Map<string, string>();
  const all: SeedObject[] = [];
  const nameOf = (model: AnyModel): string => typeName(declaredAs(models, model).name);

  const fieldsOf = (model: AnyModel): SeedField[] =>
    Object.entries(model.shape).flatMap(([key, descriptor]) => {
      const declared = declaredAs(models, model).fields.get(key);
      if (!declared) throw new Error(`There is no declaration of ${key}.`);
      const { text, deprecated, type } = declared;
      for (const [name, file] of namedIn(type)) imports.set(name, file);
      const own = {
        descriptor,
        deprecated,
        known: literalsIn(
          descriptor.kind === 'array' ? (checker.getTypeArguments(type as ts.TypeReference)[0] ?? type) : type,
        ),
        type: checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation),
      };
      const [first, ...others] = codec.readNames(key, descriptor);
      return [
        { ...own, name: first!, comment: inWireNames(text) },
        ...others.map((name) => ({ ...own, name, comment: `\`${first}\` in another dialect.` })),
      ];
    });
  const add = (name: string, comment: string, fields: readonly SeedField[]): void => {
    if (all.some((other) => other.name === name)) return;
    all.push({ name, comment: inWireNames(comment), fields });
    for (const { descriptor } of fields) {
      const { model } = descriptor.element ?? descriptor;
      if (model) add(nameOf(model), declaredAs(models, model).comment, fieldsOf(model));
    }
  };

  const { whole } = describeSeed(seedParts);
  const own = seedParts.filter((part): part is Section => !('to' in part));
  const additions = seedParts.filter((part): part is Addition => 'to' in part);
  const schema: SeedField = {
    name: '$schema',
    descriptor: whole.model!.shape.$schema!,
    comment: 'JSON schema for editors. The emulator ignores it.',
    deprecated: false,
    known: [],
    type: '',
  };
  const top = own.map(({ name }): SeedField => {
    const descriptor = whole.model!.shape[name]!;
    const comment = inWireNames(sections.get(name) ?? '');
    const type = 'Record<string, unknown>';
    return { name: codec.wireNames(name, descriptor)[0]!, descriptor, comment, deprecated: false, known: [], type };
  });
  all.push({
    name: 'Seed',
    comment: 'Initial data of an emulator. Every section is optional.',
    fields: [...top, schema],
  });
  for (const section of own) {
    const { model } = section.entry;
    if (!model) continue;
    const added = additions.filter(({ to }) => to === section);
    // A section with additions has a merged model, which keeps the name of the section's model.
    const merged = whole.model!.shape[section.name]!.element!.model!;
    models.set(merged, declaredAs(models, model));
    const fields = [model, ...added.map(({ fields }) => fields)].flatMap((part) => fieldsOf(part));
    add(nameOf(model), declaredAs(models, model).comment, fields);
  }
  return { all, nameOf, imports };
}

function declaredAs(models: ReadonlyMap<AnyModel, Declared>, model: AnyModel): Declared {
  const declared = models.get(model);
  if (declared) return declared;
  throw new Error(`A seed contains a model that no file exports: { ${Object.keys(model.shape).join(', ')} }`);
}

/** Derive the type name: `seedOrganization`, `newOrganization` and `organizationCreate` become `OrganizationSeed`. */
const typeName = (constant: string): string => {
  const noun = constant.replace(/^(?:seed|new)(?=[A-Z])/, '').replace(/Create$/, '');
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Seed`;
};

/** Convert field names in a comment to wire names. */
const inWireNames = (comment: string): string =>
  comment.replace(/`[a-z]+(?:[A-Z][a-z]+)+`/g, (name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );

/** Find the exported models, and the comments of sections by name. */
async function declarations(program: ts.Program, checker: ts.TypeChecker) {
  const models = new Map<AnyModel, Declared>();
  const sections = new Map<string, string>();
  for (const file of program.getSourceFiles()) {
    if (
      !/\/src\/(?:service|emulator)\//.test(file.fileName) ||
      !/\b(?:part|body|model|section|batchSection|singleSection)\(/.test(file.text)
    )
      continue;
    const exported = (await import(pathToFileURL(file.fileName).href)) as Readonly<Record<string, unknown>>;
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
    const comments = interfaceComments(file, checker);
    for (const symbol of symbols) {
      const value = exported[symbol.name];
      if (typeof value !== 'object' || value === null) continue;
      const { text } = commentOf(symbol, checker);
      if ('children' in value) sections.set((value as Section).name, text);
      else if ('shape' in value) {
        const comment = comments.get(symbol.name) ?? text;
        models.set(value as AnyModel, { name: symbol.name, comment, fields: fieldComments(symbol, checker) });
      }
    }
  }
  return { models, sections };
}

/** Find the comments of `interface X extends Fields<typeof x>`, by model name. */
function interfaceComments(file: ts.SourceFile, checker: ts.TypeChecker): Map<string, string> {
  const comments = new Map<string, string>();
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    const model = /^Fields<typeof (\w+)>$/.exec(statement.heritageClauses?.[0]?.types[0]?.getText(file) ?? '')?.[1];
    const symbol = checker.getSymbolAtLocation(statement.name);
    if (model && symbol) comments.set(model, commentOf(symbol, checker).text);
  }
  return comments;
}

function fieldComments(model: ts.Symbol, checker: ts.TypeChecker): Declared['fields'] {
  const shape = checker.getTypeOfSymbol(model).getProperty('shape');
  const fields = shape ? checker.getTypeOfSymbol(shape).getProperties() : [];
  return new Map(
    fields.map((field) => {
      // The first type argument of a field is the type of its value.
      const described = checker.getTypeOfSymbol(field) as ts.TypeReference;
      const type = checker.getTypeArguments(described)[0] ?? described;
      return [field.name, { ...commentOf(field, checker), type: checker.getNonNullableType(type) }];
    }),
  );
}

function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): Comment {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ');
  const note = symbol.getJsDocTags(checker).find(({ name }) => name === 'deprecated');
  return { text: note ? ts.displayPartsToString(note.text) : text, deprecated: note !== undefined };
}

// Sort the literals, because the compiler's order depends on what it has read before.
const literalsIn = (type: ts.Type): string[] =>
  type.isUnion() ? type.types.flatMap((one) => (one.isStringLiteral() ? one.value : [])).sort() : [];

/** Find the named types that a field's type uses, with their files: emulator type aliases, and service interfaces in maps. */
function* namedIn(type: ts.Type): Generator<[name: string, file: string]> {
  const alias = type.aliasSymbol?.declarations?.find(ts.isTypeAliasDeclaration)?.getSourceFile().fileName;
  if (alias?.startsWith(join(root, 'emulator')))
    yield [type.aliasSymbol!.name, alias.slice(root.length + 1).replace(/\.ts$/, '.js')];
  for (const one of [type, ...(type.aliasTypeArguments ?? [])]) {
    const file = one.symbol?.declarations?.find(ts.isInterfaceDeclaration)?.getSourceFile().fileName;
    if (file?.startsWith(join(root, 'service')) && type.aliasSymbol?.name === 'Record')
      yield [one.symbol.name, file.slice(root.length + 1).replace(/\.ts$/, '.js')];
  }
}
