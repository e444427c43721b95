import type { Change, SavedWorld } from '../world/store.js';
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

/** Writes down what happens in a world. */
export interface Recorder {
  /** Take note of a change. */
  readonly note: (change: Change) => void;
  /** Let this world be the one that the file tells of; what it was before is forgotten. */
  readonly begin: () => void;
}

/** What belongs to no environment: values of the emulator as a whole, and which environments there have been. */
const stores = { values: 'emulator', environments: 'environment' } as const;

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
  /** The recorder of the world that the file tells of, by its environment. */
  readonly #recorders = new Map<string, Recorder>();

  constructor({ file, isNew, contents, journal, unlock }: Parts) {
    this.file = file;
    this.isNew = isNew;
    this.#contents = contents;
    this.#journal = journal;
    this.#unlock = unlock;
  }

  /** What the file says of an environment; undefined where it says nothing. */
  savedWorld(environment: string): SavedWorld | undefined {
    return this.#contents.get(ofEmulator, stores.environments, environment)
      ? this.#contents.savedWorld(environment)
      : undefined;
  }

  /** A recorder for the world that goes on with what the file says of an environment. */
  resume(environment: string): Recorder {
    const recorder: Recorder = {
      note: (change) => {
        if (this.#recorders.get(environment) === recorder) this.#journal.append(environment, change);
      },
      begin: () => undefined,
    };
    this.#recorders.set(environment, recorder);
    return recorder;
  }

  /** A recorder for a world that is to take the place of an environment's, and begins with `saved`. */
  replace(environment: string, saved: SavedWorld = {}): Recorder {
    let early: Change[] | undefined = [];
    const recorder: Recorder = {
      note: (change) => {
        if (early) early.push(change);
        else if (this.#recorders.get(environment) === recorder) this.#journal.append(environment, change);
      },
      begin: () => {
        if (!early) return;
        this.#journal.replace(environment, saved, early);
        // Even when nothing is in it, this is a world that the seed is not planted into again.
        this.#journal.append(ofEmulator, { store: stores.environments, key: environment, value: true });
        this.#recorders.set(environment, recorder);
        early = undefined;
      },
    };
    return recorder;
  }

  /** A value of the emulator as a whole, which is made when the file has none. */
  value(key: string, make: () => string): string {
    const there = this.#values.get(key) ?? this.#contents.get(ofEmulator, stores.values, key);
    if (typeof there === 'string') return there;
    const made = make();
    this.setValue(key, made);
    return made;
  }

  /** Give the emulator as a whole a value. */
  setValue(key: string, value: string): void {
    this.#values.set(key, value);
    this.#journal.append(ofEmulator, { store: stores.values, key, value });
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
