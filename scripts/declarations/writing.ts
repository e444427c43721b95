// Writes one published declaration: an interface, a type, a class, a function or a constant.
import ts from 'typescript';
import type { Names } from './names.js';
import { type Arguments, commentOf, Spelling } from './spelling.js';

/** The text of a published declaration, and the declarations that it uses. */
export interface Written {
  readonly text: string;
  readonly uses: ReadonlySet<ts.Symbol>;
}

/** Write the declaration of a symbol. */
export function written(symbol: ts.Symbol, names: Names): Written {
  const spelling = new Spelling(names);
  const writer = new Writer(names, spelling);
  const texts = (symbol.declarations ?? []).map((declaration) => writer.declaration(declaration, symbol));
  return { text: texts.join('\n'), uses: spelling.uses };
}

/** Write the `declare global` blocks of a file. */
export function writtenGlobals(file: ts.SourceFile, names: Names): Written {
  const spelling = new Spelling(names);
  const texts = file.statements.filter(ts.isModuleDeclaration).map((one) => spelling.of(one));
  return { text: texts.join('\n'), uses: spelling.uses };
}

class Writer {
  readonly #names: Names;
  readonly #spelling: Spelling;

  constructor(names: Names, spelling: Spelling) {
    this.#names = names;
    this.#spelling = spelling;
  }

