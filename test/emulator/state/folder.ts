import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { openState } from '../../../src/emulator/state/open.js';
import type { State } from '../../../src/emulator/state/state.js';
import type { Change, SavedWorld } from '../../../src/emulator/store/store.js';
import { savedAfter } from '../store/saved-after.js';

/** Create a folder for the state files of one suite, removed after it. Each call of the result returns a new path. */
export function stateFolder(): () => string {
  let folder: string;
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${++count}.state`);
}

/** Open a state file. `messages` are those printed while it is used. */
export async function openFile(file: string): Promise<{ readonly state: State; readonly messages: readonly string[] }> {
  const messages: string[] = [];
  const state = await openState(file, { print: (message) => messages.push(message), objectionTo: () => undefined });
  return { state, messages };
}

/** Open a file and return its saved world of an environment. */
export async function worldIn(file: string, environment = 'staging'): Promise<SavedWorld | undefined> {
  const { state } = await openFile(file);
  const world = state.savedWorld(environment);
  await state.close();
  return world;
}

/** A world that a state can follow. A call of it makes a change. */
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

/** Create a world that the state follows from now on. */
export function followedWorld(state: State, environment = 'staging', saved = state.savedWorld(environment)) {
  const world = worldWith(saved);
  state.follow(environment, world);
  state.begin();
  return world;
}

/** Write changes into a file. */
export async function write(file: string, changes: readonly Change[], environment = 'staging'): Promise<void> {
  const { state } = await openFile(file);
  const note = followedWorld(state, environment);
  for (const change of changes) note(change);
  await state.close();
}

/** The saved world after these changes. */
export const worldAfter = (changes: readonly Change[]): SavedWorld => savedAfter({}, changes);

/** A change of a store. */
export const change = (store: string, key: string, value?: unknown): Change => ({ store, key, value });
