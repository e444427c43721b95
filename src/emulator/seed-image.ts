import { rooms, seedParts } from './registry.js';
import { type InvitationRecord, invitations } from './rooms/invitations/records.js';
import { type PlantedSeed, plantedSeed } from './seed/planted.js';
import { seederOf } from './seed/seeding.js';
import type { Seed } from './seed.js';
import type { Parser } from './store/parser.js';
import type { SavedStore, SavedWorld } from './store/store.js';
import { createIds, skipAhead } from './world/ids.js';
import { Memory, type MemoryParts } from './world/memory.js';

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
export class SeedImage {
  readonly #seed: ReturnType<typeof seederOf>;
  /** The latest image for each combination of settings and id seed, oldest first. */
  readonly #images = new Map<string, Image>();

  constructor(source: string | URL | Seed | object | undefined) {
    this.#seed = seederOf(source, seedParts);
  }

  /** Create a world with these contents. @throws {ConfigurationError} The seed cannot be read or planted. */
  async createMemory(parts: MemoryParts): Promise<Memory> {
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
        const memory = startMemory({ ...parts, saved: copyForWorld(saved, parts) });
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

  async #plant(parts: MemoryParts): Promise<Memory> {
    const memory = startMemory(parts);
    try {
      for (const room of rooms) room.begin?.(memory);
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
  /** By the JSON text of the seed, least recently used first. */
  readonly #bySeed = new Map<string, SeedImage>();

  /** Get the image for a seed. Equal objects share one. */
  of(seed: string | URL | Seed | undefined): SeedImage {
    // A file may change, so it is not cached.
    if (typeof seed !== 'object' || seed instanceof URL) return new SeedImage(seed);
    const copy = copyOf(seed);
    if (copy === undefined) return new SeedImage(seed);
    const { text } = copy;
    const image = this.#bySeed.get(text) ?? new SeedImage(copy.seed);
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
function copyOf(seed: Seed): { readonly seed: Seed; readonly text: string } | undefined {
  try {
    return { seed: structuredClone(seed), text: JSON.stringify(seed) };
  } catch {
    return undefined;
  }
}

/** Create a world and start its rooms. */
export function startMemory(parts: MemoryParts): Memory {
  const memory = new Memory(parts);
  for (const room of rooms) room.start?.(memory);
  return memory;
}

/** Name of the store of invitations. */
const invitationStore = invitations.name;

/** Save a world as an image, without its clock. */
function imageOf(memory: Memory): SavedWorld {
  const { clock: _, ...image } = memory.save();
  return image;
}

/** Copy an image for one world. Copies generate different ids. A created world also gets new invitation tokens. */
function copyForWorld(image: SavedWorld, { idSeed, name }: MemoryParts): SavedWorld {
  // With an id seed, each world has a separate image.
  if (idSeed !== undefined) return image;
  const copy: Record<string, SavedStore> = { ...image, ids: skipAhead(image.ids ?? []) };
  if (name === undefined) return copy;
  const { token } = createIds({ now: () => 0 });
  // Invitations are the only seeded records with tokens.
  const invited = image[invitationStore] as readonly (readonly [string, InvitationRecord | null])[] | undefined;
  if (invited)
    copy[invitationStore] = invited.map(([id, record]) => [
      id,
      record && Object.freeze({ ...record, token: token(record.token.length) }),
    ]);
  return copy;
}
