import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { EmulatorError } from '../store/refusal.js';
import type { Change, SavedWorld } from '../store/store.js';
import type { Contents, StateEntry } from './contents.js';
import { changeOf, createNew, createNewSync, syncData, syncFolder, writeAt, writeAtSync } from './disk.js';
import { header, linesOf } from './format.js';
import type { Lock } from './lock.js';
import { problemOf } from './problems.js';

/** A state file that was opened, or will be created. */
interface Opening {
  readonly file: string;
  readonly contents: Contents;
  /** The file, open for writing; undefined if it does not exist yet. */
  readonly fd: number | undefined;
  /** Position to append at, in bytes. */
  readonly size: number;
  /** Approximate size after compaction, in bytes. */
  readonly compactSize: number;
  readonly lock: Lock;
  /** Prints a message for the user. */
  readonly print: (message: string) => void;
}

/** Milliseconds until a change is written to the file. */
const flushMs = 200;
/** Milliseconds until a failed write is retried. */
const retryMs = 5_000;
/** The file is compacted when it is larger than its compact size times `factor` plus `bytes`. */
const allowedGrowth = { factor: 2, bytes: 1 << 20 } as const;
/** Maximum number of pending changes while the file cannot be written. Beyond it, the whole file is rewritten later. */
const maxPending = 100_000;
/** Kept while the module loads, because a test may replace it by a fake timer later. */
const nextTurn = setImmediate;

/**
 * Writes changes to a state file.
 *
 * Changes are queued and written one line at a time. `#contents` mirrors the file: it is updated after each write, so the file can
 * be rewritten from it in small steps while more changes arrive.
 */
export class Journal {
  readonly #file: string;
  readonly #contents: Contents;
  readonly #lock: Lock;
  readonly #print: (message: string) => void;
  #fd: number | undefined;
  #size: number;
  #compactSize: number;
  /** Changes that are not in the file yet. */
  #pending: StateEntry[] = [];
  /** The line being written, and the number of changes on it. */
  #writing: { readonly bytes: Uint8Array; readonly count: number } | undefined;
  /** The changes of that line, and later ones already removed from `#pending`. */
  #inFlight: readonly StateEntry[] = [];
  /** Whether the file differs from the contents, because a world was replaced or another program changed the file. */
  #isOutdated = false;
  /** Number of replaced worlds, and its value when each environment was last replaced. */
  #replacements = 0;
  readonly #replacedAt = new Map<string, number>();
  /** Changes written during a rewrite. They are applied to the contents after it. */
  #deferred: StateEntry[] = [];
  /** The running sync to disk. It may be slow, so writes do not wait for it. */
  #sync: Promise<void> | undefined;
  #isUnsynced = false;
  #syncFailure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #failure: unknown;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor({ file, contents, fd, size, compactSize, lock, print }: Opening) {
    this.#file = file;
    this.#contents = contents;
    this.#lock = lock;
    this.#fd = fd;
    this.#size = size;
    this.#compactSize = compactSize;
    this.#print = print;
    // Before the lock is released.
    process.prependListener('exit', this.#flushSync);
  }

  /** Queue a change. It is written within 200 ms. */
  append(environment: string, { store, key, value }: Change): void {
    this.#pending.push(value === undefined ? [environment, store, key] : [environment, store, key, value]);
    this.#schedule(flushMs);
  }

  /** Replace the contents of an environment. */
  replace(environment: string, world: SavedWorld, changes: readonly Change[]): void {
    this.#applyDeferred();
    const isOther = ([name]: StateEntry): boolean => name !== environment;
    this.#pending = this.#pending.filter(isOther);
    this.#inFlight = this.#inFlight.filter(isOther);
    this.#contents.replace(environment, world, changes);
    this.#replacedAt.set(environment, ++this.#replacements);
    this.#isOutdated = true;
    this.#schedule(flushMs);
  }

