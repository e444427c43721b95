// Builds the pages of the reference and their index.
import { readPublished } from './declarations.js';
import { headingsOf, pageText } from './markdown.js';
import { type Page, pagesOf } from './pages.js';

/** Build the pages of the reference by file name, from the texts of the published types. */
export function reference(files: ReadonlyMap<string, string>): Map<string, string> {
  const published = readPublished(files);
  const pages = pagesOf(published);
  const places = new Map<string, string>();
  for (const page of pages) {
    const timesSeen = new Map<string, number>();
    for (const { heading, id } of headingsOf(page, published)) {
      const anchor = heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      const seen = timesSeen.get(anchor) ?? 0;
      timesSeen.set(anchor, seen + 1);
      places.set(id, `${page.file}.md#${anchor}${seen > 0 ? `-${seen}` : ''}`);
    }
  }
  const texts = new Map(pages.map((page) => [`${page.file}.md`, written + pageText(page, published, places)]));
  texts.set('README.md', written + listOf(pages));
  return texts;
}

const written = '<!-- Written by `npm run docs` from the published types. Do not edit by hand. -->\n\n';

const listOf = (pages: readonly Page[]): string =>
  [
    '# Reference',
    '',
    'Every method, type, error, option, control and seed field of the package, generated from its types.',
    '',
    '| Page | |',
    '|---|---|',
    ...pages.map(({ file, title, about }) => `| [${title}](${file}.md) | ${about.replace(/\s*\n\s*/g, ' ')} |`),
    '',
  ].join('\n');
