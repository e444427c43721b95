// Writes a page of the reference as Markdown: signatures, comments and tables of fields, with links for all types.
import ts from 'typescript';
import { callOf } from './calls.js';
import {
  basesOf,
  codeOf,
  type Declaration,
  firstSentence,
  type Member,
  membersOf,
  type Published,
  type Remarks,
  remarksOf,
} from './declarations.js';
import type { Page } from './pages.js';

/** Links to the descriptions of declarations and methods: `organizations.md#organization`. */
export type Places = ReadonlyMap<string, string>;

/** A heading of a page, and its declaration or method: `service.User`, `client.Events#listEvents`. */
export interface Heading {
  readonly heading: string;
  readonly id: string;
}

/** Types that are not linked in signatures, because nearly every signature contains them. */
const everywhere = ['Call', 'PagePromise', 'RequestOptions', 'ListParams'];

/** Write a page as Markdown. */
export function pageText(page: Page, published: Published, places: Places): string {
  const lines = [`# ${page.title}`, ''];
  const sectionOf = (id: string) => new Section(page, id, published, places);
  const sections = page.declarations.map(sectionOf);
  // Exports that another page describes, because two entries have them.
  const shared = page.file.startsWith('entry-') ? page.roots.filter((id) => !page.declarations.includes(id)) : [];
  lines.push(...contentsOf([...sections, ...shared.map(sectionOf)]), ...sections.flatMap((section) => section.lines()));
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

/** List the headings of a page in order, starting with its title. */
export function headingsOf(page: Page, published: Published): Heading[] {
  const below = page.declarations.flatMap((id) => {
    const declaration = published.declarations.get(id)!;
    const methods = methodsOf(declaration).map((name) => ({ heading: name, id: `${id}#${name}` }));
    return [{ heading: declaration.name, id }, ...methods];
  });
  return [{ heading: page.title, id: page.file }, ...below];
}

/** Write a table of contents: methods or declarations, each with a sentence. */
function contentsOf(sections: readonly Section[]): string[] {
  const [first] = sections;
  const methods = first?.methodLines() ?? [];
  if (methods.length > 3) return [...methods, ''];
  const lines = sections.flatMap((section) => section.contentLine());
  return lines.length > 3 ? [...lines, ''] : [];
}

const isField = (member: Member): member is ts.PropertySignature | ts.PropertyDeclaration =>
  (ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)) && !ts.isComputedPropertyName(member.name);

const isMethod = (member: Member): member is ts.MethodSignature | ts.MethodDeclaration =>
  (ts.isMethodSignature(member) || ts.isMethodDeclaration(member)) && !ts.isComputedPropertyName(member.name);

/** List the names of methods that its section describes. Overloads have one name, and controls have their own page. */
const methodsOf = (declaration: Declaration): string[] => [
  ...new Set(
    membersOf(declaration)
      .filter(isMethod)
      .map(({ name }) => name.getText())
      .filter((name) => !declaration.controls?.has(name)),
  ),
];

/** The section of one declaration. */
class Section {
  readonly #page: Page;
  readonly #id: string;
  readonly #declaration: Declaration;
  readonly #published: Published;
  readonly #places: Places;

  constructor(page: Page, id: string, published: Published, places: Places) {
    this.#page = page;
    this.#id = id;
    this.#declaration = published.declarations.get(id)!;
    this.#published = published;
    this.#places = places;
  }

  /** Write a line for the table of contents, unless the declaration is a type. */
  contentLine(): string[] {
    const [first] = this.#declaration.nodes;
    if (!first || ts.isInterfaceDeclaration(first) || ts.isTypeAliasDeclaration(first)) return [];
    const [base] = ts.isClassDeclaration(first) ? (first.heritageClauses?.[0]?.types ?? []) : [];
    const [code] = base?.typeArguments ?? [];
    const aside = code && ts.isLiteralTypeNode(code) ? `, \`${code.getText()}\`` : '';
    return [`- ${this.#link(this.#declaration.name, this.#id)}${aside}: ${firstSentence(remarksOf(first).text)}`];
  }

