import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const messageOf = ({ file, start, code, messageText }: ts.Diagnostic): string => {
  const line = file && start !== undefined ? `${file.getLineAndCharacterOfPosition(start).line + 1}: ` : '';
  return `${line}TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
};

/** What the compiler says, by file, and under `elsewhere` of the declarations that they lead to, unless they are skipped. */
export type Complaints = Readonly<Record<string, readonly string[]>>;

/** Declaration files of packages, by compiler options and path. They are the same in every program of a process. */
const declared = new Map<string, ts.SourceFile | undefined>();

/** A host of the compiler that reads what packages declare once. */
export function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  const own = JSON.stringify(options);
  host.getSourceFile = (file, ...rest) => {
    // A package that a test has installed is not there for the next one.
    if (!file.startsWith(packages)) return read(file, ...rest);
    const key = `${own} ${JSON.stringify(rest[0])} ${file}`;
    if (!declared.has(key)) declared.set(key, read(file, ...rest));
    return declared.get(key);
  };
  return host;
}
const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/**
 * Compiles files of a folder together, in this process, so that the declarations they share are read once. Sources that
 * they import are checked as far as the files use them.
 */
export function compile(folder: string, names: readonly string[], options: ts.CompilerOptions): Complaints {
  const paths = names.map((name) => resolve(folder, name));
  const host = hostOf(options);
  host.getCurrentDirectory = () => resolve(folder);
  const program = ts.createProgram(paths, options, host);
  const complaints = Object.fromEntries(
    names.map((name, at) => {
      const file = program.getSourceFile(paths[at]!);
      return [name, [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(messageOf)];
    }),
  );
  const declarations = options.skipLibCheck
    ? []
    : program.getSourceFiles().filter((file) => file.isDeclarationFile && !program.isSourceFileDefaultLibrary(file));
  const elsewhere = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...declarations.flatMap((file) => program.getSemanticDiagnostics(file)),
  ].map(messageOf);
  return { ...complaints, elsewhere };
}

/** Options as a `tsconfig.json` spells them. */
export function optionsOf(json: Readonly<Record<string, unknown>>): ts.CompilerOptions {
  const { options, errors } = ts.convertCompilerOptionsFromJson(json, '.');
  if (errors.length > 0) throw new Error(errors.map(messageOf).join('\n'));
  return options;
}

/** The options in the `tsconfig.json` of a folder. */
export function optionsIn(folder: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, resolve(folder)).options;
}
