// Writes types as text for publication. Names are resolved, and derived types are expanded.
import ts from 'typescript';
import { inWireNames, type Names, nameIn, originOf } from './names.js';

/** Replacement texts for type parameters. */
export type Arguments = ReadonlyMap<ts.Symbol, string>;

const printer = ts.createPrinter({ removeComments: true });
const scrap = ts.createSourceFile('scrap.d.ts', '', ts.ScriptTarget.ES2022);
const printed = (node: ts.Node): string => printer.printNode(ts.EmitHint.Unspecified, node, scrap);
const asNamed =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.UseSingleQuotesForStringLiteralType |
  ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope;

/** Writes the types of one declaration, and collects the names that they use. */
export class Spelling {
  readonly #names: Names;
  /** Declarations that the text uses. */
  readonly uses = new Set<ts.Symbol>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** Write a node as text, with derived types expanded and type parameters replaced. */
  of(node: ts.Node, given: Arguments = new Map()): string {
    const source = node.getSourceFile().text;
    let text = '';
    // Keep the text before the first part of a union, such as a comment.
    let position = ts.isUnionTypeNode(node) ? node.pos : node.getStart();
    const visit = (at: ts.Node): void => {
      const replacement = this.#replacement(at, given);
      if (replacement === undefined) {
        ts.forEachChild(at, visit);
        return;
      }
      text += source.slice(position, at.getStart()) + replacement;
      position = at.end;
    };
    visit(node);
    return (text + source.slice(position, node.end)).trim();
  }

