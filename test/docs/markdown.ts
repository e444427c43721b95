import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Read a file of this project. */
export const read = (file: string): string => readFileSync(file, 'utf8');

/** The README and the pages in docs. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .map((name) => `docs/${name}`),
];

/** The pages with blocks of TypeScript that form one program, which a test runs. */
export const programs: readonly string[] = ['README.md', 'docs/tour.md'];

/** Whether a page is a tutorial. A test follows it in a new project, with the code of the page. */
export const isWalked = (page: string): boolean => page === walkedPage;
export const walkedPage = 'docs/start.md';

/** The headings of a page, without the comments of its code. */
export const headingsOf = (text: string): string[] =>
  text.replace(/^```[\s\S]*?^```$/gm, '').match(/(?<=^#+ ).+$/gm) ?? [];

/** The anchors of the headings of a page. A heading that is repeated gets a number. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const heading of headingsOf(text)) {
    const plain = heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-');
    let anchor = plain;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${plain}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The text below a heading of the second level, up to the next one. */
export const sectionOf = (text: string, heading: string): string =>
  text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** The code names in a column of the first table of a text that has this column. */
export function namesIn(text: string, column: string): string[] {
  const tables = text.match(/(?:^\|.*\n)+/gm) ?? [];
  for (const table of tables) {
    const [head = [], , ...rows] = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
    const at = head.indexOf(column);
    if (at > 0) return rows.flatMap((row) => [...(row[at] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  }
  return [];
}

/** The code blocks of a text in a language, or in any. */
export const codeIn = (text: string, language = '\\w+'): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);

/** The values of a union type, of a field, or of the type argument of a base class, which exist only in the source. */
export function textsOf(file: string, name: string): string[] {
  const texts: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) texts.push(node.literal.text);
    ts.forEachChild(node, collect);
  };
  const find = (node: ts.Node): void => {
    const isNamed = (one: { readonly name?: ts.Node }): boolean => one.name?.getText() === name;
    if (ts.isTypeAliasDeclaration(node) && isNamed(node)) collect(node.type);
    else if (ts.isClassDeclaration(node) && isNamed(node)) node.heritageClauses?.forEach(collect);
    else if (ts.isPropertySignature(node) && isNamed(node)) collect(node);
    else ts.forEachChild(node, find);
  };
  find(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  return texts;
}

/** The names of the fields of an interface, which exist only in the source. */
export const fieldsOf = (file: string, name: string): string[] =>
  ts
    .createSourceFile(file, read(file), ts.ScriptTarget.Latest, true)
    .statements.flatMap((one) => (ts.isInterfaceDeclaration(one) && one.name.text === name ? [...one.members] : []))
    .map((member) => member.name!.getText());
