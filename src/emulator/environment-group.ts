import type { OpenEnvironment } from './environment.js';
import { type SavedWorlds, type Snapshot, snapshotOf, worldsIn } from './world/snapshot.js';
import type { World } from './world/world.js';

/** Environments that begin together and share a clock: staging and production of an emulator, or a world that was made. */
export class EnvironmentGroup {
  readonly #environments: () => readonly OpenEnvironment[];

  /** The one that is being opened; whoever comes meanwhile waits, so that worlds take their places in the order in which they were made. */
  #turn: Promise<unknown> = Promise.resolve();

  readonly #onOpen: (saved: Partial<SavedWorlds> | undefined) => Promise<void>;

  /**
   * @param environments The first is the one beside which the others are.
   * @param onOpen Called whenever new worlds have taken their places, with what was saved of them.
   */
  constructor(
    environments: () => readonly OpenEnvironment[],
    onOpen: (saved: Partial<SavedWorlds> | undefined) => Promise<void> = async () => undefined,
  ) {
    this.#environments = environments;
    this.#onOpen = onOpen;
  }

  /** Put new worlds in the place of those before: what was saved, or else what they begin with. Where one cannot be, nothing changes. */
  open(saved?: Partial<SavedWorlds>): Promise<void> {
    const opened = this.#turn.then(() => this.#openNow(saved));
    this.#turn = opened.catch(() => undefined);
    return opened;
  }

  async #openNow(saved?: Partial<SavedWorlds>): Promise<void> {
    const worlds: World[] = [];
    const environments = this.#environments();
    try {
      for (const { make, name } of environments) worlds.push(await make(worlds[0], saved?.[name]));
    } catch (error) {
      for (const world of worlds) world.close();
      throw error;
    }
    for (const [at, { place, name }] of environments.entries()) place(worlds[at]!, saved?.[name]);
    await this.#onOpen(saved);
  }

  /** Everything that is in the environments. */
  snapshot(): Snapshot {
    return snapshotOf(Object.fromEntries(this.#environments().map(({ name, world }) => [name, world()?.save() ?? {}])));
  }

  /** Put what is in a snapshot in the place of everything. @throws {Refusal} 422 `invalid_snapshot`. */
  async restore(snapshot: Snapshot): Promise<void> {
    const names = this.#environments().map(({ name }) => name);
    await this.open(worldsIn(snapshot, names));
  }
}
