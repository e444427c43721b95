import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { EmulatorError } from '../world/refusal.js';
import type { Change, SavedWorld } from '../world/store.js';
import type { Contents, Entry } from './contents.js';
import { changeOf, createNew, createNewNow, syncData, syncFolder, writeAt, writeAtNow } from './disk.js';
import { header, linesOf } from './format.js';

/** A state file that was opened, or is to be made. */
export interface Opening {
  readonly file: string;
  readonly contents: Contents;
  /** The file, open to be written; undefined where there is none yet. */
  readonly fd: number | undefined;
  /** Where to write on, in bytes. */
  readonly size: number;
  /** About how many bytes the same would take with nothing twice. */
  readonly leastSize: number;
  /** Tell whoever runs the emulator. */
  readonly say: (message: string) => void;
}

/** Within how long of a change it is in the file. */
const flushMs = 200;
/** How long until what could not be written is tried again. */
const retryMs = 5_000;
/** A file is written anew when it is longer than this many times what it has to be, and by this many bytes. */
const growth = { factor: 2, bytes: 1 << 20 } as const;
/** So many changes wait for a file that cannot be written; beyond them it will be written anew. */
const mostWaiting = 100_000;

/**
 * Writes what changes into a state file.
 *
 * Changes wait in a list and go to the file in turn, one write at a time. `#contents` is what the file says: it follows when a write is
 * done, so that the file can be written anew from it, in small steps, while more changes come.
 */
export class Journal {
  readonly #file: string;
  readonly #contents: Contents;
  readonly #say: (message: string) => void;
  #fd: number | undefined;
  #size: number;
  #leastSize: number;
  /** Changes that are not in the file. */
  #waiting: Entry[] = [];
  /** The line that is being written, and how many changes are on it. */
  #underWay: { readonly bytes: Uint8Array; readonly count: number } | undefined;
  /** The changes of that line, and those behind it that are not in `#waiting` any more. */
  #taken: readonly Entry[] = [];
  /** Whether the file says something else than the contents: a world has taken the place of another, or another program changed it. */
  #isOutdated = false;
  /** How often that has happened, and at which of these times last to an environment. */
  #turn = 0;
  readonly #replacedAt = new Map<string, number>();
  /** What was written while the file is written anew: the contents stay as they are until they are all in the new one. */
  #meanwhile: Entry[] = [];
  /** Under way while what was written is made to survive a loss of power: that may take long, and writing does not wait for it. */
  #sync: Promise<void> | undefined;
  #isUnsynced = false;
  #syncFailure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #failure: unknown;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor({ file, contents, fd, size, leastSize, say }: Opening) {
    this.#file = file;
    this.#contents = contents;
    this.#fd = fd;
    this.#size = size;
    this.#leastSize = leastSize;
    this.#say = say;
    process.on('exit', this.#finishNow);
  }

  /** Write a change within `flushMs`. */
  append(environment: string, { store, key, value }: Change): void {
    this.#waiting.push(value === undefined ? [environment, store, key] : [environment, store, key, value]);
    this.#wake(flushMs);
  }

  /** Have the file say this of an environment, in place of what it says. */
  replace(environment: string, world: SavedWorld, changes: readonly Change[]): void {
    this.#settle();
    const isOfOthers = ([own]: Entry): boolean => own !== environment;
    this.#waiting = this.#waiting.filter(isOfOthers);
    this.#taken = this.#taken.filter(isOfOthers);
    this.#contents.replace(environment, world, changes);
    this.#replacedAt.set(environment, ++this.#turn);
    this.#isOutdated = true;
    this.#wake(flushMs);
  }

