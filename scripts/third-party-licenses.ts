// Writes THIRD-PARTY-LICENSES: the license of every package whose code is inlined into our files, and the entries that use it.
// Fails if a license is missing or `inlinedDependencies` in package.json does not match the build. `--write` updates package.json
// instead.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { scriptContents } from './console-script.js';

/** The parts of an esbuild metafile that this script reads. */
export interface Contents {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly entryPoint?: string;
        readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
        readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
      }
    >
  >;
}

/** A package whose code is inlined. */
export interface Inlined {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
  /** Its folder, relative to the root of the repository. */
  readonly folder: string;
  /** Source files of the entries that contain it. */
  readonly entries: readonly string[];
}

// The import name of each entry, by its source file.
const specifiers: Readonly<Record<string, string>> = {
  'src/index.ts': 'sallyport',
  'src/session/index.ts': 'sallyport/session',
  'src/webhooks/index.ts': 'sallyport/webhooks',
  'src/browser/index.ts': 'sallyport/browser',
  'src/react/index.ts': 'sallyport/react',
  'src/stores/index.ts': 'sallyport/stores',
  'src/streams/index.ts': 'sallyport/streams',
  'src/mirror/index.ts': 'sallyport/mirror',
  'src/adapters/express.ts': 'sallyport/express',
  'src/adapters/fastify.ts': 'sallyport/fastify',
  'src/adapters/hono.ts': 'sallyport/hono',
  'src/adapters/next.ts': 'sallyport/next',
  'src/emulator/body.ts': 'sallyport/emulator',
  'src/emulator/console/browser/main.ts': 'sallyport/emulator',
  'src/testing/index.ts': 'sallyport/testing',
  'src/cli/main.ts': 'the command line',
};

/** Get the import name of an entry. */
export const specifierOf = (entry: string): string => specifiers[entry] ?? entry;

/** Find the source files of other packages in each entry, including imported chunks. */
export function foreignFilesByEntry({ outputs }: Contents): Map<string, Set<string>> {
  const byEntry = new Map<string, Set<string>>();
  for (const [file, output] of Object.entries(outputs)) {
    // esbuild also treats lazily imported files as entries. Skip those.
    if (!output.entryPoint || !(output.entryPoint in specifiers)) continue;
    const files = new Set<string>();
    const seen = new Set<string>();
    const visit = (path: string): void => {
      const part = outputs[path];
      if (!part || seen.has(path)) return;
      seen.add(path);
      for (const [input, { bytesInOutput }] of Object.entries(part.inputs))
        if (bytesInOutput > 0 && input.includes('node_modules/')) files.add(input);
      for (const imported of part.imports) visit(imported.path);
    };
    visit(file);
    byEntry.set(output.entryPoint, files);
  }
  return byEntry;
}

/** Get the folder of the package that contains a file. */
export const packageFolderOf = (file: string): string => {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
  if (!folder) throw new Error(`${file} does not belong to a package.`);
  return folder;
};

/** Read the name, version and license text of the package in a folder. */
export function licenseOf(folder: string): Omit<Inlined, 'entries' | 'folder'> {
  const { name, version, license = 'unnamed' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((candidate) => /^licen[cs]e(?:[.-]|$)/i.test(candidate));
  if (!file)
    throw new Error(
      `${name} ${version} is inlined and has no license file. Replace the package, or ask its authors to add one.`,
    );
  return { name, version, license, text: readFileSync(join(folder, file), 'utf8').trim() };
}

/** List the inlined packages of these builds, sorted by name. */
export function inlinedIn(builds: readonly Contents[]): Inlined[] {
  const entriesByFolder = new Map<string, Set<string>>();
  for (const build of builds)
    for (const [entry, files] of foreignFilesByEntry(build))
      for (const file of files) {
        const folder = packageFolderOf(file);
        entriesByFolder.set(folder, (entriesByFolder.get(folder) ?? new Set()).add(entry));
      }
  return [...entriesByFolder]
    .map(([folder, entries]) => ({ ...licenseOf(folder), folder, entries: [...entries].sort() }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en') || one.version.localeCompare(other.version, 'en'));
}

/** Build the expected `inlinedDependencies` of package.json. */
export const versionsOf = (inlined: readonly Inlined[]): Record<string, string> => {
  const versions: Record<string, string> = {};
  for (const { name, version } of inlined)
    versions[name] = versions[name] && versions[name] !== version ? `${versions[name]} || ${version}` : version;
  return versions;
};

/** Build the text of THIRD-PARTY-LICENSES. */
export function documentOf(inlined: readonly Inlined[]): string {
  const usedIn = ({ entries }: Inlined) => entries.map(specifierOf).join(', ');
  const line = '-'.repeat(80);
  return [
    'Sallyport contains code from the packages below. Their licenses apply to that code.',
    '',
    ...inlined.map((one) => `${one.name} ${one.version}, ${one.license}: in ${usedIn(one)}`),
    ...inlined.flatMap((one) => ['', line, `${one.name} ${one.version} (${one.license})`, line, '', one.text]),
    '',
  ].join('\n');
}

/** List the packages that the last build inlined, sorted by name. */
export function inlinedInBuild(): Inlined[] {
  const folder = 'node_modules/.cache/sallyport';
  if (!existsSync(folder)) throw new Error(`${folder} not found. Run: npx tsup`);
  const builds = readdirSync(folder).map((build) => JSON.parse(readFileSync(join(folder, build), 'utf8')));
  return inlinedIn([...builds, scriptContents()]);
}

/** List the public entries that are missing in `specifiers`. */
export const unknownEntries = (exports: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(exports)
    .filter((name) => !name.endsWith('.json'))
    .map((name) => name.replace(/^\./, 'sallyport'))
    .filter((name) => !Object.values(specifiers).includes(name));

function main(): void {
  const inlined = inlinedInBuild();
  writeFileSync('THIRD-PARTY-LICENSES', documentOf(inlined));

  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const unknown = unknownEntries(manifest.exports);
  if (unknown.length > 0)
    throw new Error(`${unknown.join(', ')}: add the source to the specifiers in scripts/third-party-licenses.ts`);
  const versions = versionsOf(inlined);
  if (JSON.stringify(manifest.inlinedDependencies) === JSON.stringify(versions)) return;
  if (!process.argv.includes('--write'))
    throw new Error(
      `inlinedDependencies in package.json differs from the inlined packages: ${JSON.stringify(versions)}. ` +
        `Run: npx tsx scripts/third-party-licenses.ts --write`,
    );
  manifest.inlinedDependencies = versions;
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
