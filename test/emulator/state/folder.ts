import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { openState } from '../../../src/emulator/state/open.js';
import type { State } from '../../../src/emulator/state/state.js';
import type { Change, SavedWorld } from '../../../src/emulator/store/store.js';
import { savedAfter } from '../store/saved-after.js';

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

/** A world that a state follows. Calling it makes a change. */
export function worldWith(saved: SavedWorld = {}) {
  let world = saved;
  let changes: Change[] = [];
  const listeners: ((change: Change) => void)[] = [];
  const act = (change: Change): void => {
    changes.push(change);
    for (const listener of listeners) listener(change);
  };
  return Object.assign(act, {
    save: () => {
      world = savedAfter(world, changes);
      changes = [];
      return world;
    },
    onChange: (listener: (change: Change) => void) => {
      listeners.push(listener);
      return () => expect.unreachable('the state stops following a world');
    },
  });
}

/** Create a world that a state follows from now on. */
export function followed(state: State, environment = 'staging', saved = state.savedWorld(environment)) {
  const world = worldWith(saved);
  state.follow(environment, world);
  state.begin();
  return world;
}

/** Write changes into a file. */
export async function write(file: string, changes: readonly Change[], environment = 'staging'): Promise<void> {
  const { state } = await opened(file);
  const note = followed(state, environment);
  for (const change of changes) note(change);
  await state.close();
}

/** The saved world after these changes. */
export const worldAfter = (changes: readonly Change[]): SavedWorld => savedAfter({}, changes);

/** A change of a store. */
export const change = (store: string, key: string, value?: unknown): Change => ({ store, key, value });
