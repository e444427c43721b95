import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { read } from './markdown.js';

/** A block of code on a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: 'js' | 'jsx' | 'ts' | 'tsx';
  readonly code: string;
  /** The output of the code, as the page shows it. */
  readonly output: string | undefined;
}

function blocksOf(page: string, text: string): Block[] {
  const blocks = text.matchAll(/^```([jt]sx?)\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm);
  return [...blocks].map(({ index, 1: language, 2: code = '', 3: output }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language: language as Block['language'],
    code,
    output,
  }));
}

/** Remove the indentation, because pages move lines to the left. */
const flush = (code: string): string => `\n${code.replace(/^[ \t]+/gm, '').trim()}\n`;

/** The example programs that a page links to, with all files of linked folders. */
const examplesOf = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\(([^)#]*examples\/[^)#]+)/g)].flatMap(([, link = '']) => {
    const path = normalize(join(dirname(page), link));
    if (!existsSync(path)) return [];
    if (/\.\w+$/.test(path)) return [path];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((name) => /\.[jt]sx?$/.test(name) && !name.includes('node_modules'));
  });

/**
 * The blocks of a page that are not taken from a program in `examples`, which other tests compile and run. `// …` stands for lines
 * that are left out.
 */
export function ownBlocks(page: string, text: string): Block[] {
  const examples = examplesOf(page, text).map((file) => flush(read(file)));
  const isTaken = (piece: string): boolean => examples.some((example) => example.includes(flush(piece)));
  return blocksOf(page, text).filter(({ code }) => !code.split(/^\s*\/\/ …\s*$/m).every(isTaken));
}
