import { posix } from 'node:path';
import { emulatorCrossings, homeless } from './emulator-floors.js';
import { type Import, importsOf, type SourceFile, targetOf } from './imports.js';

/** Who may import whom: a folder of `src`, a file at its root by its name, or one file of a folder by its path. */
export const floors: Readonly<Record<string, readonly string[]>> = {
  service: ['service'],
  errors: ['errors'],
  version: [],
  async: ['async', 'errors'],
  'redirect-uris': ['redirect-uris', 'http'],
  http: ['http', 'errors'],
  crypto: ['crypto', 'http', 'async', 'errors'],
  oauth: ['oauth', 'crypto', 'http', 'redirect-uris', 'async', 'errors', 'types of service'],
  transport: ['transport', 'service', 'http', 'async', 'errors', 'version', 'oauth/outcome', 'oauth/step'],
  webhooks: ['webhooks', 'crypto', 'http', 'async', 'errors', 'types of service', 'types of stores'],
  session: ['session', 'oauth', 'crypto', 'http', 'redirect-uris', 'async', 'errors', 'types of service'],
  browser: ['browser', 'oauth', 'crypto', 'http', 'redirect-uris', 'async', 'errors', 'types of service'],
  stores: ['stores', 'async', 'errors'],
  streams: [
    'streams',
    'stores',
    'webhooks',
    'crypto',
    'http',
    'async',
    'errors',
    'service/events/objects',
    'types of client',
    'types of service',
    'types of session',
  ],
  mirror: [
    'mirror',
    'streams',
    'stores',
    'http',
    'async',
    'errors',
    'service/rates/limited-requests',
    'service/rates/rate-limits',
    'types of client',
    'types of service',
    'types of transport',
  ],
  react: [
    'react',
    'oauth',
    'http',
    'async',
    'errors',
    'browser/server-session',
    'browser/server-tokens',
    'browser/session-state',
    'types of browser',
    'types of service',
  ],
  adapters: ['adapters', 'session', 'errors'],
  emulator: ['emulator', 'service', 'crypto', 'http', 'redirect-uris', 'async', 'errors', 'version'],
  client: [
    'client',
    'session',
    'webhooks',
    'oauth',
    'transport',
    'service',
    'crypto',
    'http',
    'async',
    'errors',
    'types of browser',
  ],
  testing: ['testing', 'emulator', 'session', 'crypto', 'stores', 'http', 'errors', 'types of service'],
  cli: [
    'cli',
    'emulator',
    'index',
    'session',
    'webhooks',
    'mirror',
    'streams',
    'http',
    'async',
    'errors',
    'version',
    'types of service',
  ],
  'any-error': [
    'errors',
    'types of transport',
    'types of webhooks',
    'types of browser',
    'types of mirror',
    'types of streams',
    'types of emulator',
  ],
  index: [
    'any-error',
    'client',
    'transport',
    'service',
    'webhooks',
    'crypto',
    'redirect-uris',
    'errors',
    'version',
    'types of http',
    'types of oauth',
    'types of session',
  ],
};

/**
 * The rooms of a folder from the ground up: a room imports itself and those before it. Rooms in one list do not import each
 * other. The files next to `index.ts` are the room `.`. If it is not listed, they are above all rooms, like `index.ts`, and a room
 * imports only the types in `types.ts` from them.
 */
export const rooms: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  streams: ['.', ['follow', 'once'], 'revocations'],
  session: ['request', 'cookie', 'read', 'refresh', 'handle', 'sign-in', 'guard'],
  transport: ['request', 'answer', 'sending', 'limits', 'lists'],
};

/** The packages that a folder may import; a folder that is not listed may import none. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  crypto: ['jose', 'iron-webcrypto'],
  transport: ['ky'],
  adapters: ['next'],
  emulator: [
    'hono',
    '@hono/node-server',
    'zod/mini',
    'yaml',
    'ajv',
    'csv-stringify',
    'otpauth',
    'qrcode',
    'bcryptjs',
    'tldts',
    'email-providers/all.json',
    'jose',
    '@noble/hashes',
    'ulid',
    'asn1js',
    'morphlex',
  ],
  cli: ['cac', 'picocolors'],
  react: ['react'],
};

/** The file with the parts of ky that are used. It is loaded by the first request. */
const kyFile = 'src/transport/sending/ky.ts';

/** Files and folders that may import Node's modules, besides the command line. */
export const nodeFiles: readonly string[] = [
  'src/emulator/chain/listen.ts',
  'src/emulator/chain/https.ts',
  'src/emulator/seed/file.ts',
  'src/emulator/seed/module.ts',
  'src/emulator/state/',
  'src/http/loopback-fetch.ts',
  'src/crypto/native/',
];

const longest = 400;
const fullest = 20;

