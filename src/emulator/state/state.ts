import type { SavedWorld } from '../store/store.js';
import type { Memory } from '../world/memory.js';
import { type Contents, emulatorScope, environmentStore, type StateEntry } from './contents.js';
import { Journal } from './journal.js';
import type { Lock } from './lock.js';

/** Dependencies of a `State`. */
interface Parts {
  readonly file: string;
  readonly isNew: boolean;
  readonly contents: Contents;
  readonly lock: Lock;
  readonly print: (message: string) => void;
}

/** The parts of a memory that its state needs. */
type Saved = Pick<Memory, 'onChange' | 'save'>;

/** The store for values of the whole emulator. */
const store = 'emulator';

/** State of an emulator in a file: the worlds of its environments, and some values of the whole emulator. */
export class State {
  /** Absolute path of the file. */
  readonly file: string;
  /** Whether the file was new. */
  readonly isNew: boolean;
  readonly #journal: Journal;
  /** Values of the whole emulator. */
  readonly #values: Map<string, unknown>;
  /** Worlds read from the file, until a memory takes their place. */
  readonly #found: Map<string, SavedWorld>;
  /** The memory of each environment, whose changes are written to the file. */
  readonly #memories = new Map<string, Saved>();
  /** Memories that will replace these at the next `begin`. */
  readonly #newcomers = new Map<string, Saved>();

  constructor({ file, isNew, contents, lock, print }: Parts) {
    this.file = file;
    this.isNew = isNew;
    this.#values = new Map(contents.values(store));
    this.#found = new Map(contents.environments.map((name) => [name, contents.savedWorld(name)]));
    this.#journal = new Journal({ file, lock, print, snapshot: () => this.#snapshot() });
  }

  /** Return the saved world of an environment to start with; undefined if there is none. */
  savedWorld(environment: string): SavedWorld | undefined {
    return this.#found.get(environment);
  }

  /** Write a memory to the file from the next `begin` on, in place of the one of its environment. */
  follow(environment: string, memory: Saved): void {
    this.#newcomers.set(environment, memory);
    memory.onChange(({ store, key, value }) => {
      if (this.#memories.get(environment) !== memory) return;
      this.#journal.append(value === undefined ? [environment, store, key] : [environment, store, key, value]);
    });
  }

  /** Replace the worlds in the file with those followed since the last call, all at once. */
  begin(): void {
    for (const [environment, memory] of this.#newcomers) {
      this.#found.delete(environment);
      this.#memories.set(environment, memory);
    }
    this.#newcomers.clear();
    this.#journal.rewrite();
  }

  /** Get a value of the whole emulator, creating it if the file does not have it. */
  value(key: string, make: () => string): string {
    const existing = this.#values.get(key);
    if (typeof existing === 'string') return existing;
    const created = make();
    this.setValue(key, created);
    return created;
  }

  /** Set a value of the whole emulator. */
  setValue(key: string, value: string): void {
    this.#values.set(key, value);
    this.#journal.append([emulatorScope, store, key, value]);
  }

  /** Write all pending changes. @throws {EmulatorError} `state_not_written`. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  /** Write all pending changes, close the file and unlock it. @throws {EmulatorError} `state_not_written`. */
  close(): Promise<void> {
    return this.#journal.close();
  }

  /** Take a copy of everything, which shares the records, because they never change. */
  #snapshot(): Iterable<StateEntry> {
    const memories = [...this.#memories].map(([name, memory]) => [name, memory.save()] as const);
    return entriesOf(new Map(this.#values), [...this.#found, ...memories]);
  }
}

function* entriesOf(
  values: ReadonlyMap<string, unknown>,
  worlds: readonly (readonly [name: string, world: SavedWorld])[],
): Generator<StateEntry> {
  for (const [key, value] of values) yield [emulatorScope, store, key, value];
  for (const [environment, world] of worlds) {
    yield [emulatorScope, environmentStore, environment, true];
    for (const [name, pairs] of Object.entries(world))
      for (const [key, value] of pairs) yield [environment, name, key, value];
  }
}