  /** Write a line for each of its methods. */
  methodLines(): string[] {
    const members = membersOf(this.#declaration);
    return methodsOf(this.#declaration).map((name) => {
      const method = members.find((one) => isMethod(one) && one.name!.getText() === name)!;
      return `- ${this.#link(name, `${this.#id}#${name}`)}: ${firstSentence(remarksOf(method).text)}`;
    });
  }

  lines(): string[] {
    const { name, nodes } = this.#declaration;
    const members = membersOf(this.#declaration);
    const fields = members.filter(isField).filter((one) => !isStatic(one));
    const constructors = members.filter(ts.isConstructorDeclaration);
    const code = members.length > 0 ? constructors : nodes.filter((node) => !ts.isInterfaceDeclaration(node));
    return [
      `## ${name}`,
      '',
      ...this.#code(code, (node) => codeOf(node).replace(/^constructor/, `new ${name}`)),
      ...this.#remarks(remarksOf(nodes[0]!)),
      ...this.#heritage(),
      ...this.#table(fields),
      ...this.#controls(),
      ...methodsOf(this.#declaration).flatMap((method) => this.#method(method, members)),
    ];
  }

  /** List its methods that are controls, with links to their page. */
  #controls(): string[] {
    const links = [...(this.#declaration.controls ?? [])].map(([name, place]) => `[\`${name}\`](${place})`);
    return links.length > 0 ? [`${links.length > 1 ? 'Controls' : 'Control'}: ${links.join(', ')}`, ''] : [];
  }

  #method(name: string, members: readonly Member[]): string[] {
    const overloads = members.filter(isMethod).filter((one) => one.name.getText() === name);
    return [
      `### ${name}`,
      '',
      ...this.#code(overloads, codeOf),
      ...overloads.flatMap((one) => this.#remarks(remarksOf(one))),
      ...this.#call(name, overloads),
    ];
  }

  /** Write how to call a method of the client, unless its comment has an example. */
  #call(name: string, overloads: readonly ts.SignatureDeclaration[]): string[] {
    const { part, names } = this.#declaration;
    if (part === undefined || overloads.some((one) => remarksOf(one).examples.length > 0)) return [];
    const call = callOf(`${part}.${name}`, overloads[0]!, names, this.#published);
    return call === undefined ? [] : ['**Call**', '', ...fenced([call])];
  }

  /** Write a code block, and links to the types in it. */
  #code(nodes: readonly ts.Node[], textOf: (node: ts.Node) => string): string[] {
    if (nodes.length === 0) return [];
    const texts = nodes.map(textOf);
    const words = new Set(texts.join('\n').match(/\b[A-Z]\w*\b/g) ?? []);
    const links = [...words].flatMap((word) => {
      const id = this.#declaration.names.get(word);
      return id && id !== this.#id && !everywhere.includes(word) && this.#places.has(id) ? [this.#link(word, id)] : [];
    });
    return [...fenced(texts), ...(links.length > 0 ? [`Types: ${links.join(', ')}`, ''] : [])];
  }

  #link(text: string, id: string): string {
    const place = this.#places.get(id)!;
    return `[\`${text}\`](${place.startsWith(`${this.#page.file}.md`) ? place.slice(place.indexOf('#')) : place})`;
  }

  #heritage(): string[] {
    const bases = basesOf(this.#declaration);
    return bases.length > 0 ? [`Extends ${bases.map((base) => this.#typeText(base.getText())).join(', ')}.`, ''] : [];
  }

  #remarks({ text, throws, examples, deprecated, further }: Remarks): string[] {
    const failures = throws.map((one) => `- ${this.#typeText(one.error)}: ${one.text.replace(/\s*\n\s*/g, ' ')}`);
    return [
      ...(deprecated === undefined ? [] : [`**Deprecated.** ${deprecated}`, '']),
      ...(text ? [text, ''] : []),
      ...further.flatMap((one) => [one, '']),
      ...(failures.length > 0 ? ['**Throws**', '', ...failures, ''] : []),
      ...examples.flatMap((example) => ['**Example**', '', ...fenced([example])]),
    ];
  }

  #table(fields: readonly (ts.PropertySignature | ts.PropertyDeclaration)[]): string[] {
    if (fields.length === 0) return [];
    const rows = fields.map((field) => {
      const { text, deprecated } = remarksOf(field);
      const name = `\`${field.name.getText()}${field.questionToken ? '?' : ''}\``;
      const description = deprecated === undefined ? text : `**Deprecated.** ${deprecated} ${text}`;
      return [name, this.#typeText(field.type?.getText() ?? 'unknown'), description.replace(/\s*\n\s*/g, ' ')];
    });
    return ['| Field | Type | |', '|---|---|---|', ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`), ''];
  }

  /** Write a type as code, with links for names of this package. */
  #typeText(type: string): string {
    const text = type
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/^\| /, '');
    const pieces = text.split(/('[^']*'|\b[A-Za-z_$][\w$]*\b)/).filter((piece) => piece !== '');
    let line = '';
    let plain = '';
    const flush = (): void => {
      // Keep spaces outside the code spans that they separate.
      if (plain)
        line += plain.replace(
          /^(\s*)([\s\S]*?)(\s*)$/,
          (_, before, middle, after) => before + (middle ? `\`${middle}\`` : '') + after,
        );
      plain = '';
    };
    for (const piece of pieces) {
      const id = this.#declaration.names.get(piece) ?? this.#errorId(piece);
      if (!id || !this.#places.has(id)) {
        plain += piece;
        continue;
      }
      flush();
      line += this.#link(piece, id);
    }
    flush();
    return line;
  }

  /** Find an error by name, because comments mention errors that the file does not import. */
  #errorId(name: string): string | undefined {
    return /Error$|^EmulatorRefusal$/.test(name)
      ? [...this.#places.keys()].find((id) => id.endsWith(`.${name}`))
      : undefined;
  }
}

const isStatic = (member: Member): boolean =>
  ts.canHaveModifiers(member) && !!ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);

const fenced = (texts: readonly string[]): string[] => ['```ts', ...texts, '```', ''];

/** Escape vertical bars, which would end the table cell even in a code span. */
const cell = (text: string): string => text.replaceAll('|', '\\|');