const floorOf = (path: string): string => path.split('/')[1]!.replace(/\.ts$/, '');
const packageOf = (specifier: string): string | undefined =>
  /^(?:[.#]|node:)/.test(specifier) ? undefined : specifier;

/** Imports from a higher layer, or from a neighbor without permission. */
export function crossings(imports: readonly Import[]): string[] {
  return imports.flatMap((one) => {
    const target = targetOf(one);
    if (!target) return [];
    const allowed = floors[floorOf(one.from)];
    if (!allowed) return [`${one.from}: no floor is known for it`];
    const floor = floorOf(target);
    const file = target.replace(/^src\/|\.ts$/g, '');
    if (allowed.includes(floor) || allowed.includes(file)) return [];
    if (one.typeOnly && allowed.includes(`types of ${floor}`)) return [];
    return [`${one.from}: may not import ${target}`];
  });
}

const roomOf = (path: string): string => {
  const [, , room = '', file] = path.split('/');
  return file ? room : room === 'index.ts' ? room : '.';
};

/** Imports in a folder from a higher room, from a neighbor, or from a file above the rooms. */
export const roomCrossings = (imports: readonly Import[]): string[] =>
  imports.flatMap((one) => {
    const target = targetOf(one);
    const [, folder = ''] = one.from.split('/');
    const order = rooms[folder];
    if (!target || !order || !target.startsWith(`src/${folder}/`) || target === `src/${folder}/types.ts`) return [];
    const floorOfRoom = (room: string): number => order.findIndex((rooms) => [rooms].flat().includes(room));
    const [from, to] = [roomOf(one.from), roomOf(target)];
    const [fromFloor, toFloor] = [floorOfRoom(from), floorOfRoom(to)];
    const isAllowed = fromFloor < 0 || from === to || (toFloor >= 0 && toFloor < fromFloor);
    return isAllowed ? [] : [`${one.from}: may not import ${target}`];
  });

/** Folders with too many files. A folder of nouns may be as long as their list. */
export const crowded = (files: readonly SourceFile[]): string[] => {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => /^src\/(?:session|transport|streams|emulator|cli)\b/.test(folder) && count > fullest)
    .map(([folder, count]) => `${folder}: ${count} files, at most ${fullest}`);
};

/** Import cycles, each with its files. */
export function circles(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const one of imports) {
    const target = targetOf(one);
    if (target) targets.set(one.from, [...(targets.get(one.from) ?? []), target]);
  }
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push([...trail.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

/** Packages that are imported in a wrong place, or in an expensive form. */
export function misplacedPackages(imports: readonly Import[]): string[] {
  return imports.flatMap((each) => {
    const { from, specifier, form, typeOnly } = each;
    const name = packageOf(specifier);
    const isKy = from === kyFile ? false : name === 'ky' || targetOf(each) === kyFile;
    if (isKy && form !== 'dynamic' && !typeOnly) return [`${from}: ky is loaded by the first request, not before`];
    if (!name) return [];
    // Any other form includes the whole of zod: 417 KB instead of 12.
    if (name === 'zod' || (name === 'zod/mini' && form !== 'namespace'))
      return [`${from}: zod is imported as \`import * as z from 'zod/mini'\` and in no other form`];
    const allowed = packages[floorOf(from)] ?? [];
    return allowed.some((one) => name === one || (one !== 'zod/mini' && name.startsWith(`${one}/`)))
      ? []
      : [`${from}: may not import the package ${name}`];
  });
}

/** Imports of Node's modules in files that do not only run on Node. */
export function misplacedNodeModules(imports: readonly Import[]): string[] {
  return imports
    .filter(({ specifier }) => specifier.startsWith('node:'))
    .filter(({ from }) => floorOf(from) !== 'cli' && !nodeFiles.some((one) => from.startsWith(one)))
    .map(({ from, specifier }) => `${from}: may not import ${specifier}`);
}

/** Files that check addresses with `URL.canParse`, which is sometimes wrong. */
export const unsureAddresses = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ text }) => /\bcanParse\(/.test(text))
    .map(({ path }) => `${path}: URL.canParse is wrong at times; take parsedUrl of http`);

/** Files that are too long. */
export const overlong = (files: readonly SourceFile[]): string[] =>
  files
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > longest)
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${longest}`);

/** Files and folders with a name that means nothing. */
export const nameless = (files: readonly SourceFile[]): string[] =>
  files
    .map(({ path }) => path)
    .filter((path) => /(?:^|[/.-])(?:utils?|helpers?|common|misc)(?:[/.-])/.test(path))
    .map((path) => `${path}: name the idea`);

/** Tests of the emulator in a folder that its sources do not have. A room with one test file needs no folder: the file has its name. */
export const strayTests = (tests: readonly string[], sources: readonly string[]): string[] => {
  const folders = new Set(sources.map((path) => posix.dirname(path)));
  return tests
    .filter((path) => {
      const source = path.replace(/^test/, 'src').replace(/(\/rooms\/[\w-]+)\.test\.ts$/, '$1/room.ts');
      return !folders.has(posix.dirname(source));
    })
    .map((path) => `${path}: src has no such folder`);
};

/** Imports of missing files, which the other rules would not see. */
export const dangling = (imports: readonly Import[], files: readonly SourceFile[]): string[] => {
  const known = new Set(files.map(({ path }) => path));
  return imports.flatMap((one) => {
    const target = targetOf(one);
    return !target || known.has(target) || posix.extname(target) === '.json'
      ? []
      : [`${one.from}: ${target} is not there`];
  });
};

/** All violations of the rules in a set of files. */
export function violations(files: readonly SourceFile[]): string[] {
  const imports = files.flatMap(importsOf);
  return [
    ...dangling(imports, files),
    ...crossings(imports),
    ...roomCrossings(imports),
    ...emulatorCrossings(imports),
    ...homeless(files.map(({ path }) => path)),
    ...circles(imports),
    ...misplacedPackages(imports),
    ...misplacedNodeModules(imports),
    ...unsureAddresses(files),
    ...overlong(files),
    ...crowded(files),
    ...nameless(files),
  ];
}
