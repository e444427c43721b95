import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from './text-file.js';

/** The folder of a project, and its scripts by name. */
export interface ScriptProject {
  readonly folder: string;
  readonly scripts: Readonly<Record<string, string>>;
}

/** List the commands that a line runs, also those of the scripts and shell files that it starts. */
export function* commandsOf(line: string, project: ScriptProject, seen: readonly string[] = []): Generator<string> {
  let exported = '';
  for (const command of split(line)) {
    const [, variable] = /^\s*(?:export|set)\s+(\w+=\S+)\s*$/.exec(command) ?? [];
    if (variable) exported += `${variable} `;
    else yield* commandsFrom(exported + command, project, seen);
  }
}

/** Split a line into commands. Of `sallyport dev`, only the application remains: its other options are those of the emulator. */
const split = (line: string): string[] =>
  line
    // A short form of concurrently.
    .replaceAll('npm:', 'npm run ')
    .replace(/["']([^\s"']+)["']/g, '$1')
    .split(/&&|\|\||[;&|"'\n]/)
    .map((command) =>
      /\bsallyport\b/.test(command)
        ? command
            .split(/\s--\s/)
            .slice(1)
            .join(' -- ')
        : command,
    );

const packageManagers = ['npm', 'pnpm', 'yarn', 'bun', 'turbo'];
const severalScripts = ['run-p', 'run-s', 'npm-run-all'];
const shells = ['sh', 'bash', 'zsh'];

function* commandsFrom(command: string, project: ScriptProject, seen: readonly string[]): Generator<string> {
  const words = command.trim().split(/\s+/);
  const at = words.filter((_, index) => words.slice(0, index + 1).every(isVariable)).length;
  const [program = '', ...rest] = words.slice(at);
  const file = shells.includes(program) ? rest[0] : program;
  if (file?.endsWith('.sh') && !seen.includes(file) && existsSync(join(project.folder, file))) {
    const text = readTextFile(join(project.folder, file), file).replace(/^[ \t]*#.*$/gm, '');
    yield* commandsOf(text, project, [...seen, file]);
    return;
  }
  const isRun = packageManagers.includes(program) || (program === 'node' && rest[0] === '--run');
  const start = rest.findIndex((word) => !/^(?:-|run$|run-script$)/.test(word));
  const several = severalScripts.includes(program);
  const wanted = several ? rest : isRun ? rest.slice(start, start + 1) : [];
  const names = Object.keys(project.scripts).filter(
    (name) => !seen.includes(name) && wanted.some((one) => one === name || isPatternOf(one, name)),
  );
  if (names.length === 0) yield command;
  const options = several ? [] : rest.slice(start + 1).filter((word) => word !== '--');
  for (const name of names) {
    const line = [...words.slice(0, at), project.scripts[name], ...options].join(' ');
    yield* commandsOf(line, project, [...seen, name]);
  }
}

const isVariable = (word: string): boolean => /^(?:\w+=|cross-env$)/.test(word);

/** Whether a name begins like a pattern, such as `dev:*`. */
const isPatternOf = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') && name.startsWith(pattern.replaceAll('*', ''));
