import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { alone, cacheFolder, removeOld } from '../builds/cache.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder for a user's program, with the packed package in `node_modules`. */
export interface Unpacked {
  readonly folder: string;
  remove(): void;
}

/** The same folder after an installation with npm, and the files of the tarball. */
export interface Installed extends Unpacked {
  /** Files of the tarball, from the root of the package. */
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly packed: number;
  /** Bytes of its files. */
  readonly bytes: number;
}

const run = async (command: string, args: readonly string[], cwd: string): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })).stdout;

/** Files that programs with the package load. */
const program = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsup.config.ts'];
/** Files that come with it. */
const documents = [
  'docs',
  'examples',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
  'llms.txt',
  'seed.schema.json',
];

/** Returns a name for the current content of files and folders of this project. */
export function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const file = join(root, path);
    if (statSync(file).isDirectory()) for (const name of readdirSync(file).sort()) add(join(path, name));
    else hash.update(`${path}\n`).update(readFileSync(file)).update('\n');
  };
  for (const path of paths) add(path);
  return hash.digest('hex').slice(0, 16);
}

/** Which parts of the package must be those of the current sources, besides its programs. */
interface Parts {
  readonly documents: boolean;
}

/**
 * The tarball of the current sources. Without `documents`, its documents may be older. Test files run in parallel, and the
 * first one builds the tarball for all.
 */
export async function tarball(parts: Parts = { documents: true }): Promise<string> {
  const cache = join(cacheFolder(), 'package');
  mkdirSync(cache, { recursive: true });
  return alone(join(root, 'node_modules/.cache/sallyport-package.lock'), async () => {
    const wanted = `${fingerprint(program)}-${fingerprint(documents)}.tgz`;
    const found = readdirSync(cache).find(
      (name) => name === wanted || (!parts.documents && name.startsWith(wanted.slice(0, 17)) && name.endsWith('.tgz')),
    );
    if (found) {
      utimesSync(join(cache, found), new Date(), new Date());
      return join(cache, found);
    }
    removeOld(cache);
    const fresh = mkdtempSync(join(cache, 'fresh-'));
    try {
      await run('npm', ['pack', '--pack-destination', fresh], root);
      renameSync(join(fresh, readdirSync(fresh).find((name) => name.endsWith('.tgz'))!), join(cache, wanted));
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    return join(cache, wanted);
  });
}

/** Unpack the package into a folder, and create the folder. The package has no dependencies, so npm does little more. */
export async function unpack(folder: string, parts?: Parts): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xzf', await tarball(parts), '--strip-components', '1', '-C', folder], root);
}

/** Unpack the package into a `node_modules` folder, and link the command of the package, as npm does. */
export async function unpackInto(modules: string, parts?: Parts): Promise<void> {
  await unpack(join(modules, 'sallyport'), parts);
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync('../sallyport/dist/cli.js', join(modules, '.bin/sallyport'));
}

const manifest = JSON.stringify({ name: 'user', private: true, type: 'module' });

/** Create a folder for a program. Building the package first takes most of the time. */
export async function folderWithPackage(): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-user-'));
  writeFileSync(join(folder, 'package.json'), manifest);
  await unpackInto(join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Create a folder for a program, and install the package with npm. */
export async function packAndInstall(): Promise<Installed> {
  const built = await tarball();
  const base = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  const packed = join(base, 'sallyport.tgz');
  copyFileSync(built, packed);
  const folder = mkdtempSync(join(base, 'user-'));
  writeFileSync(join(folder, 'package.json'), manifest);
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', packed], folder);
  // Lines such as `-rw-r--r-- 0/0 1094 1985-10-26 08:15 package/LICENSE`.
  const listed = [...(await run('tar', ['-tvzf', packed], base)).matchAll(/(\d+) \S+ \S+ package\/(.+)$/gm)];
  return {
    folder,
    bytes: listed.reduce((sum, [, bytes]) => sum + Number(bytes), 0),
    files: listed.map(([, , file = '']) => file),
    packed: statSync(packed).size,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Give a user React's types, which only `sallyport/react` needs. */
export function addTypesOfReact({ folder }: Unpacked): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types/react'), join(folder, 'node_modules/@types/react'));
}
