import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openState } from '../../../src/emulator/state/open.js';
import type { State } from '../../../src/emulator/state/state.js';
import { type Change, type SavedWorld, savedAfter } from '../../../src/emulator/store/store.js';

/** A folder for the state files of one test file, gone when its tests are done; each call names another file in it. */
export function stateFolder(): () => string {
  let folder: string;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${++count}.state`);
}

/** A state file, with the messages from opening it. */
export async function opened(file: string): Promise<{ readonly state: State; readonly said: readonly string[] }> {
  const said: string[] = [];
  const state = await openState(file, { print: (message) => said.push(message), objectionTo: () => undefined });
  return { state, said };
}

/** What a file says of an environment, read by opening it. */
export async function worldIn(file: string, environment = 'staging'): Promise<SavedWorld | undefined> {
  const { state } = await opened(file);
  const world = state.savedWorld(environment);
  await state.close();
  return world;
}

/** Write changes into a file: of a new one all that there is. */
export async function write(file: string, changes: readonly Change[], environment = 'staging'): Promise<void> {
  const { state } = await opened(file);
  const note = state.follow(environment, state.savedWorld(environment));
  state.begin();
  for (const change of changes) note(change);
  await state.close();
}

/** The saved world after these changes. */
export const worldAfter = (changes: readonly Change[]): SavedWorld => savedAfter({}, changes);

/** A change of a store. */
export const change = (store: string, key: string, value?: unknown): Change => ({ store, key, value });
