// Copies code from the examples into docs/frameworks.md and docs/webhooks.md. Run by `npm run docs`; a test checks that it is up
// to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The pages that contain code from the examples. */
export const pagesWithCode = ['frameworks.md', 'webhooks.md'] as const;

const docs = new URL('../docs/', import.meta.url);

/** A link to a file or to some of its lines (`#L1-L20`), followed by a code block. */
const blocks = /^(.*\]\((\.\.\/examples\/[^)#]+)(?:#L(\d+)-L(\d+))?\).*\n\n)```\w*\n[\s\S]*?^```$/gm;

/**
 * Replace every code block of the page with code from the file that the line above it links to.
 *
 * @param read Reads a file by its path relative to the page.
 */
export const frameworksPage = (text: string, read: (path: string) => string): string =>
  text.replace(blocks, (_, line: string, path: string, first = '1', last?: string) => {
    const lines = read(path).trimEnd().split('\n');
    const code = lines.slice(Number(first) - 1, last === undefined ? undefined : Number(last)).join('\n');
    return `${line}\`\`\`${extname(path).slice(1)}\n${code}\n\`\`\``;
  });

/** Read a file by its path relative to the page. */
export const readFromPage = (path: string): string => readFileSync(new URL(path, docs), 'utf8');

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const name of pagesWithCode)
    writeFileSync(new URL(name, docs), frameworksPage(readFromPage(name), readFromPage));
