import * as fs from 'node:fs';
import { promisify } from 'node:util';

const write = promisify(fs.write);
const open = promisify(fs.open);
export const syncData = promisify(fs.fdatasync);

/** The mode of every file that holds secrets. */
export const ownerOnly = 0o600;

/**
 * Make a new file for its owner alone, in the place of any other. Symbolic links are not followed: `wx` makes the file or fails.
 */
export function createNew(file: string): Promise<number> {
  fs.rmSync(file, { force: true });
  return open(file, 'wx', ownerOnly);
}

/** The same before anything else can happen. */
export function createNewNow(file: string): number {
  fs.rmSync(file, { force: true });
  return fs.openSync(file, 'wx', ownerOnly);
}

/**
 * Says how another program changed a file that this process has open; undefined if none did.
 *
 * @param size How many bytes this process has written; with `isTorn` there may be more.
 */
export function changeOf(
  file: string,
  fd: number,
  size: number,
  isTorn: boolean,
): 'removed' | 'replaced' | 'changed' | undefined {
  const found = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (!found) return 'removed';
  const own = fs.fstatSync(fd, { bigint: true });
  if (found.ino !== own.ino || found.dev !== own.dev) return 'replaced';
  return own.size < size || (own.size > size && !isTorn) ? 'changed' : undefined;
}

/** Write bytes at a place in a file, all of them. */
export async function writeAt(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await write(fd, bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** The same before anything else can happen. */
export function writeAtNow(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/** Have a folder remember what its files are called. Not every system can, and there it is not needed. */
export async function syncFolder(folder: string): Promise<void> {
  let fd: number | undefined;
  try {
    fd = await open(folder, 'r');
    await promisify(fs.fsync)(fd);
  } catch {
    // Windows opens no folders.
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
