// Lists what the package exports, one line for each export, member and code of an error, so that a diff shows what changes for users.
import ts from 'typescript';
import { type Declaration, type Published, readPublished } from './reference/declarations.js';

/** The file that contains the list, relative to the root. */
export const surfaceFile = 'test/types/surface.txt';

/** The list, from the texts of the published types by path. */
export function surface(files: ReadonlyMap<string, string>): string {
  const published = readPublished(files);
  const declarations = [...published.declarations.values()].sort(
    (one, other) => compared(one.name, other.name) || compared(one.home, other.home),
  );
  const isShared = ({ name }: Declaration): boolean => declarations.filter((one) => one.name === name).length > 1;
  return [
    'Everything that the package exports. Written by `npm run docs`; review its changes and commit them.',
    ...[...published.entries].flatMap(([entry, names]) => [
      `\nexports of ${entry === 'index' ? 'sallyport' : `sallyport/${entry}`}`,
      ...[...names.keys()].sort(compared).map((name) => `  ${name}`),
    ]),
    '\ncodes of errors',
    ...codesOf('any-error.AnySallyportError', published).map((code) => `  ${code}`),
    ...[...files].flatMap(([file, text]) => globalsOf(file, text)),
    '',
    ...declarations.flatMap((one) => {
      const [title = '', ...members] = one.nodes.flatMap(linesOf);
      return [isShared(one) ? `${title} // of ${one.home}` : title, ...members];
    }),
    '',
  ].join('\n');
}

const compared = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const printer = ts.createPrinter({ removeComments: true });
const inOneLine = (node: ts.Node): string =>
  printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replace(/\s+/g, ' ')
    .replace(/^export (?:declare )?/, '')
    .replace(/;$/, '')
    .trim();

/** The lines of a declaration: its title, and a line for each member. */
function linesOf(node: ts.Node): string[] {
  if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) {
    const nameOf = (member: ts.ClassElement | ts.TypeElement): string => member.name?.getText() ?? '';
    // Overloads keep their order, because the first one that fits is called.
    const members = [...node.members].sort((one, other) => compared(nameOf(one), nameOf(other)));
    return [titleOf(node), ...members.map((member) => `  ${inOneLine(member)}`)];
  }
  if (ts.isTypeAliasDeclaration(node) && ts.isUnionTypeNode(node.type)) {
    const alternatives = node.type.types.map((type) => `  | ${inOneLine(type)}`).sort(compared);
    return [titleOf(node), ...alternatives];
  }
  return [`${ts.isVariableDeclaration(node) ? 'const ' : ''}${inOneLine(node)}`];
}

type Titled = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration;

function titleOf(node: Titled): string {
  const kind = ts.isTypeAliasDeclaration(node) ? 'type' : ts.isClassDeclaration(node) ? 'class' : 'interface';
  const parameters = node.typeParameters?.map(inOneLine).join(', ');
  const bases = ts.isTypeAliasDeclaration(node) ? [] : (node.heritageClauses ?? []).map(inOneLine);
  return [`${kind} ${node.name!.text}${parameters ? `<${parameters}>` : ''}`, ...bases].join(' ');
}

function globalsOf(file: string, text: string): string[] {
  const blocks = ts
    .createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
    .statements.filter(ts.isModuleDeclaration);
  return blocks.flatMap((block) => [
    `\nglobals of ${file.replace(/^types\/|\.d\.cts$/g, '')}`,
    `  ${inOneLine(block)}`,
  ]);
}

/** The codes of the errors in a declaration, through its alternatives, bases and other declarations. */
function codesOf(id: string, published: Published): string[] {
  const declaration = published.declarations.get(id);
  const codes = (declaration?.nodes ?? []).flatMap((node) => codesIn(node, declaration!, published));
  return [...new Set(codes)].sort(compared);
}

function codesIn(node: ts.Node, declaration: Declaration, published: Published): string[] {
  const inEach = (nodes: readonly ts.Node[] | undefined): string[] =>
    (nodes ?? []).flatMap((one) => codesIn(one, declaration, published));
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) return [node.literal.text];
  if (ts.isUnionTypeNode(node)) return inEach(node.types);
  if (ts.isTypeAliasDeclaration(node)) return codesIn(node.type, declaration, published);
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))
    return inEach(node.heritageClauses?.flatMap(({ types }) => [...types]));
  if (!ts.isTypeReferenceNode(node) && !ts.isExpressionWithTypeArguments(node)) return [];
  if (node.typeArguments) return inEach(node.typeArguments);
  const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
  return codesOf(declaration.names.get(name.getText()) ?? '', published);
}
