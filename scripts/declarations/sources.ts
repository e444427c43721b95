// Emits the declarations of the sources in memory, before they are flattened.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The entries of the package and their source files: `session` is `src/session/index.ts`. */
export const entries: ReadonlyMap<string, string> = entriesOf(settings().options.paths ?? {});

function settings(): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root);
}

function entriesOf(paths: ts.MapLike<string[]>): Map<string, string> {
  const sourceByEntry = new Map<string, string>();
  for (const [specifier, [source]] of Object.entries(paths)) {
    // Internal entries.
    if (specifier.startsWith('#')) continue;
    if (source) sourceByEntry.set(specifier.split('/')[1] ?? 'index', join(root, source));
  }
  return sourceByEntry;
}

/** The program of the sources, and the program of the declarations that it emits. */
export interface Programs {
  readonly sources: ts.Program;
  readonly declared: ts.Program;
}

/** Create the programs for the entries and everything they import. */
export function programs(): Programs {
  const { options } = settings();
  const emitted = new Map<string, string>();
  const sources = ts.createProgram([...entries.values()], {
    ...options,
    noEmit: false,
    // `npm run typecheck` has already checked the types.
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
  });
  const { diagnostics } = sources.emit(undefined, (file, text) => emitted.set(file, text), undefined, true);
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, formatHost));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => emitted.has(file) || (!isSource(file) && fileExists(file));
  host.readFile = (file) => emitted.get(file) ?? readFile(file);
  host.getSourceFile = (file, languageVersion) => {
    const text = emitted.get(file);
    return text === undefined
      ? getSourceFile(file, languageVersion)
      : ts.createSourceFile(file, text, languageVersion, true);
  };
  return { sources, declared: ts.createProgram([...entries.values()].map(declarationOf), options, host) };
}

/** Get the path of the emitted declaration of a source file. */
export const declarationOf = (source: string): string => source.replace(/\.ts$/, '.d.ts');

const isSource = (file: string): boolean => file.startsWith(join(root, 'src/')) && !file.endsWith('.d.ts');

const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (file) => file,
  getNewLine: () => '\n',
};

/** Get the path of a declaration relative to `src`: `service/users.d.ts`. */
export const pathInSource = (file: ts.SourceFile): string | undefined => {
  const folder = `${join(root, 'src')}/`;
  return file.fileName.startsWith(folder) ? file.fileName.slice(folder.length) : undefined;
};

/**
 * Get the published file of a declaration: `types/service` for `src/service`, `types/hono` for `src/adapters/hono.ts`. Entries
 * of one folder are separate, because each extends the types of its framework.
 */
export const homeOf = (file: ts.SourceFile): string | undefined => {
  const [folder, name = ''] = pathInSource(file)?.split(/[/.]/) ?? [];
  return name !== 'index' && entries.has(name) && declaredIn(name, file) ? name : folder;
};

const declaredIn = (entry: string, file: ts.SourceFile): boolean =>
  [entries.get(entry)!, declarationOf(entries.get(entry)!)].includes(file.fileName);
