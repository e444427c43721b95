import type { Parser } from '../store/parser.js';
import type { SavedStore, SavedWorld } from '../store/store.js';
import { createIds, skipAhead } from '../world/ids.js';
import { createMemory, type Memory, type MemoryParts, publicTokens } from '../world/memory.js';
import type { MemorySource } from '../world/world.js';
import { type PlantedSeed, plantedSeed } from './planted.js';
import type { SeedPart } from './section.js';
import { seederOf } from './seeding.js';

/** The parts of a room that set up a memory. */
interface SeededRoom {
  readonly seed?: readonly SeedPart[];
  begin?(memory: Memory): void;
  start?(memory: Memory): void;
}

/** The saved state of a newly planted world. Other worlds are created as copies of it. */
interface Image {
  readonly contents: Promise<{ readonly saved: SavedWorld; readonly planted: PlantedSeed | undefined }>;
  /** Clock time when the world was planted, in milliseconds since 1970. */
  readonly plantedAt: number;
}

/** Maximum number of images per seed. Worlds with different settings or id seeds need separate images. */
const maxImages = 4;
/** Maximum age of an image in milliseconds, if the clock follows real time. Older images have outdated timestamps. */
const maxAgeMs = 10 * 60_000;

/**
 * Creates worlds with the same initial contents: the records of the rooms, and a seed. Only the first world is planted. Later
 * ones are copies of it, unless their settings or time differ.
 */
export class SeedImage implements MemorySource {
  readonly #rooms: readonly SeededRoom[];
  readonly #seed: ReturnType<typeof seederOf>;
  /** The latest image for each combination of settings and id seed, oldest first. */
  readonly #images = new Map<string, Image>();

  constructor(source: string | URL | object | undefined, rooms: readonly SeededRoom[]) {
    this.#rooms = rooms;
    this.#seed = seederOf(
      source,
      rooms.flatMap(({ seed = [] }) => seed),
    );
  }

  /** Create a memory with the seed. @throws {ConfigurationError} The seed cannot be read or planted. */
  async plant(parts: MemoryParts): Promise<Memory> {
    const { clock, settings, idSeed } = parts;
    const now = clock.now();
    // These settings do not affect planting.
    const {
      apiKeys: _,
      clientId: _id,
      issuer: _issuer,
      signingKey: _key,
      maxBodyBytes: _bytes,
      ...relevant
    } = settings;
    const imageKey = JSON.stringify([relevant, idSeed]);
    const image = this.#images.get(imageKey);
    if (image) {
      const age = now - image.plantedAt;
      const follows = 'aheadMs' in (clock.save?.() ?? {});
      if (age === 0 || (follows && age > 0 && age < maxAgeMs)) {
        const { saved, planted } = await image.contents;
        const memory = this.open({ ...parts, saved: copyForWorld(saved, parts) });
        memory.of(plantedSeed).now = planted;
        return memory;
      }
    }
    const planting = this.#plant(parts);
    const contents = planting.then((memory) => ({ saved: imageOf(memory), planted: memory.of(plantedSeed).now }));
    this.#images.delete(imageKey);
    this.#images.set(imageKey, { contents, plantedAt: now });
    for (const oldest of this.#images.keys()) {
      if (this.#images.size <= maxImages) break;
      this.#images.delete(oldest);
    }
    // Do not cache a failure: the next call plants again.
    contents.catch(() => this.#images.delete(imageKey));
    return planting;
  }

  /** Compute the hash of the seed. Returns an empty string without a seed. @throws {ConfigurationError} The seed is invalid. */
  async fingerprint(parser: Parser): Promise<string> {
    return (await this.#seed.fingerprint?.(parser)) ?? '';
  }

  /** Create a memory, saved or empty, and start its rooms. */
  open(parts: MemoryParts): Memory {
    const memory = createMemory(parts);
    for (const room of this.#rooms) room.start?.(memory);
    return memory;
  }

  async #plant(parts: MemoryParts): Promise<Memory> {
    const memory = this.open(parts);
    try {
      for (const room of this.#rooms) room.begin?.(memory);
      await this.#seed(memory);
      return memory;
    } catch (error) {
      memory.close();
      throw error;
    }
  }
}

/** Maximum number of cached seeds. */
const maxSeedImages = 8;

/** Caches the images of seeds that are passed as objects, because tests often reuse a seed. */
export class SeedImages {
  readonly #rooms: readonly SeededRoom[];
  /** By the JSON text of the seed, least recently used first. */
  readonly #bySeed = new Map<string, SeedImage>();

  constructor(rooms: readonly SeededRoom[]) {
    this.#rooms = rooms;
  }

  /** Get the image for a seed. Equal objects share one. */
  of(seed: string | URL | object | undefined): SeedImage {
    // A file may change, so it is not cached.
    const copy = typeof seed !== 'object' || seed instanceof URL ? undefined : copyOf(seed);
    if (copy === undefined) return new SeedImage(seed, this.#rooms);
    const { text } = copy;
    const image = this.#bySeed.get(text) ?? new SeedImage(copy.seed, this.#rooms);
    this.#bySeed.delete(text);
    this.#bySeed.set(text, image);
    for (const oldest of this.#bySeed.keys()) {
      if (this.#bySeed.size <= maxSeedImages) break;
      this.#bySeed.delete(oldest);
    }
    return image;
  }
}

/** Copy a seed and get its JSON text. Returns undefined if that fails; planting then reports a better error. */
function copyOf(seed: object): { readonly seed: object; readonly text: string } | undefined {
  try {
    return { seed: structuredClone(seed), text: JSON.stringify(seed) };
  } catch {
    return undefined;
  }
}

/** Save a world as an image, without its clock. */
function imageOf(memory: Memory): SavedWorld {
  const { clock: _, ...image } = memory.save();
  return image;
}

/** Copy an image for one world. Copies generate different ids. A created world also gets new public tokens. */
function copyForWorld(image: SavedWorld, { idSeed, name }: MemoryParts): SavedWorld {
  // With an id seed, each world has a separate image.
  if (idSeed !== undefined) return image;
  const copy: Record<string, SavedStore> = { ...image, ids: skipAhead(image.ids ?? []) };
  if (name === undefined) return copy;
  const { token } = createIds({ now: () => 0 });
  for (const [store, field] of publicTokens) {
    // Ids and keys of a seed stay, because the seed may name them.
    if (field === 'id' || !image[store]) continue;
    copy[store] = image[store].map(([id, record]) => [id, record && withToken(record, field, token)]);
  }
  return copy;
}

/** Replace the public token of a record with a new one of the same length. */
function withToken(record: object, field: string, token: (length: number) => string): object {
  const { [field]: before } = record as Readonly<Record<string, unknown>>;
  return Object.freeze({ ...record, [field]: token(String(before).length) });
}
