import { posix } from 'node:path';
import ts from 'typescript';

/** A source file: its path from the repository's root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** An import as it is written. Imports of types count. */
export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** Its binding: `* as name`, `{ names }`, `import()` and so on. */
  readonly form: 'namespace' | 'named' | 'default' | 'bare' | 'reexport' | 'dynamic' | 'type';
  /** Whether the compiler removes it. */
  readonly typeOnly: boolean;
}

const isText = (node: ts.Node | undefined): node is ts.StringLiteral => node !== undefined && ts.isStringLiteral(node);

const formOf = (clause: ts.ImportClause | undefined): Import['form'] => {
  if (!clause) return 'bare';
  if (clause.namedBindings) return ts.isNamespaceImport(clause.namedBindings) ? 'namespace' : 'named';
  return 'default';
};

const allNamesAreTypes = (bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean =>
  bindings !== undefined &&
  (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)) &&
  bindings.elements.length > 0 &&
  (bindings.elements as ts.NodeArray<ts.ImportSpecifier | ts.ExportSpecifier>).every((element) => element.isTypeOnly);

/** Every import of a file, in order. Comments and strings that look like one do not count. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && isText(node.moduleSpecifier)) {
      const clause = node.importClause;
      const typeOnly =
        clause !== undefined &&
        (clause.phaseModifier === ts.SyntaxKind.TypeKeyword ||
          (!clause.name && allNamesAreTypes(clause.namedBindings)));
      found.push({ from: path, specifier: node.moduleSpecifier.text, form: formOf(clause), typeOnly });
    } else if (ts.isExportDeclaration(node) && isText(node.moduleSpecifier)) {
      const typeOnly = node.isTypeOnly || (!!node.exportClause && allNamesAreTypes(node.exportClause));
      found.push({ from: path, specifier: node.moduleSpecifier.text, form: 'reexport', typeOnly });
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && isText(node.argument.literal)) {
      found.push({ from: path, specifier: node.argument.literal.text, form: 'type', typeOnly: true });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (isText(specifier)) found.push({ from: path, specifier: specifier.text, form: 'dynamic', typeOnly: false });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
  return found;
}

/** The source file of an import, or undefined for a package. `#crypto/…` means the file for all runtimes. */
export const targetOf = ({ from, specifier }: Import): string | undefined => {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1).replace('/', '/web/')}.ts`;
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts') : undefined;
};
