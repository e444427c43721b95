import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from './frameworks.js';

/** The managers of packages, by the lock that each writes and the word by which it adds one. */
const managers = [
  { name: 'npm', locks: ['package-lock.json'], verb: 'install' },
  { name: 'pnpm', locks: ['pnpm-lock.yaml'], verb: 'add' },
  { name: 'yarn', locks: ['yarn.lock'], verb: 'add' },
  { name: 'bun', locks: ['bun.lock', 'bun.lockb'], verb: 'add' },
] as const;

/** A manager of packages. */
export type PackageManager = (typeof managers)[number];

/**
 * The manager of a project's packages: the one whose lock it has, there or above as in a monorepo, the one that its
 * `package.json` names, or the one that runs this program.
 */
export function packageManagerOf(folder: string, { packageManager }: Manifest): PackageManager {
  const named = (text: string | undefined) =>
    managers.find(({ name }) => text?.startsWith(`${name}@`) || text?.startsWith(`${name}/`));
  return named(packageManager) ?? byLock(folder) ?? named(process.env.npm_config_user_agent) ?? managers[0];
}

function byLock(folder: string): PackageManager | undefined {
  const found = managers.find(({ locks }) => locks.some((lock) => existsSync(join(folder, lock))));
  const above = dirname(folder);
  return found ?? (above === folder ? undefined : byLock(above));
}
