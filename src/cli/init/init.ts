import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { version } from '../../version.js';
import { pc } from '../colours.js';
import { CommandError } from '../command-error.js';
import { developmentPort } from '../development-port.js';
import { frameworkOf, frameworks, manifestIn, rangeOf } from '../frameworks.js';
import { printable } from '../printable.js';
import { appendText, isSameText, readTextFile, replaceText } from '../text-file.js';
import { type Addition, environmentFor, ignoring } from './environment-file.js';
import { addCommand, packageManagerOf } from './package-manager.js';
import { setupOf } from './setup.js';
import { checkTargets } from './targets.js';
import { isTypeScript, type Project, type Wiring } from './wiring.js';

/** Parsed flags of `sallyport init`. */
export interface InitFlags {
  readonly framework?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-install`. */
  readonly install?: boolean;
}

/** The result for one file. */
type Outcome = 'written' | 'unchanged' | 'skipped';

/** Set up sign-in for the project in this folder. Returns exit code 1 if the user has to finish a step. */
export async function runInit(flags: InitFlags): Promise<number> {
  const project = currentProject(flags);
  const { folder, framework, manifest } = project;
  const { name, exec } = packageManagerOf(folder, manifest);
  const { files, command = `${name} run dev`, packages = [] } = setupOf(project);
  const environmentFile = framework.name === 'next' ? '.env.local' : '.env';
  const address = `http://localhost:${developmentPort(folder, manifest, framework)}`;
  const variables = await environmentFor(folder, environmentFile, `${address}/callback`);
  const { path: secretFile } = variables ?? { path: environmentFile };
  const additions = [variables, ignoring(folder, secretFile)].filter((addition) => addition !== undefined);
  const newFiles = files.filter(({ existingFile }) => existingFile === undefined);
  checkTargets(
    folder,
    [...newFiles, ...additions].map(({ path }) => path),
  );
  // Refuse files that are not UTF-8 before writing any.
  const paths = [...files.map(({ path, existingFile = path }) => existingFile), ...additions.map(({ path }) => path)];
  for (const path of paths) textBefore(folder, path);
  print(
    `\nSetting up sign-in for ${pc.bold(framework.title)}.${flags.dryRun ? ' This is a dry run: nothing is written.' : ''}\n`,
  );

  const skipped: Wiring[] = [];
  for (const file of files) {
    const outcome = await writeFile(folder, file, flags);
    if (outcome === 'skipped') skipped.push(file);
    report(outcome, file.existingFile ?? file.path, flags);
  }
  for (const addition of additions) add(folder, addition, flags);
  if (secretFile !== environmentFile)
    print(
      `\n${pc.yellow(`git tracks ${environmentFile}, so secrets in it would be part of your next commit.`)} init uses ${secretFile} instead, which sallyport dev also reads.`,
    );
  const missing = await install(project, packages, flags);

  for (const file of skipped) print(skippedText(file));
  const commands = [...missing, `${exec} sallyport dev -- ${command}`];
  print(`\nNext steps:\n\n${commands.map((line) => `  ${pc.bold(printable(line))}\n`).join('')}`);
  print(`Then open ${pc.cyan(`${address}/account`)} and sign in as the user that sallyport dev prints.`);
  print('The routes /sign-in, /callback and /sign-out are ready. Sign users out with a form that has method="post".\n');
  if (isTypeScript(project))
    print(
      `To have TypeScript check your roles and permissions, declare them in a .ts file:\n\n${indented(declaration)}`,
    );
  return skipped.length > 0 || (missing.length > 0 && flags.install !== false && !flags.dryRun) ? 1 : 0;
}

/** Sample declaration of roles and permissions. With the import, it extends the types of the package and does not replace them. */
const declaration = `import 'sallyport';

declare module 'sallyport' {
  interface SallyportTypes {
    roles: 'admin' | 'member';
    permissions: 'reports:read' | 'reports:write';
  }
}
`;

