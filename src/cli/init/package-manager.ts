import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../frameworks.js';

/** A supported package manager. */
export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Adds a package to the project. */
  readonly add: string;
  /** Adds a package to the root of a workspace. Default: the same command. */
  readonly addToRoot?: string;
  /** Runs a program of an installed package. */
  readonly exec: string;
  /** Runs a program of a package that is not installed. */
  readonly dlx: string;
}

const npm: PackageManager = { name: 'npm', add: 'npm install', exec: 'npx', dlx: 'npx' };
const pnpm: PackageManager = {
  name: 'pnpm',
  add: 'pnpm add',
  addToRoot: 'pnpm add -w',
  exec: 'pnpm exec',
  dlx: 'pnpm dlx',
};
const yarn: PackageManager = { name: 'yarn', add: 'yarn add', exec: 'yarn', dlx: 'yarn dlx' };
/** Yarn 1 has no dlx, and reads `--` itself. It fills node_modules, so npx works. */
const yarnClassic: PackageManager = { ...yarn, addToRoot: 'yarn add -W', exec: 'npx', dlx: 'npx' };
const bun: PackageManager = { name: 'bun', add: 'bun add', exec: 'bunx', dlx: 'bunx' };

const lockFiles: readonly (readonly [name: string, manager: PackageManager])[] = [
  ['package-lock.json', npm],
  ['pnpm-lock.yaml', pnpm],
  ['yarn.lock', yarn],
  ['bun.lock', bun],
  ['bun.lockb', bun],
];

/**
 * Detect the package manager of a project: from the `packageManager` field, a lock file in the folder or its parents, or the one
 * that runs this program. Defaults to npm.
 */
export function packageManagerOf(folder: string, { packageManager }: Manifest): PackageManager {
  return named(packageManager) ?? fromLockFile(folder) ?? named(process.env.npm_config_user_agent) ?? npm;
}

/** Find the package manager in a text such as `pnpm@10.4.0` or `yarn/1.22.22 npm/? node/v24`. */
function named(text: string | undefined): PackageManager | undefined {
  const [, name, major] = /^(\w+)[@/](\d+)?/.exec(text ?? '') ?? [];
  if (name === 'yarn' && major === '1') return yarnClassic;
  return [npm, pnpm, yarn, bun].find((one) => one.name === name);
}

function fromLockFile(folder: string): PackageManager | undefined {
  const [name, found] = lockFiles.find(([lock]) => existsSync(join(folder, lock))) ?? [];
  if (name !== undefined)
    return found === yarn && readFileSync(join(folder, name), 'utf8').includes('# yarn lockfile v1')
      ? yarnClassic
      : found;
  const above = dirname(folder);
  return above === folder ? undefined : fromLockFile(above);
}

/** The command that adds packages to a project. In the root of a workspace, some package managers refuse to add any without a flag. */
export function addCommand(folder: string, manifest: Manifest): string {
  const { add, addToRoot = add } = packageManagerOf(folder, manifest);
  const isRoot = manifest.hasWorkspaces || existsSync(join(folder, 'pnpm-workspace.yaml'));
  return isRoot ? addToRoot : add;
}
