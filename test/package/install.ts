import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The package as a user gets it: built, packed, and installed into a folder that holds nothing else. */
export interface Installed {
  /** Folder of the user's own program. */
  readonly folder: string;
  /** Files in the tarball, from the package's root. */
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly packed: number;
  remove(): void;
}

const run = async (command: string, args: readonly string[], cwd: string): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })).stdout;

/** What the package is made of. */
const sources = [
  'src',
  'scripts',
  'docs',
  'examples',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsup.config.ts',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
];

/** Names the sources as they are now. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const file = join(root, path);
    if (statSync(file).isDirectory()) for (const name of readdirSync(file).sort()) add(join(path, name));
    else hash.update(`${path}\n`).update(readFileSync(file)).update('\n');
  };
  for (const path of sources) add(path);
  return hash.digest('hex').slice(0, 16);
}

const cache = join(root, 'node_modules/.cache/sallyport-package');

/** The tarball of the sources as they are. Test files run side by side, and whoever comes first builds it for all. */
export async function tarball(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const release = await lock(join(cache, 'lock'));
  try {
    const wanted = join(cache, `${fingerprint()}.tgz`);
    if (existsSync(wanted)) return wanted;
    for (const name of readdirSync(cache).filter((one) => one.endsWith('.tgz'))) rmSync(join(cache, name));
    const fresh = mkdtempSync(join(cache, 'fresh-'));
    try {
      await run('npm', ['pack', '--pack-destination', fresh], root);
      renameSync(join(fresh, readdirSync(fresh).find((name) => name.endsWith('.tgz'))!), wanted);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    return wanted;
  } finally {
    release();
  }
}

/** Waits until no other process has the lock, and takes it. That of a process which is gone counts for nothing. */
async function lock(file: string): Promise<() => void> {
  const own = `${process.pid}`;
  for (;;) {
    try {
      writeFileSync(file, own, { flag: 'wx' });
      return () => rmSync(file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = readFileIfThere(file);
    if (holder !== undefined && holder !== '' && !isAlive(Number(holder))) rmSync(file, { force: true });
    else await pause(100);
  }
}

const readFileIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Installs the package; when it has to be built first, that takes by far the most of the time. */
export async function packAndInstall(): Promise<Installed> {
  const built = await tarball();
  const base = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  const packed = join(base, 'sallyport.tgz');
  copyFileSync(built, packed);
  const folder = mkdtempSync(join(base, 'user-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', packed], folder);
  return {
    folder,
    files: (await run('tar', ['-tzf', packed], base))
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, '')),
    packed: statSync(packed).size,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Gives a user React's types, which only `sallyport/react` needs. */
export function addTypesOfReact({ folder }: Installed): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types/react'), join(folder, 'node_modules/@types/react'));
}
