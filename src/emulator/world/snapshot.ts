import { isRecord } from '../../http/json.js';
import { type Fields, integer, opaqueAs, part, string } from '../../service/describe/define.js';
import { Refusal } from './refusal.js';
import type { SavedWorld } from './store.js';
import { objectionToWorld } from './store-names.js';

const format = 'sallyport-snapshot';
const version = 1;

/** Worlds by the environments that they are. */
export type SavedWorlds = Readonly<Record<string, SavedWorld>>;

export const snapshot = part({
  /** What it is: `sallyport-snapshot`. */
  format: string,
  /** Version of the format. An emulator restores its own. */
  version: integer,
  /** Everything that was in each environment, `staging` and `production`. It has secrets in it: keys, passwords' hashes, sessions. */
  worlds: opaqueAs<SavedWorlds>(),
});
/** Everything that an emulator remembered at one moment, as a JSON value. */
export interface Snapshot extends Readonly<Fields<typeof snapshot>> {}

/** The most bytes of a snapshot that comes over HTTP. */
export const mostSnapshotBytes = 256 * 1024 * 1024;

/** Snapshots that were made here: there is nothing to check about them. */
const own = new WeakSet<object>();

/** A snapshot of these worlds. It shares their records, and costs as little as there are. */
export function snapshotOf(worlds: SavedWorlds): Snapshot {
  const made: Snapshot = Object.freeze({ format, version, worlds: Object.freeze(worlds) });
  own.add(made);
  return made;
}

/** The worlds of a snapshot for an emulator with these environments. @throws {Refusal} 422 `invalid_snapshot`. */
export function worldsIn(given: Snapshot, environments: readonly string[]): SavedWorlds {
  const taken = 'Take one by snapshot(), and leave it as it is';
  // Whoever writes JavaScript may pass anything.
  if (!isRecord(given)) throw refusal('it is no object', taken);
  if (given.format !== format) throw refusal(`its format is ${JSON.stringify(given.format)}`, taken);
  if (given.version !== version)
    throw refusal(
      `its version is ${given.version}, and this version of sallyport restores version ${version}`,
      'Use the version of sallyport that made it',
    );
  const { worlds } = given;
  if (!isRecord(worlds)) throw refusal('its worlds are no object', taken);
  const names = Object.keys(worlds).sort().join(' and ');
  const wanted = [...environments].sort().join(' and ');
  if (names !== wanted)
    throw refusal(
      `it is of ${names || 'no environment'}, and this emulator has ${wanted}`,
      'Restore it in an emulator with the same environments',
    );
  if (own.has(given)) return worlds;
  for (const [environment, world] of Object.entries(worlds)) {
    const objection = isRecord(world) ? objectionToWorld(world) : 'it is no object of stores';
    if (objection) throw refusal(`of ${environment}, ${objection}`, 'Take a new one');
  }
  return worlds;
}

const refusal = (why: string, next: string): Refusal =>
  new Refusal(422, 'invalid_snapshot', `This snapshot cannot be restored: ${why}. ${next}`);
