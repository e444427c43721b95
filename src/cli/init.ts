import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { version } from '../version.js';
import { pc } from './colours.js';
import { type Addition, appended, environmentFor, ignoring } from './environment-file.js';
import { frameworkOf, frameworks, manifestIn, rangeOf } from './frameworks.js';
import { packageManagerOf } from './package-manager.js';
import { printable } from './printable.js';
import { Refusal } from './refusal.js';
import { setupOf } from './setup.js';
import { checkTargets } from './targets.js';
import { isTypeScript, type Project, type Wiring } from './wiring.js';

/** The flags of `sallyport init` as the parser gives them. */
export interface InitFlags {
  readonly framework?: string | number;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-install`. */
  readonly install?: boolean;
}

/** What became of a file. */
type Outcome = 'written' | 'unchanged' | 'left';

/** Set up sign-in for the project in this folder. Resolves with 1 if something is left for the user to do. */
export async function runInit(flags: InitFlags): Promise<number> {
  const project = projectHere(flags);
  const { folder, framework } = project;
  const { files, command, packages = [] } = setupOf(project);
  const environmentFile = framework.name === 'next' ? '.env.local' : '.env';
  const address = `http://localhost:${framework.port}`;
  const additions = [
    await environmentFor(folder, environmentFile, `${address}/callback`),
    ignoring(folder, environmentFile),
  ].filter((addition) => addition !== undefined);
  const ownFiles = files.filter(({ inPlaceOf }) => inPlaceOf === undefined);
  checkTargets(
    folder,
    [...ownFiles, ...additions].map(({ path }) => path),
  );
  say(
    `\nThis is an application on ${pc.bold(framework.title)}.${flags.dryRun ? ' Nothing is written; this is what would be.' : ''}\n`,
  );

  const left: Wiring[] = [];
  for (const file of files) {
    const outcome = await place(folder, file, flags);
    if (outcome === 'left') left.push(file);
    report(outcome, file.inPlaceOf ?? file.path, flags);
  }
  for (const addition of additions) add(folder, addition, flags);
  const missing = await install(project, packages, flags);

  for (const file of left) say(leftText(file));
  const commands = [...missing, `npx sallyport dev -- ${command}`];
  say(`\nWhat comes next:\n\n${commands.map((line) => `  ${pc.bold(printable(line))}\n`).join('')}`);
  say(`Then open ${pc.cyan(`${address}/account`)} and sign in as the person that it prints.`);
  say('/sign-in and /callback are answered already, and /sign-out for forms with method post.\n');
  if (isTypeScript(project))
    say(`For the compiler to know your roles and permissions, declare them in a .ts file:\n\n${indented(declaration)}`);
  return left.length > 0 || (missing.length > 0 && flags.install !== false && !flags.dryRun) ? 1 : 0;
}

/** The names of an application as it declares them. The import makes the declaration add to the package's types. */
const declaration = `import 'sallyport';

declare module 'sallyport' {
  interface SallyportTypes {
    roles: 'admin' | 'member';
    permissions: 'reports:read' | 'reports:write';
  }
}
`;

/** The project in this folder. @throws {Refusal} There is none, or nothing says with which framework. */
function projectHere({ framework: name }: InitFlags): Project {
  const folder = process.cwd();
  const manifest = manifestIn(folder);
  if (!manifest)
    throw new Refusal('There is no package.json in this folder. Run init in the folder of your application.');
  const framework = name === undefined ? frameworkOf(manifest) : frameworks.find((one) => one.name === name);
  if (framework) return { folder, manifest, framework };
  const names = frameworks.map((one) => one.name).join(', ');
  throw new Refusal(
    name === undefined
      ? `No framework that init knows is in package.json. It knows ${names}; docs/frameworks.md of the package says what to do elsewhere.`
      : `--framework must be one of ${names}, not ${JSON.stringify(name)}.`,
  );
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const report = (outcome: Outcome, path: string, { dryRun }: InitFlags): void => {
  const words = { written: dryRun ? 'to write' : 'wrote', unchanged: 'unchanged', left: 'left' };
  const colour = { written: pc.green, unchanged: pc.dim, left: pc.yellow }[outcome];
  say(`  ${colour(words[outcome].padEnd(9))} ${printable(path)}`);
};

/** Puts a file where it belongs, unless that is somebody else's place. */
async function place(
  folder: string,
  { path, text, inPlaceOf, done = /\bsallyport\b/ }: Wiring,
  flags: InitFlags,
): Promise<Outcome> {
  const file = join(folder, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (before === text) return 'unchanged';
  if (inPlaceOf) return done.test(readFileSync(join(folder, inPlaceOf), 'utf8')) ? 'unchanged' : 'left';
  if (before !== undefined && !flags.force && !(await mayReplace(path, flags))) return 'left';
  if (!flags.dryRun) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return 'written';
}

/** Asks whether a file may be replaced; where nobody can answer it may not. */
async function mayReplace(path: string, { dryRun }: InitFlags): Promise<boolean> {
  if (dryRun || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`  ${path} is there already. Replace it? [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

function add(folder: string, { path, text, shown, hasSecret }: Addition, { dryRun }: InitFlags): void {
  const file = join(folder, path);
  const isToClose = hasSecret && isOursAndOpen(file);
  if (!dryRun) {
    if (isToClose) chmodSync(file, 0o600);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    writeFileSync(file, appended(before, text), hasSecret ? { mode: 0o600 } : {});
  }
  const line = (word: string, what: string): void => say(`  ${pc.green(word.padEnd(9))} ${path} ${pc.dim(what)}`);
  line(dryRun ? 'to add' : 'added', shown);
  if (isToClose) line(dryRun ? 'to chmod' : 'chmod', '600, so that only you can read it');
}

/** Whether other users can read or write a file of the current user. Always false on Windows, where modes mean nothing. */
function isOursAndOpen(file: string): boolean {
  if (!existsSync(file)) return false;
  const { mode, uid } = statSync(file);
  return uid === process.getuid?.() && (mode & 0o077) !== 0;
}

/** Installs this package, and others, where the project has it not. Gives the commands that are left to the user. */
async function install(
  { folder, manifest }: Project,
  others: readonly string[],
  flags: InitFlags,
): Promise<readonly string[]> {
  const packages = rangeOf(manifest, 'sallyport') === undefined ? [`sallyport@^${version}`, ...others] : others;
  if (packages.length === 0) return [];
  const { name, verb } = packageManagerOf(folder, manifest);
  const words = [name, verb, ...packages];
  if (flags.dryRun || flags.install === false) return [words.join(' ')];
  say(`\n  ${pc.bold(words.join(' '))}\n`);
  const child = spawn(words[0]!, words.slice(1), {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const code = await once(child, 'exit').then(
    ([status]) => status as number | null,
    () => null,
  );
  return code === 0 ? [] : [words.join(' ')];
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '    ');

const leftText = ({ path, text, inPlaceOf, toAdd }: Wiring): string =>
  inPlaceOf
    ? `\n${pc.yellow(`${printable(inPlaceOf)} is yours and stays as it is.`)} ${toAdd ?? ''}\n\n${indented(text)}`
    : `\n${pc.yellow(`${path} is there already and stays as it is.`)} Run init with --force to replace it.`;
