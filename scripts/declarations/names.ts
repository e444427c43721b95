// What the names in a declaration stand for, and which of them a reader of the published types should not have to know.
import ts from 'typescript';
import { homeOf, pathInSource } from './sources.js';

/** Files that hold the vocabulary in which the service is written down: means to derive types, none of which is published. */
const vocabulary = /^service\/describe\/(?:define|operation|codec)\.d\.ts$/;

/** The declarations of a program by their names. */
export class Names {
  readonly checker: ts.TypeChecker;
  /** What can be imported as a value from some entry. */
  readonly values: ReadonlySet<ts.Symbol>;
  readonly #derivedAliases = new Map<ts.Symbol, boolean>();

  constructor(checker: ts.TypeChecker, values: ReadonlySet<ts.Symbol>) {
    this.checker = checker;
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

  /** Whether the name is one that a published declaration has to import: not a global, not a type parameter. */
  isOurs(symbol: ts.Symbol): boolean {
    const declaration = symbol.declarations?.[0];
    return (
      declaration !== undefined && !ts.isTypeParameterDeclaration(declaration) && pathOf(declaration) !== undefined
    );
  }

  /** Whether the text of this type would say how it is derived, in place of what it is. */
  isDerived(node: ts.Node): boolean {
    const name = nameIn(node);
    const symbol = name && this.symbolOf(name);
    if (symbol && this.isOurs(symbol) && this.#isMeans(symbol, isTypeOf(node))) return true;
    return ts.forEachChild(node, (child) => this.isDerived(child) || undefined) ?? false;
  }

  #isMeans(symbol: ts.Symbol, asValue: boolean): boolean {
    if (asValue) return !this.values.has(symbol);
    const [declaration] = symbol.declarations!;
    if (vocabulary.test(pathOf(declaration!)!)) return true;
    return (
      ts.isTypeAliasDeclaration(declaration!) &&
      !!declaration.typeParameters &&
      this.#aliasIsDerived(symbol, declaration)
    );
  }

  #aliasIsDerived(symbol: ts.Symbol, { type }: ts.TypeAliasDeclaration): boolean {
    const known = this.#derivedAliases.get(symbol);
    if (known !== undefined) return known;
    // The alias may refer to itself.
    this.#derivedAliases.set(symbol, false);
    const derived = this.isDerived(type);
    this.#derivedAliases.set(symbol, derived);
    return derived;
  }
}

const isTypeOf = (node: ts.Node): boolean => ts.isTypeQueryNode(node) || (ts.isImportTypeNode(node) && node.isTypeOf);

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
  if (vocabulary.test(pathOf(symbol.declarations![0]!)!))
    throw new Error(
      `${symbol.name} derives types and must not be published. Give the derived type a name in the source.`,
    );
  return home;
}
