import { expect, test } from 'vitest';
import { changesBetween } from '../../src/cli/emulator/watch-seed.js';

test.each([
  ['a changed section', { roles: [{ slug: 'a' }] }, { roles: [{ slug: 'b' }] }, ['roles']],
  ['a new section', { users: [] }, { users: [], api_keys: [{ value: 'sk_secret' }] }, ['api_keys']],
  ['a removed section', { users: [], roles: [] }, { users: [] }, ['roles']],
  ['no removed section that had the value null', { users: null, $schema: 'x' }, {}, []],
])('the changes between two seeds contain %s', (_what, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes);
});
