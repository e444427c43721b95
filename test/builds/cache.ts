import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Where tests keep what takes long to make: the packed package, packages of others, applications that were built. It is outside
 * of the clone, so that a fresh one finds it, and each thing in it is named by a hash of what it was made of. `test/install`
 * finds it in the same way.
 */
export const cacheFolder = (): string =>
  process.env.SALLYPORT_TEST_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sallyport-test');

/**
 * The folder for applications that use the packages of a `node_modules` folder. Both are in the same folder, as in a monorepo, so that
 * bundlers find the packages. Bundlers reject links to packages elsewhere.
 */
export function applicationsBeside(packages: string): string {
  const folder = join(realpathSync(packages), '../applications');
  mkdirSync(folder, { recursive: true });
  return folder;
}

const weekMs = 7 * 24 * 3_600_000;

/** Removes entries of a folder that have not been written or used for a week. */
export function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > weekMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Does something while no other process does what has the same lock, a file. That of a process which is gone counts for nothing. */
export async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(file, '..'), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}`, { flag: 'wx' });
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = readFileIfThere(file);
    if (holder !== undefined && holder !== '' && !isAlive(Number(holder))) rmSync(file, { force: true });
    else await pause(100);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
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
