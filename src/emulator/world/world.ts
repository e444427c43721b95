import type { DialectChoice } from '../../service/describe/dialect.js';
import { choiceOf } from '../../service/describe/emulated-dialect.js';
import type { Parser } from '../store/parser.js';
import { closed } from '../store/refusal.js';
import { type SavedWorlds, type Snapshot, snapshotOf, worldsIn } from '../store/snapshot.js';
import type { SavedWorld } from '../store/store.js';
import { setAsSaved } from './clock-store.js';
import type { Memory, MemoryParts } from './memory.js';

/** Client options for the emulator: `new Sallyport({ ...emulator.credentials, fetch: emulator.fetch })`. */
export interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
  /** The dialect of the emulator: the name of a preset, or its own. */
  readonly dialect: DialectChoice;
}

/** Environment variables for an application. */
export type ApplicationEnv = Readonly<
  Record<`SALLYPORT_${'API_KEY' | 'BASE_URL' | 'CLIENT_ID' | 'COOKIE_PASSWORD' | 'REDIRECT_URI'}`, string> & {
    /** Not if the emulator has its own dialect. */
    SALLYPORT_DIALECT?: 'spec' | 'workos';
  }
>;

/** Creates the memories of a world. */
export interface MemorySource {
  /** Create a memory with the seed. @throws {ConfigurationError} The seed cannot be read or planted. */
  plant(parts: MemoryParts): Promise<Memory>;
  /** Create a memory with saved contents. */
  open(parts: MemoryParts): Memory;
  /** Compute the hash of the seed. Returns an empty string without a seed. @throws {ConfigurationError} The seed is invalid. */
  fingerprint(parser: Parser): Promise<string>;
}

/** Dependencies of a world. */
export interface WorldParts extends Omit<MemoryParts, 'main' | 'saved' | 'claimKey'> {
  readonly source: MemorySource;
  /** Get the source for another seed. */
  readonly sourceOf: (seed: string | object) => MemorySource;
  /** Called before an API key is accepted. @throws {EmulatorRefusal} 409 if another world has it. */
  readonly claimKey: (world: World, value: string) => void;
  /** Called with each new memory before it is used. */
  readonly onMake?: ((world: World, memory: Memory) => void) | undefined;
  /** Called with each seeded memory before it is used; not with saved ones. */
  readonly onSeed?: ((memory: Memory) => void) | undefined;
  /** Called with each memory when it is installed: schedules its tasks again, because a clock does not save them. */
  readonly resume?: ((memory: Memory) => void) | undefined;
  /** Called with the memory that a new one replaces, before the new one is used. */
  readonly onReplace?: ((memory: Memory) => void) | undefined;
  /** Called for every request to the world. */
  readonly onRequest?: (() => void) | undefined;
  /** The password of the session cookie; random by default. */
  readonly cookiePassword?: string | undefined;
  /** The application's redirect URI; default `http://localhost:3000/callback`. */
  readonly redirectUri?: string | undefined;
  /** Its state file, if any. */
  readonly stateFile?: string | undefined;
}

/**
 * A tenant of an emulator: staging, production or a created world. Its settings, credentials and listeners stay when a reset or
 * `restore` replaces its memory.
 */
export class World {
  readonly set: WorldSet;
  readonly #parts: WorldParts;
  readonly #cookiePassword: string;
  readonly #subscriptions = new Set<(memory: Memory) => void>();
  #source: MemorySource;
  #memory: Memory | undefined;

  /** @param set The worlds that are reset together with this one. */
  constructor(set: WorldSet, parts: WorldParts) {
    this.set = set;
    this.#parts = parts;
    this.#source = parts.source;
    // It must not change, because existing cookies could not be opened.
    this.#cookiePassword = parts.cookiePassword ?? crypto.randomUUID();
    set.add(this);
  }

  /** Subdomain of a created world. Undefined for staging and production. */
  get name(): string | undefined {
    return this.#parts.name;
  }

  get environment(): 'staging' | 'production' {
    return this.#parts.settings.environment;
  }

  get clientId(): string {
    return this.#parts.settings.clientId;
  }

  get clock(): MemoryParts['clock'] {
    return this.#parts.clock;
  }

  /** Creates its memories. A reset with another seed replaces it. */
  get source(): MemorySource {
    return this.#source;
  }

  /** Whether it has a memory. */
  get isOpen(): boolean {
    return this.#memory !== undefined;
  }

  /** Its content. A request reads it once, because a reset replaces it. */
  get memory(): Memory {
    // A world is found only when it is open.
    return this.#memory!;
  }

  get stateFile(): string | undefined {
    return this.#parts.stateFile;
  }

  get credentials(): Credentials {
    const { settings, url } = this.#parts;
    const { apiKeys, clientId, dialect } = settings;
    return { apiKey: apiKeys[0]!.value, clientId, baseUrl: url(), dialect: choiceOf(dialect) };
  }

