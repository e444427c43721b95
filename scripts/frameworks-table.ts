// Writes the table of tested frameworks in docs/frameworks/README.md. Run by `npm run docs`; a test checks that it is up to date.
import { readFileSync } from 'node:fs';
import { type Framework, frameworks } from '../test/frameworks/frameworks.js';

const root = new URL('../', import.meta.url);

const _page = 'docs/frameworks/README.md';

const heading = '| Framework | Tested | Runs on | Suite | What it uses | Lines |\n|---|---|---|---|---|---|\n';
const suites: Readonly<Record<Framework['suite'], string>> = {
  full: 'full',
  short: 'short',
  'single-page': 'single page',
};

/** Read a file of this project. */
export const readText = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/**
 * Count the lines that integrate the package into an application, without blank lines. In a `.d.ts` file, count only lines that
 * mention the package.
 */
export const linesOf = ({ folder, glue = [] }: Framework): number =>
  glue.flatMap((file) => {
    const lines = readText(`examples/frameworks/${folder}/${file}`).split('\n');
    return lines.filter((line) => (file.endsWith('.d.ts') ? line.includes('sallyport') : line.trim() !== ''));
  }).length;

function rowOf(framework: Framework): string {
  const { name, folder, installed = folder, package: dependency, runtime, programs = [], suite, glue } = framework;
  const { dependencies, devDependencies } = JSON.parse(readText(`test/frameworks/installed/${installed}/package.json`));
  const version = { ...devDependencies, ...dependencies }[dependency];
  const runsOn = programs.length > 0 ? programs.join(', ') : `Node ${runtime.slice(4)}`;
  const uses = `\`sallyport/${glue ? 'session' : folder}\``;
  const cells = [`\`${dependency}\` ${version}`, runsOn, suites[suite], uses, glue ? linesOf(framework) : ''];
  return `| [${name}](${folder}.md) | ${cells.join(' | ')} |\n`;
}

/** Replace the table in the page. */
export const withTable = (text: string): string =>
  text.replace(/^\| Framework \| Tested .*\n(?:\|.*\n)*/m, () =>
    [heading, ...Object.values<Framework>(frameworks).map(rowOf)].join('').replaceAll('|  |', '| |'),
  );
