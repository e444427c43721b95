import { expect, test } from 'vitest';
// These modules declare which of their fields is a public token.
import '../../../../src/emulator/rooms/invitations/records.js';
import '../../../../src/emulator/sign-in/sessions/sessions.js';
import { Table } from '../../../../src/emulator/store/table.js';
import { TokenOwners } from '../../../../src/emulator/world/token-owners.js';
import { emptyWorld } from '../../world/empty-world.js';

/** Creates a memory with tables of sessions and invitations. */
const newWorld = () => {
  const memory = emptyWorld();
  const store = (name: string) => memory.keep(name, (keeper) => new Table<object>(keeper));
  return { memory, sessions: store('session'), invitations: store('invitation') };
};

test('the world of a session is found until the session is deleted', () => {
  const names = new TokenOwners();
  const owner = {};
  const { memory, sessions } = newWorld();
  names.follow(owner, memory, { session: [['session_saved', {}]] });
  sessions.set('session_a', {});

  expect([names.ownerOf('session_saved'), names.ownerOf('session_a')]).toEqual([owner, owner]);
  sessions.delete('session_a');
  expect([names.ownerOf('session_saved'), names.ownerOf('session_a')]).toEqual([owner, undefined]);
});

test('the links that a world starts with are found too', () => {
  const names = new TokenOwners();
  const owner = {};
  const saved = { invitation: [['invitation_gone', null] as const, ['invitation_a', { token: 'abc' }] as const] };

  names.follow(owner, newWorld().memory, saved);

  expect([names.ownerOf('abc'), names.ownerOf('invitation_a')]).toEqual([owner, undefined]);
});

test('closing a world forgets its tokens, but not those of the world that replaces it', () => {
  const names = new TokenOwners();
  const owner = {};
  const before = newWorld();
  names.follow(owner, before.memory, {});
  for (const id of ['session_old', 'session_restored']) before.sessions.set(id, {});
  before.invitations.set('invitation_old', { token: 'token of invitation_old' });
  names.follow(owner, newWorld().memory, { session: [['session_restored', {}]] });

  before.memory.close();

  const all = ['session_old', 'token of invitation_old', 'session_restored'];
  expect(all.map((name) => names.ownerOf(name))).toEqual([undefined, undefined, owner]);
});
