import { isRecord } from '../../http/json.js';
import { type Fields, integer, opaqueAs, part, string } from '../../service/describe/define.js';
import { EmulatorRefusal } from './refusal.js';
import type { SavedWorld } from './store.js';
import { objectionToWorld } from './store-names.js';

const format = 'sallyport-snapshot';
const version = 1;

/** Saved worlds by environment. */
export type SavedWorlds = Readonly<Record<string, SavedWorld>>;

export const snapshot = part({
  /** Always `sallyport-snapshot`. */
  format: string,
  /** Version of the format. An emulator only restores snapshots of its version. */
  version: integer,
  /** The contents of each environment, `staging` and `production`. Contains secrets: keys, password hashes, sessions. */
  worlds: opaqueAs<SavedWorlds>(),
});
/** Complete state of an emulator at one moment, as a JSON value. */
export interface Snapshot extends Readonly<Fields<typeof snapshot>> {}

/** Maximum size of a snapshot sent over HTTP, in bytes. */
export const maxSnapshotBytes = 256 * 1024 * 1024;

/** Snapshots taken by this process, which need no check. */
const taken = new WeakSet<object>();

/** Create a snapshot of worlds. It shares their records instead of copying them. */
export function snapshotOf(worlds: SavedWorlds): Snapshot {
  const result: Snapshot = Object.freeze({ format, version, worlds: Object.freeze(worlds) });
  taken.add(result);
  return result;
}

/** Check a snapshot, and return its worlds for an emulator with these environments. @throws {EmulatorRefusal} 422 `invalid_snapshot`. */
export function worldsIn(input: Snapshot, environments: readonly string[]): SavedWorlds {
  const hint = 'Take one with snapshot() and do not change it';
  // JavaScript callers may pass anything.
  if (!isRecord(input)) throw refusal('it is not an object', hint);
  if (input.format !== format) throw refusal(`its format is ${JSON.stringify(input.format)}`, hint);
  if (input.version !== version)
    throw refusal(
      `its version is ${input.version}, and this version of sallyport restores version ${version}`,
      'Use the version of sallyport that created it',
    );
  const { worlds } = input;
  if (!isRecord(worlds)) throw refusal('its worlds are not an object', hint);
  const names = Object.keys(worlds).sort().join(' and ');
  const expected = [...environments].sort().join(' and ');
  if (names !== expected)
    throw refusal(
      `it has ${names || 'no environment'}, and this emulator has ${expected}`,
      'Restore it in an emulator with the same environments',
    );
  if (taken.has(input)) return worlds;
  for (const [environment, world] of Object.entries(worlds)) {
    const objection = isRecord(world) ? objectionToWorld(world) : 'it is not an object of stores';
    if (objection) throw refusal(`in ${environment}, ${objection}`, 'Take a new one');
  }
  return worlds;
}

const refusal = (why: string, next: string): EmulatorRefusal =>
  new EmulatorRefusal(422, 'invalid_snapshot', `This snapshot cannot be restored: ${why}. ${next}`);