  /** Write what is not written yet. @throws {EmulatorError} `state_not_written`. */
  async flush(): Promise<void> {
    // What was under way may have begun before the last change.
    await this.#work;
    await this.#begin();
    await this.#sync;
    this.#failure ??= this.#syncFailure;
    if (this.#failure !== undefined) throw notWritten(this.#file, this.#failure);
  }

  /** Write what is not written yet, and close the file. @throws {EmulatorError} `state_not_written`. */
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
      process.off('exit', this.#finishNow);
      if (this.#fd !== undefined) fs.closeSync(this.#fd);
      this.#fd = undefined;
    }
  }

  #wake(ms: number): void {
    if (this.#timer || this.#work || this.#isClosing) return;
    this.#timer = setTimeout(() => void this.#begin(), ms);
    this.#timer.unref();
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work ??= this.#write().finally(() => {
      this.#work = undefined;
      if (this.#failure !== undefined) this.#wake(retryMs);
      else if (this.#waiting.length > 0 || this.#isOutdated) this.#wake(flushMs);
    });
    return this.#work;
  }

  async #write(): Promise<void> {
    try {
      const unsynced = this.#syncFailure;
      this.#syncFailure = undefined;
      if (unsynced) throw unsynced;
      this.#checkFile();
      // Another world may take its place while it is written.
      while (this.#isOutdated) await this.#writeAnew();
      await this.#writeOn((entry) => this.#contents.apply(entry));
      const longest = growth.factor * this.#leastSize + growth.bytes;
      if (this.#size > longest && !this.#isClosing) await this.#writeAnew();
      if (this.#failure !== undefined) this.#say(`The state is in ${this.#file} again.`);
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined)
        this.#say(
          `The state can no longer be written to ${this.#file}: ${messageOf(error)}. What happens from here on is lost when the emulator ends, unless there is room again.`,
        );
      this.#failure = error;
      if (this.#waiting.length > mostWaiting) this.#writeAnewLater();
    }
  }

  /** Plan to write the whole file if another program removed, replaced or changed it. */
  #checkFile(): void {
    if (this.#fd === undefined || this.#isOutdated) return;
    // A write that failed, or is under way, leaves a part of a line behind.
    const isTorn = this.#failure !== undefined || this.#underWay !== undefined;
    const change = changeOf(this.#file, this.#fd, this.#size, isTorn);
    if (!change) return;
    this.#say(
      `Another program ${change} the state file ${this.#file} while the emulator used it. The emulator writes all of it again.`,
    );
    this.#isOutdated = true;
  }

  /** Let go of what waits, which the contents say as well; the file has to be written anew then. */
  #writeAnewLater(): void {
    this.#settle();
    for (const entry of this.#waiting.splice(0)) this.#contents.apply(entry);
    this.#isOutdated = true;
  }

  #settle(most = this.#meanwhile.length): void {
    for (const entry of this.#meanwhile.splice(0, most)) this.#contents.apply(entry);
  }

  /** The same in steps, between which requests are answered. */
  async #settleInSteps(): Promise<void> {
    while (this.#meanwhile.length > 0) {
      this.#settle(1_000);
      await new Promise(setImmediate);
    }
  }

  /** Write what waits behind what is there, and pass on each change once it is in the file. */
  async #writeOn(onWritten: (entry: Entry) => void): Promise<void> {
    if (this.#fd === undefined || this.#waiting.length === 0) return;
    const entries = this.#waiting;
    this.#waiting = [];
    let done = 0;
    const turn = this.#turn;
    const isOfToday = ([environment]: Entry): boolean => (this.#replacedAt.get(environment) ?? 0) <= turn;
    try {
      for (const { text, count } of linesOf(entries)) {
        const bytes = Buffer.from(text);
        this.#underWay = { bytes, count };
        this.#taken = entries.slice(done).filter(isOfToday);
        await writeAt(this.#fd, bytes, this.#size);
        this.#size += bytes.length;
        for (const entry of entries.slice(done, done + count)) if (isOfToday(entry)) onWritten(entry);
        done += count;
      }
      this.#isUnsynced = true;
      this.#sync ??= this.#syncAll(this.#fd);
    } finally {
      this.#underWay = undefined;
      this.#taken = [];
      // What came meanwhile comes after what could not be written.
      if (done < entries.length) this.#waiting = [...entries.slice(done).filter(isOfToday), ...this.#waiting];
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

  /** Put a file in the place of this one that says the same and no more, in steps between which requests are answered. */
  async #writeAnew(): Promise<void> {
    const turn = this.#turn;
    const isOutdated = this.#isOutdated;
    const isOver = (): boolean => turn !== this.#turn || (this.#isClosing && !isOutdated);
    const place = `${this.#file}.new`;
    const fd = await createNew(place);
    let isInPlace = false;
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
        if (isOver()) return;
        if (isOutdated || performance.now() - writtenAt < flushMs) continue;
        await this.#writeOn((entry) => this.#meanwhile.push(entry));
        writtenAt = performance.now();
      }
      for (const { text } of linesOf(this.#meanwhile)) await write(text);
      await syncData(fd);
      // The old file is closed next.
      await this.#sync;
      if (isOver()) return;
      // In one step, so that there is no moment in which a change goes to the wrong file. Windows renames no open file.
      if (this.#fd !== undefined) fs.closeSync(this.#fd);
      this.#fd = undefined;
      this.#isOutdated = true;
      fs.renameSync(place, this.#file);
      isInPlace = true;
      this.#fd = fd;
      this.#size = size;
      this.#leastSize = size;
      this.#isOutdated = false;
    } finally {
      await this.#settleInSteps();
      if (!isInPlace) {
        fs.closeSync(fd);
        fs.rmSync(place, { force: true });
      }
    }
    await syncFolder(dirname(this.#file));
  }

  /** Write what is not written yet before the process ends. What is being written is written again, to the same place. */
  readonly #finishNow = (): void => {
    try {
      this.#checkFile();
      if (this.#isOutdated) this.#replaceNow();
      else if (this.#fd !== undefined) {
        const { bytes = Buffer.alloc(0), count = 0 } = this.#underWay ?? {};
        const rest = [...linesOf([...this.#taken.slice(count), ...this.#waiting])].map(({ text }) => text).join('');
        writeAtNow(this.#fd, Buffer.concat([bytes, Buffer.from(rest)]), this.#size);
      }
      fs.rmSync(`${this.#file}.new`, { force: true });
    } catch (error) {
      this.#say(`The state could not be written to ${this.#file}: ${messageOf(error)}.`);
    }
  };

  #replaceNow(): void {
    this.#waiting = [...this.#taken, ...this.#waiting];
    this.#writeAnewLater();
    const place = `${this.#file}.last`;
    const fd = createNewNow(place);
    let size = 0;
    for (const text of [header, ...[...linesOf(this.#contents.entries())].map((line) => line.text)]) {
      const bytes = Buffer.from(text);
      writeAtNow(fd, bytes, size);
      size += bytes.length;
    }
    fs.closeSync(fd);
    fs.renameSync(place, this.#file);
  }
}

const notWritten = (file: string, cause: unknown): EmulatorError =>
  new EmulatorError(
    'state_not_written',
    {
      what: `The state could not be written to ${file}`,
      why: messageOf(cause),
      next: 'The file says what was true before. Make room for it, or name another file',
    },
    { cause },
  );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
