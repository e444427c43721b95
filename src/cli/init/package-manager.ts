import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../frameworks.js';

/** The supported package managers, with their lock files and the verb that adds a package. */
const managers = [
  { name: 'npm', locks: ['package-lock.json'], verb: 'install' },
  { name: 'pnpm', locks: ['pnpm-lock.yaml'], verb: 'add' },
  { name: 'yarn', locks: ['yarn.lock'], verb: 'add' },
  { name: 'bun', locks: ['bun.lock', 'bun.lockb'], verb: 'add' },
] as const;

/** A supported package manager. */
export type PackageManager = (typeof managers)[number];

/**
 * Detect the package manager of a project: from the `packageManager` field, a lock file in the folder or its parents, or the one
 * that runs this program. Defaults to npm.
 */
export function packageManagerOf(folder: string, { packageManager }: Manifest): PackageManager {
  const named = (text: string | undefined) =>
    managers.find(({ name }) => text?.startsWith(`${name}@`) || text?.startsWith(`${name}/`));
  return named(packageManager) ?? fromLockFile(folder) ?? named(process.env.npm_config_user_agent) ?? managers[0];
}

function fromLockFile(folder: string): PackageManager | undefined {
  const found = managers.find(({ locks }) => locks.some((lock) => existsSync(join(folder, lock))));
  const above = dirname(folder);
  return found ?? (above === folder ? undefined : fromLockFile(above));
}
