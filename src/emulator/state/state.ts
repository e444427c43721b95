import type { Change, SavedWorld } from '../store/store.js';
import type { ChangeListener } from '../world/memory.js';
import { type Contents, emulatorScope } from './contents.js';
import type { Journal } from './journal.js';

/** Dependencies of a `State`. */
interface Parts {
  readonly file: string;
  readonly isNew: boolean;
  readonly contents: Contents;
  readonly journal: Journal;
}

/** A world that will replace an environment's world: its initial contents, and its changes since. */
interface Newcomer {
  readonly listener: ChangeListener;
  readonly saved: SavedWorld;
  readonly changes: Change[];
}

/** The store for values of the whole emulator. */
const store = 'emulator';

/** State of an emulator in a file: the worlds of its environments, and some values of the whole emulator. */
export class State {
  /** Absolute path of the file. */
  readonly file: string;
  /** Whether the file was new. */
  readonly isNew: boolean;
  readonly #contents: Contents;
  readonly #journal: Journal;
  /** Current values of the whole emulator. */
  readonly #values = new Map<string, unknown>();
  /** Worlds read from the file, until a world starts with them. */
  readonly #loaded = new Map<string, SavedWorld>();
  /** The current listener of each environment, whose changes are written to the file. */
  readonly #listeners = new Map<string, ChangeListener>();
  readonly #newcomers = new Map<string, Newcomer>();

  constructor({ file, isNew, contents, journal }: Parts) {
    this.file = file;
    this.isNew = isNew;
    this.#contents = contents;
    this.#journal = journal;
  }

  /** Return the saved world of an environment to start with; undefined if there is none. */
  savedWorld(environment: string): SavedWorld | undefined {
    const found = this.#contents.savedWorld(environment);
    if (found) this.#loaded.set(environment, found);
    return found;
  }

  /**
   * Create a listener that records the changes of a new world. If the world was read from the file, its changes are appended. Any
   * other world replaces the contents of its environment at the next `begin`.
   */
  follow(environment: string, saved: SavedWorld = {}): ChangeListener {
    const listener: ChangeListener = (change) => {
      if (this.#listeners.get(environment) === listener) this.#journal.append(environment, change);
      else if (newcomer && this.#newcomers.get(environment) === newcomer) newcomer.changes.push(change);
    };
    const isFound = this.#loaded.get(environment) === saved;
    this.#loaded.delete(environment);
    const newcomer: Newcomer | undefined = isFound ? undefined : { listener, saved, changes: [] };
    if (newcomer) this.#newcomers.set(environment, newcomer);
    else this.#listeners.set(environment, listener);
    return listener;
  }

  /** Replace the worlds in the file with those created since the last call, all at once. */
  begin(): void {
    for (const [environment, { listener, saved, changes }] of this.#newcomers) {
      this.#journal.replace(environment, saved, changes);
      this.#listeners.set(environment, listener);
    }
    this.#newcomers.clear();
  }

  /** Get a value of the whole emulator, creating it if the file does not have it. */
  value(key: string, make: () => string): string {
    const existing = this.#values.get(key) ?? this.#contents.get(emulatorScope, store, key);
    if (typeof existing === 'string') return existing;
    const created = make();
    this.setValue(key, created);
    return created;
  }

  /** Set a value of the whole emulator. */
  setValue(key: string, value: string): void {
    this.#values.set(key, value);
    this.#journal.append(emulatorScope, { store, key, value });
  }

  /** Write all pending changes. @throws {EmulatorError} `state_not_written`. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  /** Write all pending changes, close the file and unlock it. @throws {EmulatorError} `state_not_written`. */
  close(): Promise<void> {
    return this.#journal.close();
  }
}