/** Detect the project in this folder. @throws {CommandError} It has no package.json, or its framework is unknown. */
function currentProject({ framework: name }: InitFlags): Project {
  const folder = process.cwd();
  const manifest = manifestIn(folder);
  if (!manifest) throw new CommandError('This folder has no package.json. Run init in the folder of your application.');
  const framework = name === undefined ? frameworkOf(manifest) : frameworks.find((one) => one.name === name);
  if (framework) return { folder, manifest, framework };
  const names = frameworks.map((one) => one.name).join(', ');
  throw new CommandError(
    name === undefined
      ? `package.json does not list a framework that init supports. It supports ${names}. For others, see docs/frameworks/README.md in the package.`
      : `--framework must be one of ${names}, not ${JSON.stringify(name)}.`,
  );
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const report = (outcome: Outcome, path: string, { dryRun }: InitFlags): void => {
  const labels = { written: dryRun ? 'to write' : 'wrote', unchanged: 'unchanged', skipped: 'skipped' };
  const colour = { written: pc.green, unchanged: pc.dim, skipped: pc.yellow }[outcome];
  print(`  ${colour(labels[outcome].padEnd(9))} ${printable(path)}`);
};

/** Read a file of the project. Returns undefined if it does not exist. @throws {CommandError} It is not UTF-8. */
const textBefore = (folder: string, path: string): string | undefined =>
  existsSync(join(folder, path)) ? readTextFile(join(folder, path), path) : undefined;

/** Write a file. Asks before it replaces an existing file. */
async function writeFile(
  folder: string,
  { path, text, existingFile, donePattern = /\bsallyport\b/ }: Wiring,
  flags: InitFlags,
): Promise<Outcome> {
  const file = join(folder, path);
  const before = textBefore(folder, existingFile ?? path);
  if (before !== undefined && isSameText(before, text)) return 'unchanged';
  if (existingFile) return donePattern.test(before ?? '') ? 'unchanged' : 'skipped';
  if (before !== undefined && !flags.force && !(await mayReplace(path, flags))) return 'skipped';
  if (!flags.dryRun) {
    mkdirSync(dirname(file), { recursive: true });
    replaceText(file, before ?? '', text);
  }
  return 'written';
}

/** Ask whether to replace a file. Returns false without a terminal. */
async function mayReplace(path: string, { dryRun }: InitFlags): Promise<boolean> {
  if (dryRun || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`  ${path} already exists. Replace it? [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

function add(folder: string, { path, text, summary, hasSecret }: Addition, { dryRun }: InitFlags): void {
  const file = join(folder, path);
  const needsChmod = hasSecret && isOwnedAndShared(file);
  if (!dryRun) {
    if (needsChmod) chmodSync(file, 0o600);
    appendText(file, textBefore(folder, path) ?? '', text, hasSecret ? 0o600 : undefined);
  }
  const line = (word: string, what: string): void => print(`  ${pc.green(word.padEnd(9))} ${path} ${pc.dim(what)}`);
  line(dryRun ? 'to add' : 'added', summary);
  if (needsChmod) line(dryRun ? 'to chmod' : 'chmod', '600, so that only you can read it');
}

/** Check whether other users can access a file that the current user owns. Always false on Windows, which has no file modes. */
function isOwnedAndShared(file: string): boolean {
  if (!existsSync(file)) return false;
  const { mode, uid } = statSync(file);
  return uid === process.getuid?.() && (mode & 0o077) !== 0;
}

/** Install missing packages. Returns the commands that the user still has to run. */
async function install(
  { folder, manifest }: Project,
  others: readonly string[],
  flags: InitFlags,
): Promise<readonly string[]> {
  const packages = rangeOf(manifest, 'sallyport') === undefined ? [`sallyport@^${version}`, ...others] : others;
  if (packages.length === 0) return [];
  const command = `${addCommand(folder, manifest)} ${packages.join(' ')}`;
  if (flags.dryRun || flags.install === false) return [command];
  print(`\n  ${pc.bold(command)}\n`);
  const [program = '', ...values] = command.split(' ');
  const child = spawn(program, values, {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const code = await once(child, 'exit').then(
    ([status]) => status as number | null,
    () => null,
  );
  return code === 0 ? [] : [command];
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '    ');

const skippedText = ({ path, text, existingFile, instruction }: Wiring): string =>
  existingFile
    ? `\n${pc.yellow(`${printable(existingFile)} already exists and was not changed.`)} ${instruction ?? ''}\n\n${indented(text)}`
    : `\n${pc.yellow(`${path} already exists and was not changed.`)} Run init with --force to replace it.`;
