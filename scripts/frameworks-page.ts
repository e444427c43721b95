// Copies code from the examples into docs/webhooks.md and the pages of docs/frameworks. Run by `npm run docs`; a test checks that they
// are up to date.
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const root = new URL('../', import.meta.url);

/** The pages that contain code from the examples. */
export const pagesWithCode: readonly string[] = [
  'docs/webhooks.md',
  ...readdirSync(new URL('docs/frameworks', root)).map((name) => `docs/frameworks/${name}`),
];

/** A link to a file or to some of its lines (`#L1-L20`), followed by a code block. */
const blocks = /^(.*\]\(((?:\.\.\/)+examples\/[^)#]+)(?:#L(\d+)-L(\d+))?\).*\n\n)```\w*\n[\s\S]*?^```$/gm;

/**
 * Replace every code block of the page with code from the file that the line above it links to.
 *
 * @param read Reads a file by its path relative to the page.
 */
export const frameworksPage = (text: string, read: (path: string) => string): string =>
  text.replace(blocks, (_, line: string, path: string, first = '1', last?: string) => {
    const lines = read(path).trimEnd().split('\n');
    const code = flushLeft(lines.slice(Number(first) - 1, last === undefined ? undefined : Number(last)));
    return `${line}\`\`\`${extname(path).slice(1)}\n${code}\n\`\`\``;
  });

/** Join lines without the indentation that all of them have. */
function flushLeft(lines: readonly string[]): string {
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n');
}

/** Create a function that reads a file by its path relative to a page. */
export const readFrom =
  (page: string) =>
  (path: string): string =>
    readFileSync(new URL(path, new URL(page, root)), 'utf8');
