// Builds the pages of the reference and their index.
import ts from 'typescript';
import { controlsPage, type DocumentedControl, documentedControls } from '../controls-page.js';
import { partsOf } from './calls.js';
import { basesOf, type Declaration, membersOf, type Published, readPublished } from './declarations.js';
import { headingsOf, pageText } from './markdown.js';
import { type Page, pagesOf } from './pages.js';

/** Build the pages of the reference by file name, from the texts of the published types. */
export function reference(files: ReadonlyMap<string, string>): Map<string, string> {
  const controls = documentedControls();
  const published = annotated(readPublished(files), controls);
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
  texts.set(
    'controls.md',
    controlsPage(controls, (call) => {
      const names = new Set(call.match(/\b[A-Z]\w*\b/g));
      return [...names].flatMap((name) => {
        const id =
          published.entries.get('emulator')!.get(name) ?? [...places.keys()].find((one) => one.endsWith(`.${name}`));
        const place = id && places.get(id);
        return place ? [`[\`${name}\`](${place})`] : [];
      });
    }),
  );
  return texts;
}

/** Types whose methods, and those of their bases and fields, are controls. */
const withControls = ['emulator.Emulator', 'emulator.RemoteControls', 'testing.TestWorld'];

/** Methods that have the name of a control but return something else. */
const otherMethods = ['testing.TestWorld#signInAs'];

/** Add which methods are controls, and which declarations are parts of the client. */
function annotated(published: Published, controls: readonly DocumentedControl[]): Published {
  const parts = partsOf(published);
  // In process, worlds are objects with other methods.
  const anchors = new Map(
    controls.filter(({ isOverHttpOnly }) => !isOverHttpOnly).map(({ named, anchor }) => [named.name, anchor]),
  );
  const places = new Map<string, Map<string, string>>();
  const visit = (id: string, prefix: string): void => {
    const declaration = published.declarations.get(id);
    if (!declaration || ![...anchors.keys()].some((name) => name.startsWith(prefix))) return;
    const found = places.get(id) ?? new Map<string, string>();
    places.set(id, found);
    for (const member of membersOf(declaration)) {
      const name = member.name?.getText() ?? '';
      const anchor = anchors.get(prefix + name);
      if (anchor && !otherMethods.includes(`${id}#${name}`)) found.set(name, `controls.md#${anchor}`);
      if (ts.isPropertySignature(member))
        visit(declaration.names.get(member.type?.getText() ?? '') ?? '', `${prefix}${name}.`);
    }
    for (const base of basesOf(declaration)) visit(declaration.names.get(base.expression.getText()) ?? '', prefix);
  };
  for (const id of withControls) visit(id, '');
  const declarations = [...published.declarations].map(([id, declaration]): [string, Declaration] => [
    id,
    { ...declaration, controls: places.get(id), part: parts.get(id) },
  ]);
  return { ...published, declarations: new Map(declarations) };
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
    '| [Controls of the emulator](controls.md) | Every control, in process and over HTTP |',
    ...pages.map(({ file, title, about }) => `| [${title}](${file}.md) | ${about.replace(/\s*\n\s*/g, ' ')} |`),
    '',
  ].join('\n');
