import type { Codec } from '../service/describe/codec.js';
import { rooms, seedParts } from './all-rooms.js';
import { type InvitationRecord, invitations } from './rooms/invitations/records.js';
import { type PlantedSeed, plantedSeed } from './seed/planted.js';
import { seederOf } from './seed/seeding.js';
import type { Seed } from './seed.js';
import { apart, createIds } from './world/ids.js';
import type { SavedStore, SavedWorld } from './world/store.js';
import { World, type WorldParts } from './world/world.js';

/** A world as it was when everything had been planted in it. */
interface Image {
  readonly made: Promise<{ readonly saved: SavedWorld; readonly planted: PlantedSeed | undefined }>;
  /** What the clock showed then. */
  readonly plantedAt: number;
}

/** The most images of one beginning: worlds that were given ids of their own each have another. */
const mostImages = 4;
/** How long the times in an image pass for those of a world that begins now, where the clock follows real time. */
const freshnessMs = 10 * 60_000;

/**
 * What worlds begin with: what rooms put there, and a seed. It is planted once, and again only where times or settings are others:
 * worlds that begin alike share the image of the first.
 */
export class Beginning {
  readonly #seed: ReturnType<typeof seederOf>;
  /** The newest image for worlds of the same settings, the one made last last. */
  readonly #images = new Map<string, Image>();

  constructor(source: string | URL | Seed | object | undefined) {
    this.#seed = seederOf(source, seedParts);
  }

  /** A world that begins with this. @throws {ConfigurationError} The seed cannot be read, or asks for what cannot be. */
  async worldOf(parts: WorldParts): Promise<World> {
    const { clock, settings, idSeed } = parts;
    const now = clock.now();
    // Whoever has a world, and how many bytes it takes, has no part in what is planted.
    const { apiKeys: _, clientId: _id, issuer: _issuer, signingKey: _key, maxBodyBytes: _bytes, ...alike } = settings;
    const kind = JSON.stringify([alike, idSeed]);
    const image = this.#images.get(kind);
    if (image) {
      const age = now - image.plantedAt;
      const follows = 'aheadMs' in (clock.save?.() ?? {});
      if (age === 0 || (follows && age > 0 && age < freshnessMs)) {
        const { saved, planted } = await image.made;
        const world = worldWith({ ...parts, saved: ownCopyOf(saved, parts) });
        world.of(plantedSeed).now = planted;
        return world;
      }
    }
    const planting = this.#plant(parts);
    const made = planting.then((world) => ({ saved: imageOf(world), planted: world.of(plantedSeed).now }));
    this.#images.delete(kind);
    this.#images.set(kind, { made, plantedAt: now });
    for (const oldest of this.#images.keys()) {
      if (this.#images.size <= mostImages) break;
      this.#images.delete(oldest);
    }
    // What could not be planted is tried again.
    made.catch(() => this.#images.delete(kind));
    return planting;
  }

  /** What distinguishes the seed from others; empty where there is none. @throws {ConfigurationError} It is wrong. */
  async fingerprint(codec: Codec): Promise<string> {
    return (await this.#seed.fingerprint?.(codec)) ?? '';
  }

  async #plant(parts: WorldParts): Promise<World> {
    const world = worldWith(parts);
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

/** The most seeds of which worlds are made in turns without planting them anew. */
const mostBeginnings = 8;

/** The beginnings of worlds that were made of seeds given as objects: each test may give the same one again. */
export class Beginnings {
  /** By the text of the seed, the one used last last. */
  readonly #bySeed = new Map<string, Beginning>();

  /** The beginning with a seed; one for all that say the same. */
  of(seed: string | URL | Seed | undefined): Beginning {
    // A file may say something else by the next time.
    if (typeof seed !== 'object' || seed instanceof URL) return new Beginning(seed);
    const copy = copyOf(seed);
    if (copy === undefined) return new Beginning(seed);
    const { text } = copy;
    const beginning = this.#bySeed.get(text) ?? new Beginning(copy.seed);
    this.#bySeed.delete(text);
    this.#bySeed.set(text, beginning);
    for (const longest of this.#bySeed.keys()) {
      if (this.#bySeed.size <= mostBeginnings) break;
      this.#bySeed.delete(longest);
    }
    return beginning;
  }
}

/** A seed as it is now, and as JSON; undefined for what is none, which the seed itself says better. */
function copyOf(seed: Seed): { readonly seed: Seed; readonly text: string } | undefined {
  try {
    return { seed: structuredClone(seed), text: JSON.stringify(seed) };
  } catch {
    return undefined;
  }
}

/** A world that is ready for whoever uses it, with what its parts say was saved. */
export function worldWith(parts: WorldParts): World {
  const world = new World(parts);
  for (const room of rooms) room.start?.(world);
  return world;
}

/** Where invitations are saved. */
const invitationStore = invitations.name;

/** What is in a world, without what is its own: how its clock is set. */
function imageOf(world: World): SavedWorld {
  const { clock: _, ...image } = world.save();
  return image;
}

/** An image for one world: what comes next has ids of its own, and in a world that was made links lead to that world alone. */
function ownCopyOf(image: SavedWorld, { idSeed, name }: WorldParts): SavedWorld {
  // Under a seed of ids the image is for nobody else.
  if (idSeed !== undefined) return image;
  const copy: Record<string, SavedStore> = { ...image, ids: apart(image.ids ?? []) };
  if (name === undefined) return copy;
  const { token } = createIds({ now: () => 0 });
  // The one thing in a seed that goes by a token.
  const invited = image[invitationStore] as readonly (readonly [string, InvitationRecord | null])[] | undefined;
  if (invited)
    copy[invitationStore] = invited.map(([id, record]) => [
      id,
      record && Object.freeze({ ...record, token: token(record.token.length) }),
    ]);
  return copy;
}
