import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });

/** Builds, packs and installs; takes about as long as the build. */
export function packAndInstall(): Installed {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  run('npm', ['pack', '--pack-destination', base], root);
  const tarball = join(base, readdirSync(base).find((file) => file.endsWith('.tgz'))!);
  const folder = mkdtempSync(join(base, 'user-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], folder);
  return {
    folder,
    files: run('tar', ['-tzf', tarball], base)
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, '')),
    packed: statSync(tarball).size,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
