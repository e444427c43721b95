import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { EmulatorError } from '../store/refusal.js';
import type { StateEntry } from './contents.js';
import { createNew, createNewSync, isChanged, syncData, syncFolder, writeAt, writeAtSync } from './disk.js';
import { header, linesOf } from './format.js';
import type { Lock } from './lock.js';
import { problemOf } from './problems.js';

interface Parts {
  readonly file: string;
  readonly lock: Lock;
  /** Takes a consistent copy of the whole state. Its entries may be read later. */
  readonly snapshot: () => Iterable<StateEntry>;
  /** Prints a message for the user. */
  readonly print: (message: string) => void;
}

/** Milliseconds until a change is written to the file. */
const flushMs = 200;
/** Milliseconds until a failed write is retried. */
const retryMs = 5_000;
/** The file is compacted when it is larger than its compact size times `factor` plus `bytes`. */
const allowedGrowth = { factor: 2, bytes: 1 << 20 } as const;
/** Maximum number of pending changes while the file cannot be written. Beyond it, the whole file is written later. */
const maxPending = 100_000;

/**
 * Writes the state to its file. Changes are appended, one line at a time. The file is written as a whole if a world was replaced or if
 * it has grown: from a snapshot, in steps, so that requests are served in between, and followed by the changes that came meanwhile.
 */
export class Journal {
  readonly #file: string;
  readonly #lock: Lock;
  readonly #snapshot: () => Iterable<StateEntry>;
  readonly #print: (message: string) => void;
  /** The file, open for writing; undefined until it is written as a whole. */
  #fd: number | undefined;
  #size = 0;
  #compactSize = 0;
  /** Changes that are not in the file yet. */
  #pending: StateEntry[] = [];
  /** Number of the first pending changes that are on the line being written, or on one whose write failed. */
  #writing = 0;
  /** Number of times that the whole file became due, and the number that is in the file. */
  #version = 0;
  #writtenVersion = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #failure: unknown;
  #closing: Promise<void> | undefined;

