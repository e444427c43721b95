// Parses the published declarations: their names, files and comments.
import ts from 'typescript';

/** A published declaration with all its overloads. */
export interface Declaration {
  readonly name: string;
  /** The published file that contains it, such as `service`. */
  readonly home: string;
  readonly nodes: readonly ts.Node[];
  /** Other declarations, by the names used in its text. */
  readonly names: ReadonlyMap<string, string>;
  /** Its methods that are controls of the emulator, with their places in the page of controls. */
  readonly controls?: ReadonlyMap<string, string> | undefined;
  /** The part of the client that it describes, such as `organizations`. */
  readonly part?: string | undefined;
}

/** The parts of a doc comment. */
export interface Remarks {
  readonly text: string;
  readonly throws: readonly { readonly error: string; readonly text: string }[];
  readonly examples: readonly string[];
  readonly deprecated: string | undefined;
  /** Lines of other tags, such as `@see` and `@param`. */
  readonly further: readonly string[];
}

/** All declarations, by file and name: `service.User`. */
export interface Published {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** The exports of each entry: name to declaration. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Parse the texts that `scripts/declarations` writes, by path relative to `dist`. */
export function readPublished(files: ReadonlyMap<string, string>): Published {
  const declarations = new Map<string, Declaration>();
  const entries = new Map<string, Map<string, string>>();
  for (const [file, text] of [...files].sort()) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
    const [, home] = /^types\/(.+)\.d\.cts$/.exec(file) ?? [];
    const [, entry] = /^([\w-]+)\.d\.ts$/.exec(file) ?? [];
    if (home) for (const one of declarationsOf(source, home)) declarations.set(`${home}.${one.name}`, one);
    if (entry) entries.set(entry, namesIn(source));
  }
  return { declarations, entries };
}

function declarationsOf(source: ts.SourceFile, home: string): Declaration[] {
  const nodesByName = new Map<string, ts.Node[]>();
  for (const statement of source.statements)
    for (const node of ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]) {
      const { name } = node as ts.NamedDeclaration;
      if (!name || !ts.isIdentifier(name) || name.text === 'global') continue;
      nodesByName.set(name.text, [...(nodesByName.get(name.text) ?? []), node]);
    }
  const names = namesIn(source);
  for (const name of nodesByName.keys()) names.set(name, `${home}.${name}`);
  return [...nodesByName].map(([name, nodes]) => ({ name, home, nodes, names }));
}

/** Collect the imports and re-exports of a file, by local name. */
function namesIn(source: ts.SourceFile): Map<string, string> {
  const names = new Map<string, string>();
  for (const statement of source.statements) {
    const clause = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : ts.isExportDeclaration(statement)
        ? statement.exportClause
        : undefined;
    const from = (statement as ts.ImportDeclaration | ts.ExportDeclaration).moduleSpecifier;
    if (!clause || !from || ts.isNamespaceImport(clause) || ts.isNamespaceExport(clause)) continue;
    const [, home] = /([\w-]+)\.cjs/.exec(from.getText()) ?? [];
    for (const { name, propertyName = name } of clause.elements) names.set(name.text, `${home}.${propertyName.text}`);
  }
  return names;
}

/** Parse the doc comment of a declaration or member. */
export function remarksOf(node: ts.Node): Remarks {
  const comment = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  const tags = [...(comment?.tags ?? [])];
  const textOf = (of: ts.JSDoc | ts.JSDocTag): string => (ts.getTextOfJSDocComment(of.comment) ?? '').trim();
  const named = (name: string) => tags.filter(({ tagName }) => tagName.text === name);
  const [deprecated] = named('deprecated');
  return {
    text: comment ? textOf(comment) : '',
    throws: tags.filter(ts.isJSDocThrowsTag).map((tag) => ({
      error: tag.typeExpression?.type.getText() ?? '',
      text: textOf(tag),
    })),
    examples: named('example').map(textOf),
    deprecated: deprecated && textOf(deprecated),
    further: tags
      .filter(({ tagName }) => !/^(?:throws|example|deprecated)$/.test(tagName.text))
      .map((tag) =>
        ts.isJSDocParameterTag(tag)
          ? `\`${tag.name.getText()}\`: ${textOf(tag)}`
          : `${tag.tagName.text}: ${textOf(tag)}`,
      ),
  };
}

export type Member = ts.TypeElement | ts.ClassElement;

/** List the members of an interface or class. */
export const membersOf = ({ nodes }: Pick<Declaration, 'nodes'>): Member[] =>
  nodes.flatMap((node): readonly Member[] =>
    ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) ? node.members : [],
  );

/** List what an interface or class extends. */
export const basesOf = ({ nodes }: Pick<Declaration, 'nodes'>): ts.ExpressionWithTypeArguments[] =>
  nodes.flatMap((node) =>
    ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
      ? (node.heritageClauses?.flatMap(({ types }) => [...types]) ?? [])
      : [],
  );

/** Get the text of a declaration or member without its doc comment. */
export function codeOf(node: ts.Node): string {
  const text = node
    .getText()
    .replace(/^export (?:declare )?/, '')
    .replace(/;$/, '');
  if (ts.isVariableDeclaration(node)) return `const ${text}`;
  // Members are indented in the published file.
  return ts.isSourceFile(node.parent) ? text : text.replaceAll('\n  ', '\n');
}

/** Get the first sentence of a doc comment. */
export const firstSentence = (text: string): string => {
  const [first = ''] = text.replace(/\s*\n\s*/g, ' ').split(/(?<=[^.][.!?]) (?=[A-Z`])/);
  return first;
};
