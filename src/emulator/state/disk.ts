import * as fs from 'node:fs';
import { promisify } from 'node:util';

const write = promisify(fs.write);
const open = promisify(fs.open);
export const syncData = promisify(fs.fdatasync);

/** File mode of files with secrets. */
export const ownerOnly = 0o600;

/**
 * Create a file that only its owner can read, replacing any existing one. `wx` does not follow symbolic links.
 */
export function createNew(file: string): Promise<number> {
  fs.rmSync(file, { force: true });
  return open(file, 'wx', ownerOnly);
}

/** Synchronous version of `createNew`. */
export function createNewSync(file: string): number {
  fs.rmSync(file, { force: true });
  return fs.openSync(file, 'wx', ownerOnly);
}

/**
 * Whether another program changed, replaced or removed a file that this process has open.
 *
 * @param size Bytes written by this process. With `isTorn`, there may be more: part of a line.
 */
export function isChanged(file: string, fd: number, size: number, isTorn: boolean): boolean {
  const found = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  const opened = fs.fstatSync(fd, { bigint: true });
  if (found?.ino !== opened.ino || found.dev !== opened.dev) return true;
  return opened.size < size || (opened.size > size && !isTorn);
}

/** Write all bytes at a position in a file. */
export async function writeAt(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await write(fd, bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Synchronous version of `writeAt`. */
export function writeAtSync(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/** Sync a folder to disk, so that a rename survives a power loss. Ignored on systems that do not support it. */
export async function syncFolder(folder: string): Promise<void> {
  let fd: number | undefined;
  try {
    fd = await open(folder, 'r');
    await promisify(fs.fsync)(fd);
  } catch {
    // Windows cannot open folders, and does not need to.
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