  constructor({ file, lock, snapshot, print }: Parts) {
    this.#file = file;
    this.#lock = lock;
    this.#snapshot = snapshot;
    this.#print = print;
    // Before the lock is released.
    process.prependListener('exit', this.#flushSync);
  }

  /** Queue a change. It is written within 200 ms. */
  append(entry: StateEntry): void {
    this.#pending.push(entry);
    this.#schedule(flushMs);
  }

  /** Write the whole file within 200 ms, because a world was replaced. */
  rewrite(): void {
    this.#version++;
    this.#schedule(flushMs);
  }

  /** Write all pending changes. @throws {EmulatorError} `state_not_written`. */
  async flush(): Promise<void> {
    // A write in progress may have started before the last change.
    await this.#work;
    await this.#begin();
    if (this.#failure !== undefined) throw notWritten(this.#file, this.#failure);
  }

  /** Write all pending changes, and close the file. @throws {EmulatorError} `state_not_written`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      clearTimeout(this.#timer);
      process.off('exit', this.#flushSync);
      if (this.#fd !== undefined) fs.closeSync(this.#fd);
      this.#fd = undefined;
      this.#lock.release();
    }
  }

  get #isOutdated(): boolean {
    return this.#version !== this.#writtenVersion;
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#work || this.#closing) return;
    this.#timer = setTimeout(() => void this.#begin(), ms);
    this.#timer.unref();
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work ??= this.#write().finally(() => {
      this.#work = undefined;
      if (this.#failure !== undefined) this.#schedule(retryMs);
      else if (this.#pending.length > 0 || this.#isOutdated) this.#schedule(flushMs);
    });
    return this.#work;
  }

  async #write(): Promise<void> {
    try {
      this.#checkFile();
      if (!this.#isOutdated) await this.#appendPending();
      const maxSize = allowedGrowth.factor * this.#compactSize + allowedGrowth.bytes;
      if (this.#size > maxSize && !this.#closing) this.#version++;
      // A world may be replaced again while the file is written.
      while (this.#isOutdated) await this.#writeWhole();
      if (this.#failure !== undefined) this.#print(`The state can be written to ${this.#file} again.`);
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined)
        this.#print(
          `The state can no longer be written to ${this.#file}: ${problemOf(error).why}. Later changes are lost when the emulator ends, unless a later attempt succeeds. ${problemOf(error).next}.`,
        );
      this.#failure = error;
      if (this.#pending.length > maxPending) {
        this.#pending = [];
        this.#version++;
      }
    }
  }

  /** Check that the file is only ours. @throws {Error} Another emulator uses it, or another program changed it. */
  #checkFile(): void {
    if (!this.#lock.renew())
      throw new Error('Another emulator uses it, because this one did not renew its lock for five seconds');
    if (this.#fd !== undefined && isChanged(this.#file, this.#fd, this.#size, this.#writing > 0))
      throw new Error('Another program changed, replaced or removed it while the emulator was using it');
  }

  /** Append the changes that are pending now. */
  async #appendPending(): Promise<void> {
    if (this.#fd === undefined || this.#pending.length === 0) return;
    for (const { text, count } of linesOf([...this.#pending])) {
      const bytes = Buffer.from(text);
      this.#writing = count;
      await writeAt(this.#fd, bytes, this.#size);
      this.#size += bytes.length;
      this.#pending.splice(0, count);
      this.#writing = 0;
    }
    await syncData(this.#fd);
  }

  /** Replace the file with a compact one. Gives up if a world is replaced meanwhile. */
  async #writeWhole(): Promise<void> {
    const version = this.#version;
    const path = `${this.#file}.new`;
    const fd = await createNew(path);
    let isRenamed = false;
    let size = 0;
    const write = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text);
      await writeAt(fd, bytes, size);
      size += bytes.length;
    };
    const writeAll = async (entries: Iterable<StateEntry>): Promise<void> => {
      for (const { text } of linesOf(entries)) if (version === this.#version) await write(text);
    };
    try {
      await write(header);
      // The snapshot has the pending changes.
      this.#pending = [];
      await writeAll(this.#snapshot());
      await syncData(fd);
      const compactSize = size;
      const { length } = this.#pending;
      await writeAll(this.#pending.slice(0, length));
      if (version !== this.#version) return;
      const last = textOf(linesOf(this.#pending.slice(length)));
      // Synchronous, so that no change goes to the wrong file. Windows cannot replace an open file.
      writeAtSync(fd, last, size);
      if (this.#fd !== undefined) fs.closeSync(this.#fd);
      this.#fd = undefined;
      fs.renameSync(path, this.#file);
      isRenamed = true;
      this.#fd = fd;
      this.#size = size + last.length;
      this.#compactSize = compactSize;
      this.#pending = [];
      this.#writing = 0;
      this.#writtenVersion = version;
    } finally {
      if (!isRenamed) {
        fs.closeSync(fd);
        fs.rmSync(path, { force: true });
      }
    }
    await syncFolder(dirname(this.#file));
  }

  /** Write all pending changes before the process exits. A line being written is written again at the same position. */
  readonly #flushSync = (): void => {
    try {
      this.#checkFile();
      const [line, later] = [this.#pending.slice(0, this.#writing), this.#pending.slice(this.#writing)];
      if (this.#isOutdated) this.#writeWholeSync();
      else if (this.#fd !== undefined)
        writeAtSync(this.#fd, Buffer.concat([textOf(linesOf(line)), textOf(linesOf(later))]), this.#size);
      fs.rmSync(`${this.#file}.new`, { force: true });
    } catch (error) {
      const { why, next } = problemOf(error);
      this.#print(`The state could not be written to ${this.#file}. ${why}. ${next}.`);
    }
  };

  #writeWholeSync(): void {
    const path = `${this.#file}.new`;
    const fd = createNewSync(path);
    let size = 0;
    for (const line of [{ text: header }, ...linesOf(this.#snapshot())]) {
      const bytes = textOf([line]);
      writeAtSync(fd, bytes, size);
      size += bytes.length;
    }
    fs.closeSync(fd);
    fs.renameSync(path, this.#file);
  }
}

const textOf = (lines: Iterable<{ readonly text: string }>): Buffer =>
  Buffer.from([...lines].map(({ text }) => text).join(''));

function notWritten(file: string, cause: unknown): EmulatorError {
  const { why, next } = problemOf(cause);
  return new EmulatorError(
    'state_not_written',
    { what: `The state could not be written to ${file}. The file still has the earlier state`, why, next },
    { cause },
  );
}
