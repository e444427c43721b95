// What the names in a declaration stand for, and which of them a reader of the published types should not have to know.
import ts from 'typescript';
import { homeOf, pathInSource } from './sources.js';

/** Files that hold the vocabulary in which the service is written down: means to derive types, none of which is published. */
const vocabulary = /^service\/describe\/(?:define|operation|codec)\.d\.ts$/;

/** The declarations of a program by their names. */
export class Names {
  readonly checker: ts.TypeChecker;
  /** What can be imported from some entry. */
  readonly exported: ReadonlySet<ts.Symbol>;
  /** What can be imported as a value. */
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

  /** What the name means, imports and re-exports followed. */
  symbolOf(name: ts.Node): ts.Symbol | undefined {
    const symbol = this.checker.getSymbolAtLocation(name);
    return symbol && this.original(symbol);
  }

  original(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** Where the sources declare a field: what is spread from another file comes without its comment in what is emitted. */
  inSources(owner: ts.NamedDeclaration, field: string): ts.Node | undefined {
    const file = this.#sources.getSourceFile(owner.getSourceFile().fileName.replace(/\.d\.ts$/, '.ts'));
    const named = file?.statements.find(
      (one) =>
        (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) && one.name.text === owner.name?.getText(),
    );
    const type = named && this.#sources.getTypeChecker().getTypeAtLocation(named);
    return type?.getProperty(field)?.declarations?.[0];
  }

  /** Whether the name is one that a published declaration has to import: not a global, not a type parameter. */
  isOurs(symbol: ts.Symbol): boolean {
    const declaration = symbol.declarations?.[0];
    return (
      declaration !== undefined && !ts.isTypeParameterDeclaration(declaration) && pathOf(declaration) !== undefined
    );
  }

  /** Whether the text of this type would say how it is derived, in place of what it is. */
  isDerived(node: ts.Node): boolean {
    return this.isMeans(node) || (ts.forEachChild(node, (child) => this.isDerived(child) || undefined) ?? false);
  }

  /** Whether this says that another type is taken apart: `Omit<User, 'id'>`. */
  isTakenApart(base: ts.ExpressionWithTypeArguments): boolean {
    const symbol = this.symbolOf(base.expression);
    return symbol !== undefined && !this.isOurs(symbol) && (symbol.flags & ts.SymbolFlags.TypeAlias) !== 0;
  }

  /** Whether this refers to a means of deriving types: `typeof`, the vocabulary, a generic type that nobody can import. */
  isMeans(node: ts.Node): boolean {
    const name = nameIn(node);
    const symbol = name && this.symbolOf(name);
    const declaration = symbol?.declarations?.[0];
    if (!symbol || !declaration || !this.isOurs(symbol) || ts.isComputedPropertyName(node)) return false;
    if (ts.isTypeQueryNode(node) || (ts.isImportTypeNode(node) && node.isTypeOf)) return true;
    if (vocabulary.test(pathOf(declaration)!)) return true;
    // A conditional type waits for what a caller chooses.
    return this.isHidden(symbol) && !ts.isConditionalTypeNode((declaration as ts.TypeAliasDeclaration).type);
  }

  /** Whether this is a generic type that nobody can import: a way to make types, rather than a name for one. */
  isHidden(alias: ts.Symbol): boolean {
    const declaration = alias.declarations?.find(ts.isTypeAliasDeclaration);
    return !!declaration?.typeParameters && this.isOurs(alias) && !this.exported.has(alias);
  }
}

const pathOf = (declaration: ts.Node): string | undefined => pathInSource(declaration.getSourceFile());

/** The name that a reference to a type or value consists of, without its type arguments. */
export function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return node.qualifier;
  if (ts.isComputedPropertyName(node)) return node.expression;
  return undefined;
}

/** The file of the published types that a declaration goes to. */
export function homeOfSymbol(symbol: ts.Symbol): string {
  const home = symbol.declarations?.[0] && homeOf(symbol.declarations[0].getSourceFile());
  if (!home) throw new Error(`${symbol.name} is not declared in src.`);
  return home;
}

/** Whether a symbol is one of the vocabulary. */
export const isVocabulary = (symbol: ts.Symbol): boolean => vocabulary.test(pathOf(symbol.declarations![0]!) ?? '');
