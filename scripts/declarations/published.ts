// Assigns all exports of the entries to published files.
import ts from 'typescript';
import { homeOfSymbol, isVocabulary, Names } from './names.js';
import { declarationOf, entries, homeOf, programs } from './sources.js';
import { tidy } from './tidy.js';
import { type Written, written, writtenGlobals } from './writing.js';

/** An export of an entry. */
interface Export {
  readonly name: string;
  readonly symbol: ts.Symbol;
  /** Whether only its type is exported. */
  readonly typeOnly: boolean;
}

/** Build the texts of all published files, by path relative to `dist`. */
export function published(): Map<string, string> {
  const { sources, declared } = programs();
  const checker = declared.getTypeChecker();
  const entryFiles = [...entries].map(
    ([entry, source]) => [entry, declared.getSourceFile(declarationOf(source))!] as const,
  );
  const exportsByEntry = new Map(entryFiles.map(([entry, file]) => [entry, exportsOf(file, checker)]));
  const exported = [...exportsByEntry.values()].flat();
  const values = new Set(exported.filter(({ typeOnly }) => !typeOnly).map(({ symbol }) => symbol));
  const names = new Names(checker, sources, new Set(exported.map(({ symbol }) => symbol)), values);

  // Global declarations belong to the entry that contains them.
  const parts = entryFiles
    .map(([, file]): Part => ({ home: homeOf(file)!, ...writtenGlobals(file, names) }))
    .filter(({ text }) => text);
  const wanted = new Set([...exported.map(({ symbol }) => symbol), ...parts.flatMap((part) => [...part.uses])]);
  // Iterating over a set also visits items that are added during the iteration.
  for (const symbol of wanted) {
    const part = { home: homeOfSymbol(symbol), symbol, ...written(symbol, names) };
    for (const used of part.uses) {
      if (isVocabulary(used))
        throw new Error(
          `${symbol.name} of ${part.home} would expose ${used.name}, which derives types. Declare a named type instead.`,
        );
      wanted.add(used);
    }
    parts.push(part);
  }
  parts.sort((one, other) => (placeOf(one.symbol) < placeOf(other.symbol) ? -1 : 1));

  const files = new Map<string, string>();
  for (const [home, inHome] of groupedBy(parts, (part) => part.home))
    files.set(`types/${home}.d.cts`, tidy(homeText(home, inHome)));
  // `import` and `require` share the declarations, so that both get the same types.
  for (const [entry, list] of exportsByEntry)
    for (const ending of ['d.ts', 'd.cts']) files.set(`${entry}.${ending}`, tidy(entryText(list)));
  return files;
}

/** A part of a file: a declaration or a `declare global`. */
interface Part extends Written {
  readonly home: string;
  readonly symbol?: ts.Symbol;
}

function exportsOf(file: ts.SourceFile, checker: ts.TypeChecker): Export[] {
  const module = checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${file.fileName} exports nothing.`);
  return checker.getExportsOfModule(module).map((exported) => {
    const alias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = alias ? checker.getAliasedSymbol(exported) : exported;
    const specifier = exported.declarations?.find(ts.isExportSpecifier);
    const typeOnly = !!specifier && (specifier.isTypeOnly || specifier.parent.parent.isTypeOnly);
    return { name: exported.name, symbol, typeOnly: typeOnly || (symbol.flags & ts.SymbolFlags.Value) === 0 };
  });
}

/** Build a sort key from the position of a declaration in the sources. Unnamed parts come first. */
const placeOf = (symbol: ts.Symbol | undefined): string => {
  const first = symbol?.declarations?.[0];
  return first ? `${first.getSourceFile().fileName} ${`${first.pos}`.padStart(8, '0')}` : '';
};

/** Build the text of a published file: its imports and its declarations. */
function homeText(home: string, parts: readonly Part[]): string {
  const symbols = new Map<string, ts.Symbol>();
  for (const { symbol } of parts) {
    if (!symbol) continue;
    if (symbols.has(symbol.name))
      throw new Error(
        `Two types of src/${home} are called ${symbol.name}: ${[symbols.get(symbol.name)!, symbol].map(placeOf).join(' and ')}. Rename one.`,
      );
    symbols.set(symbol.name, symbol);
  }
  const used = new Set(parts.flatMap(({ uses }) => [...uses]).filter((symbol) => homeOfSymbol(symbol) !== home));
  const imports = [...groupedBy(used, homeOfSymbol)].sort().map(([from, symbols]) => {
    return `import ${listText(symbols.map(({ name }) => name).sort())} from './${from}.cjs';`;
  });
  const texts = parts.map(({ text }) => text);
  return [[...packageImports(parts, texts.join('\n')), ...imports].join('\n'), ...texts].join('\n\n');
}

/** Build the imports from packages that an entry integrates, such as react. */
function packageImports(parts: readonly Part[], text: string): string[] {
  const files = new Set(parts.flatMap(({ symbol }) => symbol?.declarations?.map((one) => one.getSourceFile()) ?? []));
  const named = [...files]
    .flatMap(({ statements }) => statements.filter(ts.isImportDeclaration))
    .map(({ moduleSpecifier, importClause }) => ({
      from: moduleSpecifier.getText(),
      list: importClause?.namedBindings,
    }))
    .filter(({ from }) => !/^.\./.test(from))
    .flatMap(({ from, list }) =>
      (list && ts.isNamedImports(list) ? list.elements : []).map(({ name }) => ({ from, name: name.text })),
    )
    .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
  return [...groupedBy(named, ({ from }) => from)].map(
    ([from, list]) => `import type ${listText([...new Set(list.map(({ name }) => name))].sort())} from ${from};`,
  );
}

/** Build the re-exports of an entry, grouped by file. */
function entryText(list: readonly Export[]): string {
  const lines = [...groupedBy(list, ({ symbol }) => homeOfSymbol(symbol))].sort().map(([home, exports]) => {
    const names = exports
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(
        ({ name, symbol, typeOnly }) =>
          `${typeOnly ? 'type ' : ''}${symbol.name}${symbol.name === name ? '' : ` as ${name}`}`,
      );
    return `export ${listText(names)} from './types/${home}.cjs';`;
  });
  return lines.join('\n');
}

/** Put names in braces, one per line if there are many. */
const listText = (names: readonly string[]): string =>
  names.length <= 5 ? `{ ${names.join(', ')} }` : `{\n${names.join(',\n')},\n}`;

/** Group items by a key, in order. */
function groupedBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