  declaration(node: ts.Declaration, symbol: ts.Symbol): string {
    const comment = commentOf(node);
    if (ts.isInterfaceDeclaration(node)) return comment + this.#interface(node);
    if (ts.isTypeAliasDeclaration(node)) return comment + this.#alias(node);
    if (ts.isClassDeclaration(node))
      return comment + (this.#names.values.has(symbol) ? this.#class(node) : this.#interfaceOfClass(node));
    if (ts.isFunctionDeclaration(node)) return comment + this.#spelling.of(node).replace(/^(?:export )?/, 'export ');
    if (ts.isVariableDeclaration(node)) return `${comment}export declare const ${this.#spelling.of(node)};`;
    throw new Error(`${symbol.name} is of an unsupported kind.`);
  }

  #interface(node: ts.InterfaceDeclaration): string {
    const inherited = new Map<string, string>();
    const bases: string[] = [];
    for (const base of heritageOf(node, ts.SyntaxKind.ExtendsKeyword)) {
      if (this.#names.isDerived(base) || this.#names.isTakenApart(base))
        for (const [name, text] of this.#spelling.fieldsOf(this.#names.checker.getTypeFromTypeNode(base), node))
          inherited.set(name, text);
      else bases.push(this.#spelling.of(base));
    }
    const members = new Map([...inherited, ...this.#members(node.members)]);
    return interfaceText(this.#titleOf(node), bases, members.values());
  }

  #alias(node: ts.TypeAliasDeclaration): string {
    const type = this.#names.checker.getTypeFromTypeNode(node.type);
    // Write an expanded object as an interface, so that hovers show its name.
    if (this.#names.isDerived(node.type) && type.flags & ts.TypeFlags.Object)
      return interfaceText(this.#titleOf(node), [], this.#spelling.fieldsOf(type, node).values());
    const text = this.#spelling.of(node.type);
    return `export type ${this.#titleOf(node)} =${text.startsWith('|') ? '\n  ' : ' '}${text};`;
  }

  #class(node: ts.ClassDeclaration): string {
    const { base, members } = this.#partsOf(node);
    const heritage = base ? ` extends ${base}` : '';
    return `export declare class ${this.#titleOf(node)}${heritage} ${block(members.values())}`;
  }

  /** Write a class that is not exported as a value as an interface. */
  #interfaceOfClass(node: ts.ClassDeclaration): string {
    const { base, abilities, members } = this.#partsOf(node, (name) => !/^(?:static |constructor$)/.test(name));
    const bases = base ? [base, ...abilities] : abilities;
    return interfaceText(this.#titleOf(node), bases, members.values());
  }

  /** Collect the public members of a class, including those inherited from unpublished classes. */
  #partsOf(node: ts.ClassDeclaration, isWanted: Wanted = () => true, given?: Arguments): Parts {
    const declared = this.#members(node.members, isWanted, given);
    const abilities = heritageOf(node, ts.SyntaxKind.ImplementsKeyword).map((one) => this.#spelling.of(one, given));
    const [extended] = heritageOf(node, ts.SyntaxKind.ExtendsKeyword);
    if (!extended) return { base: undefined, abilities, members: declared };
    const symbol = this.#names.symbolOf(extended.expression);
    const parent = symbol?.declarations?.find(ts.isClassDeclaration);
    if (!symbol || !parent || this.#names.values.has(symbol))
      return { base: this.#spelling.of(extended, given), abilities, members: declared };
    const inherited = this.#partsOf(parent, isWanted, this.#argumentsOf(extended, parent, given));
    return {
      base: inherited.base,
      abilities: [...inherited.abilities, ...abilities],
      members: new Map([...inherited.members, ...declared]),
    };
  }

  #argumentsOf(extended: ts.ExpressionWithTypeArguments, parent: ts.ClassDeclaration, given?: Arguments): Arguments {
    const texts = new Map<ts.Symbol, string>();
    for (const [index, parameter] of (parent.typeParameters ?? []).entries()) {
      const argument = extended.typeArguments?.[index] ?? parameter.default;
      if (argument) texts.set(this.#names.symbolOf(parameter.name)!, this.#spelling.of(argument, given));
    }
    return texts;
  }

  /** Write public members by name. Static members have the key `static name`. */
  #members(members: readonly Member[], isWanted: Wanted = () => true, given?: Arguments): Map<string, string> {
    const texts = new Map<string, string>();
    const settable = members.filter(ts.isSetAccessor).map(publicNameOf);
    for (const member of members) {
      const name = publicNameOf(member);
      if (name === undefined || !isWanted(name) || ts.isSetAccessor(member)) continue;
      const overloads = texts.has(name) ? `${texts.get(name)}\n` : '';
      texts.set(name, overloads + this.#member(member, settable.includes(name), given));
    }
    return texts;
  }

  #member(member: ts.ClassElement | ts.TypeElement, isSettable: boolean, given?: Arguments): string {
    const text = this.#spelling.of(member, given);
    // Write a getter as a field, which also works in interfaces.
    const field = isSettable ? '$1' : 'readonly $1';
    return commentOf(member) + (ts.isGetAccessor(member) ? text.replace(/^get (.+?)\(\)/, field) : text);
  }

  #titleOf({ name, typeParameters }: Titled): string {
    const parameters = typeParameters?.map((one) => this.#spelling.of(one));
    return name!.text + (parameters ? `<${parameters.join(', ')}>` : '');
  }
}

type Member = ts.ClassElement | ts.TypeElement;
type Wanted = (name: string) => boolean;
type Titled = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration;

/** The parts of a class. */
interface Parts {
  /** The published class it extends. */
  readonly base: string | undefined;
  /** The interfaces it implements. */
  readonly abilities: readonly string[];
  readonly members: Map<string, string>;
}

/** Get the name of a member. Returns undefined if it is private, protected or named by an internal symbol. */
function publicNameOf(member: Member): string | undefined {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const modifiers = ts.getCombinedModifierFlags(member);
  if (modifiers & hidden) return undefined;
  if (ts.isConstructorDeclaration(member)) return 'constructor';
  const { name } = member;
  if (!name) return member.getText();
  if (ts.isPrivateIdentifier(name)) return undefined;
  if (ts.isComputedPropertyName(name) && ts.isIdentifier(name.expression)) return undefined;
  return (modifiers & ts.ModifierFlags.Static ? 'static ' : '') + name.getText();
}

const heritageOf = (
  node: ts.ClassDeclaration | ts.InterfaceDeclaration,
  keyword: ts.SyntaxKind.ExtendsKeyword | ts.SyntaxKind.ImplementsKeyword,
): readonly ts.ExpressionWithTypeArguments[] =>
  node.heritageClauses?.find(({ token }) => token === keyword)?.types ?? [];

const block = (members: Iterable<string>): string => {
  const text = [...members].join('\n');
  return text === '' ? '{}' : `{\n${text}\n}`;
};

const interfaceText = (title: string, bases: readonly string[], members: Iterable<string>): string =>
  `export interface ${title}${bases.length > 0 ? ` extends ${bases.join(', ')}` : ''} ${block(members)}`;
