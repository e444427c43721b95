import { join } from 'node:path';
import ts from 'typescript';

/** A program in a folder with the installed package, as an editor shows it. */
export interface Editor {
  /** The hover at the last letter of the first occurrence of this text. */
  hoverAt(text: string): string;
  /** The comment below the hover. */
  commentAt(text: string): string;
  /** The line that go-to-definition opens. */
  definitionAt(text: string): string;
  /** The completions after this text. */
  completionsAfter(text: string): string[];
  /** The compiler errors in the line of this text. */
  mistakesIn(text: string): string[];
  /** The compiler errors in all lines that are not marked with a comment `// wrong`. */
  readonly unexpected: string[];
}

const options: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
};

export function editorOf(program: string, folder: string): Editor {
  const file = join(folder, 'edited.mts');
  const textOf = (path: string) => (path === file ? program : ts.sys.readFile(path));
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = textOf(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: textOf,
  });
  const endOf = (text: string): number => {
    const at = program.indexOf(text);
    if (at < 0) throw new Error(`The program has no ${text}.`);
    return at + text.length;
  };
  const lineAt = (position: number): number => program.slice(0, position).split('\n').length - 1;
  const mistakes = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
    ({ start = 0, messageText, relatedInformation = [] }) => ({
      line: lineAt(start),
      message: [messageText, ...relatedInformation.map((hint) => hint.messageText)]
        .map((text) => ts.flattenDiagnosticMessageText(text, '\n'))
        .join('\n'),
    }),
  );
  const lines = program.split('\n');
  return {
    hoverAt: (text) => ts.displayPartsToString(service.getQuickInfoAtPosition(file, endOf(text) - 1)?.displayParts),
    commentAt: (text) => ts.displayPartsToString(service.getQuickInfoAtPosition(file, endOf(text) - 1)?.documentation),
    definitionAt: (text) => {
      const [definition] = service.getDefinitionAtPosition(file, endOf(text) - 1) ?? [];
      if (!definition) return 'nowhere';
      const target = ts.sys.readFile(definition.fileName)!;
      const start = target.lastIndexOf('\n', definition.textSpan.start) + 1;
      return target.slice(start, target.indexOf('\n', start)).trim();
    },
    completionsAfter: (text) =>
      service.getCompletionsAtPosition(file, endOf(text), {})?.entries.map(({ name }) => name) ?? [],
    mistakesIn: (text) => mistakes.filter(({ line }) => line === lineAt(endOf(text))).map(({ message }) => message),
    unexpected: mistakes
      .filter(({ line }) => !lines[line]!.endsWith('// wrong'))
      .map(({ line, message }) => `${lines[line]}: ${message}`),
  };
}