  /** Write all pending changes. @throws {EmulatorError} `state_not_written`. */
  async flush(): Promise<void> {
    // A write in progress may have started before the last change.
    await this.#work;
    await this.#begin();
    await this.#sync;
    this.#failure ??= this.#syncFailure;
    if (this.#failure !== undefined) throw notWritten(this.#file, this.#failure);
  }

  /** Write all pending changes, and close the file. @throws {EmulatorError} `state_not_written`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    try {
      await this.flush();
    } finally {
      clearTimeout(this.#timer);
      await this.#sync;
      process.off('exit', this.#flushSync);
      if (this.#fd !== undefined) fs.closeSync(this.#fd);
      this.#fd = undefined;
      this.#lock.release();
    }
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#work || this.#isClosing) return;
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
      const unsynced = this.#syncFailure;
      this.#syncFailure = undefined;
      if (unsynced) throw unsynced;
      this.#checkFile();
      // A world may be replaced again during the rewrite.
      while (this.#isOutdated) await this.#rewrite();
      await this.#appendPending((entry) => this.#contents.apply(entry));
      const maxSize = allowedGrowth.factor * this.#compactSize + allowedGrowth.bytes;
      if (this.#size > maxSize && !this.#isClosing) await this.#rewrite();
      if (this.#failure !== undefined) this.#print(`The state can be written to ${this.#file} again.`);
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined)
        this.#print(
          `The state can no longer be written to ${this.#file}: ${problemOf(error).why}. Later changes are lost when the emulator ends, unless a later attempt succeeds. ${problemOf(error).next}.`,
        );
      this.#failure = error;
      if (this.#pending.length > maxPending) this.#scheduleRewrite();
    }
  }

  /** Schedule a rewrite if another program removed, replaced or changed the file. Throws if another emulator uses it. */
  #checkFile(): void {
    if (!this.#lock.renew())
      throw new Error('Another emulator uses it, because this one did not renew its lock for five seconds');
    if (this.#fd === undefined || this.#isOutdated) return;
    // A failed or running write may leave part of a line.
    const isTorn = this.#failure !== undefined || this.#writing !== undefined;
    const change = changeOf(this.#file, this.#fd, this.#size, isTorn);
    if (!change) return;
    this.#print(
      `Another program ${change} the state file ${this.#file} while the emulator was using it. The emulator rewrites the whole file.`,
    );
    this.#isOutdated = true;
  }

  /** Apply pending changes to the contents only, and schedule a rewrite of the file. */
  #scheduleRewrite(): void {
    this.#applyDeferred();
    for (const entry of this.#pending.splice(0)) this.#contents.apply(entry);
    this.#isOutdated = true;
  }

  #applyDeferred(max = this.#deferred.length): void {
    for (const entry of this.#deferred.splice(0, max)) this.#contents.apply(entry);
  }

  /** Like `#applyDeferred`, but in steps, so that requests are served in between. */
  async #applyDeferredInSteps(): Promise<void> {
    while (this.#deferred.length > 0) {
      this.#applyDeferred(1_000);
      await new Promise(nextTurn);
    }
  }

  /** Append the pending changes to the file, calling `onWritten` with each written one. */
  async #appendPending(onWritten: (entry: StateEntry) => void): Promise<void> {
    if (this.#fd === undefined || this.#pending.length === 0) return;
    const entries = this.#pending;
    this.#pending = [];
    let done = 0;
    const replacements = this.#replacements;
    const isCurrent = ([environment]: StateEntry): boolean => (this.#replacedAt.get(environment) ?? 0) <= replacements;
    try {
      for (const { text, count } of linesOf(entries)) {
        const bytes = Buffer.from(text);
        this.#writing = { bytes, count };
        this.#inFlight = entries.slice(done).filter(isCurrent);
        await writeAt(this.#fd, bytes, this.#size);
        this.#size += bytes.length;
        for (const entry of entries.slice(done, done + count)) if (isCurrent(entry)) onWritten(entry);
        done += count;
      }
      this.#isUnsynced = true;
      this.#sync ??= this.#syncAll(this.#fd);
    } finally {
      this.#writing = undefined;
      this.#inFlight = [];
      // Put unwritten changes before those that arrived in the meantime.
      if (done < entries.length) this.#pending = [...entries.slice(done).filter(isCurrent), ...this.#pending];
    }
  }

  async #syncAll(fd: number): Promise<void> {
    try {
      while (this.#isUnsynced) {
        this.#isUnsynced = false;
        await syncData(fd);
      }
    } catch (error) {
      this.#syncFailure = error;
    } finally {
      this.#sync = undefined;
    }
  }

  /** Replace the file with a compact one, in steps, so that requests are served in between. */
  async #rewrite(): Promise<void> {
    const replacements = this.#replacements;
    const isOutdated = this.#isOutdated;
    const isObsolete = (): boolean => replacements !== this.#replacements || (this.#isClosing && !isOutdated);
    const path = `${this.#file}.new`;
    const fd = await createNew(path);
    let isRenamed = false;
    let size = 0;
    const write = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text);
      await writeAt(fd, bytes, size);
      size += bytes.length;
    };
    try {
      await write(header);
      let writtenAt = performance.now();
      for (const { text } of linesOf(this.#contents.entries())) {
        await write(text);
        if (isObsolete()) return;
        if (isOutdated || performance.now() - writtenAt < flushMs) continue;
        await this.#appendPending((entry) => this.#deferred.push(entry));
        writtenAt = performance.now();
      }
      for (const { text } of linesOf(this.#deferred)) await write(text);
      await syncData(fd);
      // Finish syncing the old file before closing it.
      await this.#sync;
      if (isObsolete()) return;
      // Synchronous, so that no change goes to the wrong file. Windows cannot replace an open file.
      if (this.#fd !== undefined) fs.closeSync(this.#fd);
      this.#fd = undefined;
      this.#isOutdated = true;
      fs.renameSync(path, this.#file);
      isRenamed = true;
      this.#fd = fd;
      this.#size = size;
      this.#compactSize = size;
      this.#isOutdated = false;
    } finally {
      await this.#applyDeferredInSteps();
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
      if (this.#isOutdated) this.#rewriteSync();
      else if (this.#fd !== undefined) {
        const { bytes = Buffer.alloc(0), count = 0 } = this.#writing ?? {};
        const rest = [...linesOf([...this.#inFlight.slice(count), ...this.#pending])].map(({ text }) => text).join('');
        writeAtSync(this.#fd, Buffer.concat([bytes, Buffer.from(rest)]), this.#size);
      }
      fs.rmSync(`${this.#file}.new`, { force: true });
    } catch (error) {
      const { why, next } = problemOf(error);
      this.#print(`The state could not be written to ${this.#file}. ${why}. ${next}.`);
    }
  };

  #rewriteSync(): void {
    this.#pending = [...this.#inFlight, ...this.#pending];
    this.#scheduleRewrite();
    const path = `${this.#file}.last`;
    const fd = createNewSync(path);
    let size = 0;
    for (const text of [header, ...[...linesOf(this.#contents.entries())].map((line) => line.text)]) {
      const bytes = Buffer.from(text);
      writeAtSync(fd, bytes, size);
      size += bytes.length;
    }
    fs.closeSync(fd);
    fs.renameSync(path, this.#file);
  }
}

function notWritten(file: string, cause: unknown): EmulatorError {
  const { why, next } = problemOf(cause);
  return new EmulatorError(
    'state_not_written',
    { what: `The state could not be written to ${file}. The file still has the earlier state`, why, next },
    { cause },
  );
}
