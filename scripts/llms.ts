// Writes llms.txt: an index of all pages for coding agents, with the heading and the first sentence of each page. Run by `npm run docs`;
// a test checks that it is up to date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The pages to read first, in this order. The others follow by name. */
const first = ['docs/README.md', 'docs/for-agents.md', 'docs/start.md', 'docs/tour.md'];

/** The parts of the index: a heading, and the pages below it. */
const parts: readonly (readonly [heading: string, pages: () => readonly string[]])[] = [
  ['Documents', () => pagesIn('docs')],
  ['Guides', () => pagesIn('docs/guides')],
  ['Reference', () => pagesIn('docs/reference')],
  ['Project', () => ['README.md', 'CHANGELOG.md', 'SECURITY.md']],
];

const pagesIn = (folder: string): string[] => {
  if (!existsSync(folder)) return [];
  const place = (page: string): number => (first.includes(page) ? first.indexOf(page) : first.length);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort((one, other) => place(one) - place(other) || one.localeCompare(other, 'en'));
};

const withoutLinks = (text: string): string => text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');

/** Get the heading of a page. */
export const headingOf = (page: string): string => /^# (.+)$/m.exec(page)?.[1] ?? '';

/** Get the first sentence of a page before its second heading. It is empty if that part has only code, tables or lists. */
export function firstSentenceOf(page: string): string {
  const [, start = ''] = page.replace(/^```[\s\S]*?^```$/gm, '').split(/^# .+$/m);
  const [beginning = ''] = start.split(/^## /m);
  const paragraph = beginning.split(/\n\s*\n/).find((text) => /^[A-Za-z0-9`*[]/.test(text.trim())) ?? '';
  const plain = withoutLinks(paragraph).replaceAll('**', '').replace(/\s+/g, ' ').trim();
  const sentence = /^.+?[.!?](?= [A-Z`]|$)/.exec(plain)?.[0] ?? plain;
  return sentence.replace(/:$/, '.');
}

/** Get the text that the table of an overview has for a page, such as `docs/reference/README.md` for the pages of its folder. */
export function rowOf(overview: string, name: string): string {
  const row = overview.split('\n').find((line) => line.startsWith('| [') && line.includes(`](${name}) |`));
  return row?.split(' | ').at(-1)?.replace(/ \|$/, '').trim() ?? '';
}

/** Build the index. */
export function llmsIndex(read = (file: string): string => readFileSync(file, 'utf8')): string {
  const lineOf = (file: string): string => {
    const page = read(file);
    const [name = '', ...folders] = file.split('/').reverse();
    const overview = join(...folders.reverse(), 'README.md');
    const text = firstSentenceOf(page) || (existsSync(overview) ? rowOf(read(overview), name) : '');
    return `- [${headingOf(page)}](${file})${text ? `: ${text}` : ''}`;
  };
  const readme = read('README.md');
  return [
    `# ${headingOf(readme)}`,
    '',
    `> ${firstSentenceOf(readme)}`,
    '',
    'The paths below are relative to this file. In a project, it is `node_modules/sallyport/llms.txt`.',
    ...parts.flatMap(([heading, pages]) => {
      const lines = pages().map(lineOf);
      return lines.length > 0 ? ['', `## ${heading}`, '', ...lines] : [];
    }),
    '',
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync('llms.txt', llmsIndex());
