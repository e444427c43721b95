// Which page of the reference a declaration is on: that of the part of the package it belongs to.
import ts from 'typescript';
import { type Published, remarksOf } from './declarations.js';

/** A page of the reference. */
export interface Page {
  /** Its file, without the ending. */
  readonly file: string;
  readonly title: string;
  /** What it is about, for the list of pages. */
  readonly about: string;
  /** What it begins with, by home and name. */
  readonly roots: readonly string[];
  /** Everything on it, the roots first. */
  readonly declarations: readonly string[];
}

/** Values of `sallyport` that belong to a part of the client. */
const partOfValue: Readonly<Record<string, string>> = {
  HOSTED_LOGIN: 'userManagement',
  eventNames: 'events',
  webhookEventNames: 'events',
  isEvent: 'events',
  isAuthorized: 'fga',
  isDirectoryActive: 'directorySync',
};

/** What every call takes and gives. */
const ofEveryCall = ['RequestOptions', 'ListParams', 'Call', 'WithResponse', 'ResponseInfo', 'PagePromise', 'Page'];

/** Entries with a page of their own. */
const entryPages: Readonly<Record<string, string>> = {
  session: 'Who is signed in, by a sealed cookie',
  browser: 'Signing in without a server',
  react: 'Sessions in React: a provider, hooks and links',
  webhooks: 'Checking and signing webhooks',
  streams: 'Following events, and applying each once',
  stores: 'What many replicas share: memory, Redis, PostgreSQL',
  express: 'Sessions as middleware of Express',
  fastify: 'Sessions as a plugin of Fastify',
  hono: 'Sessions as middleware of Hono',
  next: 'Sessions in an application on Next',
  emulator: 'The service in your process: options, controls, seeds',
  testing: 'A world for each test, and sessions without a browser',
};

/** All pages, each with what belongs on it. */
export function pagesOf(published: Published): Page[] {
  const main = published.entries.get('index')!;
  const client = main.get('Sallyport')!;
  const parts = fieldTypesOf(client, published);
  const errors = ['index', ...Object.keys(entryPages)].flatMap((entry) =>
    [...published.entries.get(entry)!.values()].filter(
      (id) => /Error$|^emulator\.Refusal$/.test(id) && isClass(id, published),
    ),
  );
  const drafts: Draft[] = [
    {
      file: 'client',
      title: 'The client',
      about: '`new Sallyport(...)`, its options, and what every call takes and gives',
      roots: [client, main.get('SallyportOptions')!, ...ofEveryCall.map((name) => main.get(name)!)],
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
      // What `sallyport` exports too is where the client uses it.
      roots: [...published.entries.get(entry)!]
        .flatMap(([name, id]) => (main.get(name) === id ? [] : id))
        .sort((one, other) => Number(isValue(other, published)) - Number(isValue(one, published))),
    })),
    {
      file: 'errors',
      title: 'Errors',
      about: 'Every class of error, its code and its fields',
      roots: [main.get('isSallyportError')!, ...errors],
    },
    {
      file: 'further',
      title: 'Everything else',
      about: 'What `sallyport` exports besides: rules for redirect URIs, dialects, bodies of requests by their types',
      roots: [...main.values()],
    },
  ];
  return assigned(drafts, published);
}

type Draft = Omit<Page, 'declarations'>;

/** Each declaration goes to the page that begins with it, or else to the first that leads to it; what is left to the last page. */
function assigned(drafts: readonly Draft[], published: Published): Page[] {
  const taken = new Set<string>();
  const take = (ids: readonly string[]): string[] => {
    const free = [...new Set(ids)].filter((id) => !taken.has(id) && isForReaders(id, published));
    for (const id of free) taken.add(id);
    return free;
  };
  const last = drafts.at(-1)!;
  // Errors are on the page of errors, whichever entry exports them.
  const begun = [...drafts.slice(0, -1)].sort(
    (one, other) => Number(other.file === 'errors') - Number(one.file === 'errors'),
  );
  const own = new Map(begun.map(({ file, roots }) => [file, take(roots)]));
  for (const { file } of drafts.slice(0, -1)) {
    const found = own.get(file)!;
    // A list that grows while it is walked hands out what was added, too.
    for (const id of found) found.push(...take(usesOf(id, published)));
  }
  own.set(last.file, take(last.roots));
  return drafts.map((draft) => ({ ...draft, declarations: own.get(draft.file)! }));
}

/** Whether there is something to read: a symbol that marks a type is a name alone. */
const isForReaders = (id: string, { declarations }: Published): boolean =>
  declarations.get(id)?.nodes.every((node) => !/: unique symbol$/.test(node.getText())) ?? false;

/** What the text of a declaration names, in its order. */
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

/** Whether an identifier names a member or parameter, rather than a type. */
const isOwnName = (node: ts.Identifier): boolean => (node.parent as ts.NamedDeclaration).name === node;

/** The fields of a declaration that are of a type of ours: `organizations`, of `client.Organizations`. */
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

/** Whether it is a function or constant, with which a reader begins. */
const isValue = (id: string, { declarations }: Published): boolean =>
  declarations.get(id)?.nodes.some((node) => ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) ?? false;

const isClass = (id: string, { declarations }: Published): boolean =>
  declarations.get(id)?.nodes.some(ts.isClassDeclaration) ?? false;

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
