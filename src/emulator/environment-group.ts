import type { OpenEnvironment } from './environment.js';
import { type SavedWorlds, type Snapshot, snapshotOf, worldsIn } from './store/snapshot.js';
import type { Memory } from './world/memory.js';

/** Environments that start together and share a clock: staging and production, or one created world. */
export class EnvironmentGroup {
  readonly #environments: () => readonly OpenEnvironment[];

  /** The last call of `open`. Calls run one after the other, so that worlds are installed in the order they were created. */
  #turn: Promise<unknown> = Promise.resolve();

  readonly #onOpen: (saved: Partial<SavedWorlds> | undefined) => Promise<void>;

  /**
   * @param environments The first one is the main environment.
   * @param onOpen Called after new worlds are installed, with the saved worlds they were created from.
   */
  constructor(
    environments: () => readonly OpenEnvironment[],
    onOpen: (saved: Partial<SavedWorlds> | undefined) => Promise<void> = async () => undefined,
  ) {
    this.#environments = environments;
    this.#onOpen = onOpen;
  }

  /** Replace each world with its saved world, or with a seeded one if none is saved. If one cannot be created, nothing changes. */
  open(saved?: Partial<SavedWorlds>): Promise<void> {
    const opened = this.#turn.then(() => this.#openNow(saved));
    this.#turn = opened.catch(() => undefined);
    return opened;
  }

  async #openNow(saved?: Partial<SavedWorlds>): Promise<void> {
    const worlds: Memory[] = [];
    const environments = this.#environments();
    try {
      for (const { make, name } of environments) worlds.push(await make(worlds[0], saved?.[name]));
    } catch (error) {
      for (const memory of worlds) memory.close();
      throw error;
    }
    for (const [at, { place, name }] of environments.entries()) place(worlds[at]!, saved?.[name]);
    await this.#onOpen(saved);
  }

  /** Take a snapshot of all environments. */
  snapshot(): Snapshot {
    return snapshotOf(
      Object.fromEntries(this.#environments().map(({ name, memory }) => [name, memory()?.save() ?? {}])),
    );
  }

  /** Replace the contents of all environments with a snapshot. @throws {Refusal} 422 `invalid_snapshot`. */
  async restore(snapshot: Snapshot): Promise<void> {
    const names = this.#environments().map(({ name }) => name);
    await this.open(worldsIn(snapshot, names));
  }
}