  /** Write the fields of an object type with their comments. `owner` is the declaration that names the type, if any. */
  fieldsOf(type: ts.Type, owner?: ts.NamedDeclaration): Map<string, string> {
    const fields = new Map<string, string>();
    const fixed = readOnlyNames(this.#nodeOf(type, asNamed | ts.NodeBuilderFlags.InTypeAlias));
    for (const field of this.#names.checker.getPropertiesOfType(type).sort(byPlace)) {
      const origin = originOf(field);
      const places = [origin.declarations?.[0], owner && this.#names.inSources(owner, field.name)];
      const [written = ''] = places.map((place) => (place ? commentOf(place) : '')).filter((text) => text);
      const comment = origin === field ? written : inWireNames(written);
      const name = /^[a-z_$][\w$]*$/i.test(field.name) ? field.name : `'${field.name}'`;
      const title = `${fixed.has(field.name) ? 'readonly ' : ''}${name}${isOptional(field) ? '?' : ''}`;
      fields.set(field.name, comment + (this.#methodText(field, name) ?? `${title}: ${this.#fieldType(field)};`));
    }
    return fields;
  }

  /** Write a field with a function type as a method. */
  #methodText(field: ts.Symbol, name: string): string | undefined {
    const node = this.#nodeOf(this.#names.checker.getTypeOfSymbol(field));
    if (!ts.isFunctionTypeNode(node) || isOptional(field)) return undefined;
    this.#remember(node);
    const parameters = node.parameters.map(withoutUndefined);
    return printed(
      ts.factory.createMethodSignature(undefined, name, undefined, node.typeParameters, parameters, node.type),
    );
  }

  #fieldType(field: ts.Symbol): string {
    const { checker } = this.#names;
    const type = checker.getTypeOfSymbol(field);
    const [place] = field.declarations ?? [];
    // Keep the source text of a type that is not derived.
    if (place && ts.isPropertySignature(place) && place.type) {
      const original = checker.getSymbolAtLocation(place.name);
      if (original && checker.getTypeOfSymbol(original) === type) return this.of(place.type);
    }
    const parts = type.isUnion() ? type.types : [type];
    // Do not write the `undefined` that `?` implies, only an explicit `| undefined`.
    const undefinedIsWritten = parts.includes(checker.getUndefinedType());
    return this.#textOf(type, asNamed, isOptional(field) && !undefinedIsWritten);
  }

  /** Expand a type by one level, including its own name. Types that it refers to keep their names. */
  typeText(type: ts.Type): string {
    return this.#textOf(type, asNamed | ts.NodeBuilderFlags.InTypeAlias);
  }

  #textOf(type: ts.Type, flags: ts.NodeBuilderFlags, withoutUndefined = false): string {
    if (this.#isNameless(type)) return this.#objectText(type);
    if (type.isUnion() && type.types.every((one) => this.#isNameless(one)))
      return joined(type.types.map((one) => this.#objectText(one)).sort());
    const node = this.#nodeOf(type, flags);
    this.#remember(node);
    if (!ts.isUnionTypeNode(node)) return printed(node);
    return joined(node.types.map(printed).filter((part) => !withoutUndefined || part !== 'undefined'));
  }

  /** Check whether a type is an unnamed object with only fields. */
  #isNameless(type: ts.Type): boolean {
    if (type.aliasSymbol && !this.#names.isHidden(type.aliasSymbol)) return false;
    if (type.isIntersection()) return type.types.every((one) => this.#isNameless(one));
    const { objectFlags } = type as ts.ObjectType;
    const written = ts.ObjectFlags.Anonymous | ts.ObjectFlags.Mapped;
    return (
      (type.flags & ts.TypeFlags.Object) !== 0 &&
      (objectFlags & written) !== 0 &&
      type.getCallSignatures().length + type.getConstructSignatures().length === 0 &&
      !type.getStringIndexType()
    );
  }

  #objectText(type: ts.Type): string {
    return `{\n${[...this.fieldsOf(type).values()].join('\n')}\n}`;
  }

  #nodeOf(type: ts.Type, flags = asNamed): ts.TypeNode {
    const node = this.#names.checker.typeToTypeNode(type, undefined, flags);
    if (!node) throw new Error(`${this.#names.checker.typeToString(type)} cannot be written as text.`);
    return inOrder(node);
  }

  /**
   * Record the declarations in a node. Names that the compiler creates have a `symbol` that TypeScript's types do not declare.
   */
  #remember(node: ts.Node): void {
    const { symbol } = node as { readonly symbol?: ts.Symbol };
    if (ts.isIdentifier(node) && symbol) this.#use(this.#names.original(symbol));
    ts.forEachChild(node, (child) => this.#remember(child));
  }

  #use(symbol: ts.Symbol): string {
    if (this.#names.isOurs(symbol)) this.uses.add(symbol);
    return symbol.name;
  }

  /** Check whether a type is written part by part, which keeps comments and expands only the derived parts. */
  #hasParts(node: ts.TypeNode): boolean {
    if (ts.isTypeLiteralNode(node) || ts.isFunctionTypeNode(node) || ts.isArrayTypeNode(node)) return true;
    if (!ts.isTypeReferenceNode(node) || this.#names.isMeans(node)) return false;
    const meant = this.#names.symbolOf(node.typeName);
    return meant !== undefined && (meant.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  }

  #replacement(node: ts.Node, given: Arguments): string | undefined {
    if (ts.isTypeNode(node) && !this.#hasParts(node) && this.#names.isDerived(node))
      return this.typeText(this.#names.checker.getTypeFromTypeNode(node));
    if (ts.isImportTypeNode(node)) return this.#importedType(node, given);
    const name = node.parent && nameIn(node.parent) === node ? node : undefined;
    if (!name) return undefined;
    const symbol = this.#names.symbolOf(name);
    if (!symbol) throw new Error(`${name.getText()} in ${name.getSourceFile().fileName} has no symbol.`);
    return given.get(symbol) ?? (this.#names.isOurs(symbol) ? this.#use(symbol) : undefined);
  }

  /** Write `import('./users.js').User` as `User`. */
  #importedType(node: ts.ImportTypeNode, given: Arguments): string {
    const symbol = node.qualifier && this.#names.symbolOf(node.qualifier);
    if (!symbol) throw new Error(`${node.getText()} has no symbol.`);
    const parameters = node.typeArguments?.map((one) => this.of(one, given));
    return `${node.isTypeOf ? 'typeof ' : ''}${this.#use(symbol)}${parameters ? `<${parameters.join(', ')}>` : ''}`;
  }
}

/** Sort the parts of all unions in a node, because the compiler's order depends on what it has read before. */
const inOrder = <T extends ts.Node>(node: T): T => {
  const ordered = ts.visitEachChild(node, inOrder, undefined);
  if (!ts.isUnionTypeNode(ordered)) return ordered;
  const parts = ordered.types.map((type) => ({ type, text: printed(type) }));
  const types = parts.sort((one, other) => asReadersExpect(one.text, other.text)).map(({ type }) => type);
  // The visitor returns a union for a union.
  return ts.factory.createUnionTypeNode(types) as ts.Node as T;
};

/** Sort literals first, null and undefined last. */
const asReadersExpect = (one: string, other: string): number =>
  rankOf(one) - rankOf(other) || one.localeCompare(other, 'en', { numeric: true });

const rankOf = (part: string): number => {
  const last = ['null', 'undefined'].indexOf(part);
  return last >= 0 ? 3 + last : /^['\d]/.test(part) ? 0 : part.startsWith('(') ? 2 : 1;
};

/** Write the parts of a union on one line, or one per line if that is too long. */
const joined = (parts: readonly string[]): string => {
  const line = parts.join(' | ');
  return line.length <= 100 ? line : parts.map((part) => `\n  | ${part}`).join('');
};

/** Remove the `undefined` that `?` implies from a parameter. */
const withoutUndefined = (parameter: ts.ParameterDeclaration): ts.ParameterDeclaration => {
  const { type, questionToken, name } = parameter;
  if (!questionToken || !type || !ts.isUnionTypeNode(type)) return parameter;
  const types = type.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword);
  return ts.factory.createParameterDeclaration(
    undefined,
    undefined,
    name,
    questionToken,
    ts.factory.createUnionTypeNode(types),
  );
};

const isOptional = ({ flags }: ts.Symbol): boolean => (flags & ts.SymbolFlags.Optional) !== 0;

/** Find the read-only fields in the text of a type. */
function readOnlyNames(node: ts.TypeNode): Set<string> {
  const names = new Set<string>();
  const visit = (at: ts.Node): void => {
    if (ts.isPropertySignature(at)) {
      if (at.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword))
        names.add(ts.idText(at.name as ts.Identifier));
    } else if (ts.isIntersectionTypeNode(at) || ts.isTypeLiteralNode(at)) ts.forEachChild(at, visit);
  };
  visit(node);
  return names;
}

/** Get the comment of a declaration without indentation, with a trailing line break. */
export function commentOf(node: ts.Node): string {
  const comment = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  return comment ? `${comment.getText().replace(/\n\s*\*/g, '\n *')}\n` : '';
}

/** Sort fields in the order of their declaration, with `object` first. Renamed fields keep their order. */
const byPlace = (one: ts.Symbol, other: ts.Symbol): number =>
  placeOf(one) - placeOf(other) || (originOf(one) === one ? one.name.localeCompare(other.name, 'en') : 0);

const placeOf = ({ name, declarations }: ts.Symbol): number => (name === 'object' ? -1 : (declarations?.[0]?.pos ?? 0));
