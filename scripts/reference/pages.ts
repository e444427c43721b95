// Assigns each declaration to a page of the reference.
import ts from 'typescript';
import { type Published, remarksOf } from './declarations.js';

/** A page of the reference. */
export interface Page {
  /** Its file name without the extension. */
  readonly file: string;
  readonly title: string;
  /** Its description in the list of pages. */
  readonly about: string;
  /** The declarations that it starts with, by file and name. */
  readonly roots: readonly string[];
  /** All its declarations, the roots first. */
  readonly declarations: readonly string[];
}

/** Functions and constants of `sallyport` that belong to a part of the client. */
const partOfValue: Readonly<Record<string, string>> = {
  HOSTED_LOGIN: 'userManagement',
  eventNames: 'events',
  webhookEventNames: 'events',
  isEvent: 'events',
  isAuthorized: 'fga',
  isDirectoryActive: 'directorySync',
};

/** Types that every call uses. */
const callTypes = ['RequestOptions', 'ListParams', 'Call', 'WithResponse', 'ResponseInfo', 'PagePromise', 'Page'];

/** Descriptions of the entries that have their own page. */
const entryPages: Readonly<Record<string, string>> = {
  session: 'Sessions in a sealed cookie',
  browser: 'Sign-in without a server',
  react: 'Sessions in React: a provider, hooks and links',
  webhooks: 'Verify and sign webhooks',
  streams: 'Follow events and apply each once',
  mirror: 'Keep a copy in your database',
  stores: 'Shared state for replicas: memory, Redis, PostgreSQL',
  express: 'Sessions as Express middleware',
  fastify: 'Sessions as a Fastify plugin',
  hono: 'Sessions as Hono middleware',
  next: 'Sessions in a Next application',
  emulator: 'The emulator: options, controls, seeds',
  testing: 'Isolated worlds for tests, and sessions without a browser',
};

/** List all pages with their declarations. */
export function pagesOf(published: Published): Page[] {
  const main = published.entries.get('index')!;
  const client = main.get('Sallyport')!;
  const parts = fieldTypesOf(client, published);
  const errors = ['index', ...Object.keys(entryPages)].flatMap((entry) =>
    [...published.entries.get(entry)!.values()].filter(
      (id) => /Error$|^emulator\.EmulatorRefusal$/.test(id) && isClass(id, published),
    ),
  );
  const drafts: Draft[] = [
    {
      file: 'client',
      title: 'The client',
      about: '`new Sallyport(...)`, its options, and the types that every call uses',
      roots: [client, main.get('SallyportOptions')!, ...callTypes.map((name) => main.get(name)!)],
    },
    ...[...parts].map(([part, { id, about }]) => ({
      file: kebab(part),
      title: `sallyport.${part}`,
      about,
      roots: [id, ...Object.keys(partOfValue).flatMap((name) => (partOfValue[name] === part ? main.get(name)! : []))],
    })),
    ...Object.entries(entryPages).map(([entry, about]) => ({
      file: `entry-${entry}`,
      title: `sallyport/${entry}`,
      about,
      // Exports that `sallyport` also has are on the pages of the client.
      roots: [...published.entries.get(entry)!]
        .flatMap(([name, id]) => (main.get(name) === id ? [] : id))
        .sort((one, other) => Number(isValue(other, published)) - Number(isValue(one, published))),
    })),
    {
      file: 'errors',
      title: 'Errors',
      about: 'All error classes with their codes and fields',
      roots: [main.get('isSallyportError')!, ...errors],
    },
    {
      file: 'further',
      title: 'Everything else',
      about: 'Other exports of `sallyport`: rules for redirect URIs, dialects, types of request bodies',
      roots: [...main.values()],
    },
  ];
  return assigned(drafts, published);
}

type Draft = Omit<Page, 'declarations'>;

/**
 * Assign each declaration to the page that starts with it, or else to the first page that uses it. The rest go to the last page.
 */
function assigned(drafts: readonly Draft[], published: Published): Page[] {
  const taken = new Set<string>();
  const take = (ids: readonly string[]): string[] => {
    const free = [...new Set(ids)].filter((id) => !taken.has(id) && isForReaders(id, published));
    for (const id of free) taken.add(id);
    return free;
  };
  const last = drafts.at(-1)!;
  // Assign the errors first, so that all of them are on the errors page.
  const byPriority = [...drafts.slice(0, -1)].sort(
    (one, other) => Number(other.file === 'errors') - Number(one.file === 'errors'),
  );
  const declarations = new Map(byPriority.map(({ file, roots }) => [file, take(roots)]));
  for (const { file } of drafts.slice(0, -1)) {
    const found = declarations.get(file)!;
    // Iterating over a list also visits items that are added during the iteration.
    for (const id of found) found.push(...take(usesOf(id, published)));
  }
  declarations.set(last.file, take(last.roots));
  return drafts.map((draft) => ({ ...draft, declarations: declarations.get(draft.file)! }));
}

/** Check whether a declaration is worth documenting. Symbols that only mark a type are not. */
const isForReaders = (id: string, { declarations }: Published): boolean =>
  declarations.get(id)?.nodes.every((node) => !/: unique symbol$/.test(node.getText())) ?? false;

/** List the declarations used in the text of a declaration, in order. */
function usesOf(id: string, { declarations }: Published): string[] {
  const declaration = declarations.get(id);
  const uses: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !isOwnName(node)) {
      const used = declaration?.names.get(node.text);
      if (used && used !== id) uses.push(used);
    }
    ts.forEachChild(node, visit);
  };
  for (const node of declaration?.nodes ?? []) visit(node);
  return uses;
}

/** Check whether an identifier is the name of a member or parameter, not a type. */
const isOwnName = (node: ts.Identifier): boolean => (node.parent as ts.NamedDeclaration).name === node;

/** Find the fields of a declaration whose type is ours: `organizations` of type `client.Organizations`. */
function fieldTypesOf(
  id: string,
  { declarations }: Published,
): Map<string, { readonly id: string; readonly about: string }> {
  const { nodes, names } = declarations.get(id)!;
  const fields = new Map<string, { readonly id: string; readonly about: string }>();
  for (const member of nodes.filter(ts.isClassDeclaration).flatMap(({ members }) => [...members]))
    if (ts.isPropertyDeclaration(member) && member.type && names.has(member.type.getText()))
      fields.set(member.name.getText(), { id: names.get(member.type.getText())!, about: remarksOf(member).text });
  return fields;
}

/** Check whether a declaration is a function or constant. Pages start with these. */
const isValue = (id: string, { declarations }: Published): boolean =>
  declarations.get(id)?.nodes.some((node) => ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) ?? false;

const isClass = (id: string, { declarations }: Published): boolean =>
  declarations.get(id)?.nodes.some(ts.isClassDeclaration) ?? false;

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
