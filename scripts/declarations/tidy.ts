// Formats declaration files with TypeScript's formatter.
import ts from 'typescript';

const settings: ts.FormatCodeSettings = {
  ...ts.getDefaultFormatCodeSettings('\n'),
  indentSize: 2,
  convertTabsToSpaces: true,
  semicolons: ts.SemicolonPreference.Insert,
};

/** Format the text of a declaration file. */
export function tidy(text: string): string {
  const file = 'tidy.d.ts';
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ noLib: true }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => (name === file ? ts.ScriptSnapshot.fromString(text) : undefined),
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '',
    fileExists: (name) => name === file,
    readFile: () => undefined,
  });
  let formatted = text;
  // Apply edits from the end, so that earlier positions stay valid.
  for (const { span, newText } of service.getFormattingEditsForDocument(file, settings).reverse())
    formatted = formatted.slice(0, span.start) + newText + formatted.slice(span.start + span.length);
  return `${formatted.trim()}\n`;
}
