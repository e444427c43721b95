import type { Change, SavedWorld } from '../world/store.js';
import type { ChangeListener } from '../world/world.js';
import { type Contents, ofEmulator } from './contents.js';
import type { Journal } from './journal.js';

/** What a state file is made of. */
interface Parts {
  readonly file: string;
  readonly isNew: boolean;
  readonly contents: Contents;
  readonly journal: Journal;
  readonly unlock: () => void;
}

/** A world that is to take an environment's place: what it began with, and what has happened in it. */
interface Newcomer {
  readonly listener: ChangeListener;
  readonly saved: SavedWorld;
  readonly changes: Change[];
}

/** The store of values of the emulator as a whole. */
const store = 'emulator';

/** What an emulator remembers in a file: the worlds of its environments, and some values of its own. */
export class State {
  /** The file by its whole path. */
  readonly file: string;
  /** Whether there was no such file. */
  readonly isNew: boolean;
  readonly #contents: Contents;
  readonly #journal: Journal;
  readonly #unlock: () => void;
  /** Values of its own, as they are to be. */
  readonly #values = new Map<string, unknown>();
  /** What the file says, until a world begins with it. */
  readonly #found = new Map<string, SavedWorld>();
  /** Takes note of the changes of the world that the file tells of, by its environment. */
  readonly #listeners = new Map<string, ChangeListener>();
  readonly #newcomers = new Map<string, Newcomer>();

  constructor({ file, isNew, contents, journal, unlock }: Parts) {
    this.file = file;
    this.isNew = isNew;
    this.#contents = contents;
    this.#journal = journal;
    this.#unlock = unlock;
  }

  /** What the file says of an environment, for a world to begin with; undefined where it says nothing. */
  savedWorld(environment: string): SavedWorld | undefined {
    const found = this.#contents.savedWorld(environment);
    if (found) this.#found.set(environment, found);
    return found;
  }

  /**
   * Take note of the changes of a world, from before the first on. One that begins with what the file says goes on with it; any other
   * takes the place of what the file says with the next `begin`.
   */
  follow(environment: string, saved: SavedWorld = {}): ChangeListener {
    const listener: ChangeListener = (change) => {
      if (this.#listeners.get(environment) === listener) this.#journal.append(environment, change);
      else if (newcomer && this.#newcomers.get(environment) === newcomer) newcomer.changes.push(change);
    };
    const isFound = this.#found.get(environment) === saved;
    this.#found.delete(environment);
    const newcomer: Newcomer | undefined = isFound ? undefined : { listener, saved, changes: [] };
    if (newcomer) this.#newcomers.set(environment, newcomer);
    else this.#listeners.set(environment, listener);
    return listener;
  }

  /** Have the file tell of the worlds that have been followed since the last time, all at once; what they replace is forgotten. */
  begin(): void {
    for (const [environment, { listener, saved, changes }] of this.#newcomers) {
      this.#journal.replace(environment, saved, changes);
      this.#listeners.set(environment, listener);
    }
    this.#newcomers.clear();
  }

  /** A value of the emulator as a whole, which is made when the file has none. */
  value(key: string, make: () => string): string {
    const there = this.#values.get(key) ?? this.#contents.get(ofEmulator, store, key);
    if (typeof there === 'string') return there;
    const made = make();
    this.setValue(key, made);
    return made;
  }

  /** Give the emulator as a whole a value. */
  setValue(key: string, value: string): void {
    this.#values.set(key, value);
    this.#journal.append(ofEmulator, { store, key, value });
  }

  /** Have everything in the file. @throws {EmulatorError} `state_not_written`. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  /** Write what is not written yet, and let others have the file. @throws {EmulatorError} `state_not_written`. */
  async close(): Promise<void> {
    try {
      await this.#journal.close();
    } finally {
      this.#unlock();
    }
  }
}
