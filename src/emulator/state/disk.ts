import * as fs from 'node:fs';
import { promisify } from 'node:util';

const write = promisify(fs.write);
export const open = promisify(fs.open);
export const syncData = promisify(fs.fdatasync);

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
