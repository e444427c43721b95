import { expect, test } from 'vitest';
import { changesBetween } from '../../src/cli/emulator/watch-seed.js';

test.each([
  ['a section that changed', { roles: [{ slug: 'a' }] }, { roles: [{ slug: 'b' }] }, ['roles']],
  ['a new section', { users: [] }, { users: [], api_keys: [{ value: 'sk_secret' }] }, ['api_keys']],
  ['a section that is gone', { users: [], roles: [] }, { users: [] }, ['roles']],
  ['nothing if the missing section was null', { users: null, $schema: 'x' }, {}, []],
])('the changes between two seeds contain %s', (_what, before, after, changes) => {
  expect(changesBetween(before, after)).toEqual(changes);
});
