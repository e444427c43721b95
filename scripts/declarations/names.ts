// Resolves the names in declarations, and finds names that the published types should not expose.
import ts from 'typescript';
import { wireName } from '../../src/http/json.js';
import { homeOf, pathInSource } from './sources.js';

/** Files that define the description language of the service. Their helper types are not published. */
const vocabulary = /^service\/describe\/(?:define|operation|codec)\.d\.ts$/;

/** Resolves the names in the declarations of a program. */
export class Names {
  readonly checker: ts.TypeChecker;
  /** Symbols that an entry exports. */
  readonly exported: ReadonlySet<ts.Symbol>;
  /** Symbols that an entry exports as values. */
  readonly values: ReadonlySet<ts.Symbol>;

  readonly #sources: ts.Program;

  constructor(
    checker: ts.TypeChecker,
    sources: ts.Program,
    exported: ReadonlySet<ts.Symbol>,
    values: ReadonlySet<ts.Symbol>,
  ) {
    this.checker = checker;
    this.#sources = sources;
    this.exported = exported;
    this.values = values;
  }

  /** Resolve a name through imports and re-exports. */
  symbolOf(name: ts.Node): ts.Symbol | undefined {
    const symbol = this.checker.getSymbolAtLocation(name);
    return symbol && this.original(symbol);
  }

  original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /**
   * Find the declaration of a field in the sources. Emitted declarations lose the comments of fields that are spread from other
   * files.
   */
  inSources(owner: ts.NamedDeclaration, field: string): ts.Node | undefined {
    const file = this.#sources.getSourceFile(owner.getSourceFile().fileName.replace(/\.d\.ts$/, '.ts'));
    const named = file?.statements.find(
      (one) =>
        (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text === owner.name?.getText(),
    );
    const type = named && this.#sources.getTypeChecker().getTypeAtLocation(named);
    const property = type?.getProperty(field);
    return property && originOf(property).declarations?.[0];
  }

  /** Check whether a published declaration has to import a name: it is neither a global nor a type parameter. */
  isOurs(symbol: ts.Symbol): boolean {
    const declaration = symbol.declarations?.[0];
    return (
      declaration !== undefined && !ts.isTypeParameterDeclaration(declaration) && pathOf(declaration) !== undefined
    );
  }

  /** Check whether the text of a type shows its derivation instead of the result. */
  isDerived(node: ts.Node): boolean {
    return this.isMeans(node) || (ts.forEachChild(node, (child) => this.isDerived(child) || undefined) ?? false);
  }

  /** Check whether a base is derived with a global type alias, such as `Omit<User, 'id'>`. */
  isTakenApart(base: ts.ExpressionWithTypeArguments): boolean {
    const symbol = this.symbolOf(base.expression);
    return symbol !== undefined && !this.isOurs(symbol) && (symbol.flags & ts.SymbolFlags.TypeAlias) !== 0;
  }

  /** Check whether a node derives types: `typeof`, the description language, or an unexported generic type. */
  isMeans(node: ts.Node): boolean {
    const name = nameIn(node);
    const symbol = name && this.symbolOf(name);
    const declaration = symbol?.declarations?.[0];
    if (!symbol || !declaration || !this.isOurs(symbol) || ts.isComputedPropertyName(node)) return false;
    if (ts.isTypeQueryNode(node) || (ts.isImportTypeNode(node) && node.isTypeOf)) return true;
    if (vocabulary.test(pathOf(declaration)!)) return true;
    // A conditional type depends on the type arguments of the caller.
    return this.isHidden(symbol) && !ts.isConditionalTypeNode((declaration as ts.TypeAliasDeclaration).type);
  }

  /** Check whether a type alias is a helper: it is generic, and no entry exports it. */
  isHidden(alias: ts.Symbol): boolean {
    const declaration = alias.declarations?.find(ts.isTypeAliasDeclaration);
    return !!declaration?.typeParameters && this.isOurs(alias) && !this.exported.has(alias);
  }
}

/**
 * Find the field that a mapped type has renamed, or return the field itself. The compiler remembers it in `links`, which
 * TypeScript's types do not declare.
 */
export const originOf = (field: ts.Symbol): ts.Symbol =>
  (!field.declarations && (field as { links?: { syntheticOrigin?: ts.Symbol } }).links?.syntheticOrigin) || field;

/** Convert the field names in the comment of a renamed field to wire names. */
export const inWireNames = (comment: string): string => comment.replace(/`[a-z]+(?:[A-Z][a-z]+)+`/g, wireName);

const pathOf = (declaration: ts.Node): string | undefined => pathInSource(declaration.getSourceFile());

/** Get the name in a reference to a type or value, without type arguments. */
export function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return node.qualifier;
  if (ts.isComputedPropertyName(node)) return node.expression;
  return undefined;
}

/** Get the published file of a declaration. */
export function homeOfSymbol(symbol: ts.Symbol): string {
  const home = symbol.declarations?.[0] && homeOf(symbol.declarations[0].getSourceFile());
  if (!home) throw new Error(`${symbol.name} is not declared in src.`);
  return home;
}

/** Check whether a symbol belongs to the description language. */
export const isVocabulary = (symbol: ts.Symbol): boolean => vocabulary.test(pathOf(symbol.declarations![0]!) ?? '');
