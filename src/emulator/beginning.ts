import type { Codec } from '../service/describe/codec.js';
import { rooms, seedParts } from './all-rooms.js';
import { type InvitationRecord, invitations } from './rooms/invitations/records.js';
import { type PlantedSeed, plantedSeed } from './seed/planted.js';
import { seederOf } from './seed/seeding.js';
import type { Seed } from './seed.js';
import { createIds, skipAhead } from './world/ids.js';
import type { SavedStore, SavedWorld } from './world/store.js';
import { World, type WorldParts } from './world/world.js';

/** A world just after planting, to copy. */
interface Image {
  readonly made: Promise<{ readonly saved: SavedWorld; readonly planted: PlantedSeed | undefined }>;
  /** Time of the clock at planting. */
  readonly plantedAt: number;
}

/** Images per `Beginning`: worlds with different settings or id seeds need separate images. */
const maxImages = 4;
/** Maximum age of an image in milliseconds, if the clock follows real time. Older ones have outdated timestamps. */
const maxAgeMs = 10 * 60_000;

/**
 * Initial contents of worlds: those of the rooms, and a seed. They are planted once, and again only for other times or settings.
 * Otherwise new worlds copy the image of the first.
 */
export class Beginning {
  readonly #seed: ReturnType<typeof seederOf>;
  /** The latest image by settings, in order of creation. */
  readonly #images = new Map<string, Image>();

  constructor(source: string | URL | Seed | object | undefined) {
    this.#seed = seederOf(source, seedParts);
  }

  /** Create a world with these contents. @throws {ConfigurationError} The seed cannot be read or planted. */
  async worldOf(parts: WorldParts): Promise<World> {
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
        const { saved, planted } = await image.made;
        const world = startWorld({ ...parts, saved: copyForWorld(saved, parts) });
        world.of(plantedSeed).now = planted;
        return world;
      }
    }
    const planting = this.#plant(parts);
    const made = planting.then((world) => ({ saved: imageOf(world), planted: world.of(plantedSeed).now }));
    this.#images.delete(imageKey);
    this.#images.set(imageKey, { made, plantedAt: now });
    for (const oldest of this.#images.keys()) {
      if (this.#images.size <= maxImages) break;
      this.#images.delete(oldest);
    }
    // Retry a failed planting next time.
    made.catch(() => this.#images.delete(imageKey));
    return planting;
  }

  /** Hash of the seed; empty without one. @throws {ConfigurationError} The seed is invalid. */
  async fingerprint(codec: Codec): Promise<string> {
    return (await this.#seed.fingerprint?.(codec)) ?? '';
  }

  async #plant(parts: WorldParts): Promise<World> {
    const world = startWorld(parts);
    try {
      for (const room of rooms) room.begin?.(world);
      await this.#seed(world);
      return world;
    } catch (error) {
      world.close();
      throw error;
    }
  }
}

/** Seeds that are cached. */
const maxBeginnings = 8;

/** Cache of beginnings for seeds passed as objects, because tests often repeat a seed. */
export class Beginnings {
  /** By seed text, least recently used first. */
  readonly #bySeed = new Map<string, Beginning>();

  /** Get the beginning for a seed, shared by equal seeds. */
  of(seed: string | URL | Seed | undefined): Beginning {
    // A file may change, so it is not cached.
    if (typeof seed !== 'object' || seed instanceof URL) return new Beginning(seed);
    const copy = copyOf(seed);
    if (copy === undefined) return new Beginning(seed);
    const { text } = copy;
    const beginning = this.#bySeed.get(text) ?? new Beginning(copy.seed);
    this.#bySeed.delete(text);
    this.#bySeed.set(text, beginning);
    for (const oldest of this.#bySeed.keys()) {
      if (this.#bySeed.size <= maxBeginnings) break;
      this.#bySeed.delete(oldest);
    }
    return beginning;
  }
}

/** Copy a seed, with its JSON text. Returns undefined for values JSON cannot express, which planting reports with better errors. */
function copyOf(seed: Seed): { readonly seed: Seed; readonly text: string } | undefined {
  try {
    return { seed: structuredClone(seed), text: JSON.stringify(seed) };
  } catch {
    return undefined;
  }
}

/** Create a world and start its rooms. */
export function startWorld(parts: WorldParts): World {
  const world = new World(parts);
  for (const room of rooms) room.start?.(world);
  return world;
}

/** The store of invitations. */
const invitationStore = invitations.name;

/** Save a world as an image, without its clock. */
function imageOf(world: World): SavedWorld {
  const { clock: _, ...image } = world.save();
  return image;
}

/** Copy an image for one world. Later ids differ between copies, and a created world gets new invitation tokens. */
function copyForWorld(image: SavedWorld, { idSeed, name }: WorldParts): SavedWorld {
  // With an id seed, each world has a separate image.
  if (idSeed !== undefined) return image;
  const copy: Record<string, SavedStore> = { ...image, ids: skipAhead(image.ids ?? []) };
  if (name === undefined) return copy;
  const { token } = createIds({ now: () => 0 });
  // Only seeded invitations have tokens.
  const invited = image[invitationStore] as readonly (readonly [string, InvitationRecord | null])[] | undefined;
  if (invited)
    copy[invitationStore] = invited.map(([id, record]) => [
      id,
      record && Object.freeze({ ...record, token: token(record.token.length) }),
    ]);
  return copy;
}