  /** Environment variables for an application that uses it. */
  get env(): ApplicationEnv {
    const { apiKey, clientId, baseUrl, dialect } = this.credentials;
    const { redirectUri = 'http://localhost:3000/callback' } = this.#parts;
    return {
      SALLYPORT_BASE_URL: baseUrl,
      SALLYPORT_API_KEY: apiKey,
      SALLYPORT_CLIENT_ID: clientId,
      SALLYPORT_COOKIE_PASSWORD: this.#cookiePassword,
      SALLYPORT_REDIRECT_URI: redirectUri,
      ...(typeof dialect === 'string' && { SALLYPORT_DIALECT: dialect }),
    };
  }

  /** Note a request to it. */
  use(): this {
    this.#parts.onRequest?.();
    return this;
  }

  /** Subscribe to its memory and to each that replaces it. The returned function ends the subscription. */
  subscribe(subscribe: (memory: Memory) => () => void): () => void {
    let unsubscribe = (): void => undefined;
    const renew = (memory: Memory): void => {
      unsubscribe = subscribe(memory);
      // A request in flight during a reset may still emit events in the old memory.
      memory.onClose(unsubscribe);
    };
    this.#subscriptions.add(renew);
    renew(this.memory);
    return () => {
      this.#subscriptions.delete(renew);
      unsubscribe();
    };
  }

  /** Reset the worlds of the set. A seed replaces that of this world, now and later; if it is invalid, nothing changes. */
  async reset(seed?: string | object): Promise<void> {
    if (seed !== undefined) {
      const source = this.#parts.sourceOf(seed);
      // Plant the seed once before anything is replaced.
      (await source.plant(this.#memoryParts(this.#memory?.main))).close();
      this.#source = source;
    }
    await this.set.reset();
  }

  /** Create a memory, saved or seeded, without installing it. @param main Memory of the first world of the set. */
  async make(main: Memory | undefined, saved: SavedWorld | undefined): Promise<Memory> {
    const { onMake, onReplace, onSeed } = this.#parts;
    const parts = this.#memoryParts(main);
    const memory = saved ? this.#source.open({ ...parts, saved }) : await this.#source.plant(parts);
    if (this.#memory) onReplace?.(this.#memory);
    onMake?.(this, memory);
    try {
      if (!saved) onSeed?.(memory);
    } catch (error) {
      memory.close();
      throw error;
    }
    return memory;
  }

  /** Install a memory in place of the current one. A saved one also restores the clock. */
  install(memory: Memory, saved: SavedWorld | undefined): void {
    const past = this.#memory;
    this.#memory = memory;
    past?.close();
    setAsSaved(this.clock, saved?.clock);
    for (const renew of this.#subscriptions) renew(memory);
    this.#parts.resume?.(memory);
  }

  #memoryParts(main: Memory | undefined): MemoryParts {
    return { ...this.#parts, main, claimKey: (value) => this.#parts.claimKey(this, value) };
  }
}

/** Worlds that change together and share a clock: staging and production, or one created world. */
export class WorldSet {
  readonly #worlds: World[] = [];
  readonly #onReplace: (saved: Partial<SavedWorlds> | undefined) => Promise<void>;
  /** The last replacement. They run one after the other, so that memories are installed in the order they were created. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param onReplace Called after new memories are installed, with the saved worlds they were created from. */
  constructor(onReplace: (saved: Partial<SavedWorlds> | undefined) => Promise<void> = async () => undefined) {
    this.#onReplace = onReplace;
  }

  /** Its worlds. The first is the main world. */
  get worlds(): readonly World[] {
    return this.#worlds;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(world: World): void {
    this.#worlds.push(world);
  }

  /** Replace all memories with saved ones, or with seeded ones if none is saved. If one cannot be created, nothing changes. */
  replace(saved?: Partial<SavedWorlds>): Promise<void> {
    const replaced = this.#turn.then(() => this.#replaceNow(saved));
    this.#turn = replaced.catch(() => undefined);
    return replaced;
  }

  async #replaceNow(saved: Partial<SavedWorlds> | undefined): Promise<void> {
    const memories: Memory[] = [];
    try {
      for (const world of this.#worlds) memories.push(await world.make(memories[0], saved?.[world.environment]));
    } catch (error) {
      for (const memory of memories) memory.close();
      throw error;
    }
    for (const [at, world] of this.#worlds.entries()) world.install(memories[at]!, saved?.[world.environment]);
    await this.#onReplace(saved);
    // The set may have been closed in the meantime.
    if (this.#isClosed) this.close();
  }

  /** Start over with the seeds, and reset the clock. @throws {EmulatorError} `closed`. */
  async reset(): Promise<void> {
    if (this.#isClosed) throw closed();
    this.#worlds[0]!.clock.reset();
    await this.replace();
  }

  /** Take a snapshot of all worlds. */
  snapshot(): Snapshot {
    return snapshotOf(Object.fromEntries(this.#worlds.map(({ environment, memory }) => [environment, memory.save()])));
  }

  /** Replace the contents of all worlds with a snapshot. @throws {EmulatorRefusal} 422 `invalid_snapshot`. */
  async restore(snapshot: Snapshot): Promise<void> {
    if (this.#isClosed) throw closed();
    const environments = this.#worlds.map(({ environment }) => environment);
    await this.replace(worldsIn(snapshot, environments));
  }

  /** Close the memories: cancel their tasks, and end everything that waits for them. */
  close(): void {
    this.#isClosed = true;
    for (const world of this.#worlds) if (world.isOpen) world.memory.close();
  }
}
