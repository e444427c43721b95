import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { triesAll } from '../../runner/property.js';
import { refusalOf, seedFolder } from './file.js';

const listOf = (count: number, itemAt: (at: number) => unknown): readonly unknown[] =>
  Array.from({ length: count }, (_, at) => itemAt(at));

const seedFile = seedFolder();
const [many, more] = triesAll ? [20_000, 100_000] : [5_000, 20_000];

const organizations = (itemAt: (at: number) => unknown, count: number) => ({ organizations: listOf(count, itemAt) });

test('the error for a seed with 100 problems lists ten problems and counts the rest', async () => {
  const lines = await refusalOf(organizations(() => ({ id: 'org_acme', name: 'Acme' }), 101));

  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe('  organizations[1].id is already used by organizations[0].id');
  expect(lines[10]).toBe('  and 90 more.');
});

test.each([
  ['repeated ids', organizations(() => ({ id: 'org_acme', name: 'Acme' }), more)],
  [
    'references to missing objects',
    { memberships: listOf(many, (at) => ({ user_id: `user_${at}`, organization_id: 'x' })) },
  ],
  ['items that are not objects', organizations(() => 0, more)],
  ['values that JSON cannot represent', organizations(() => new Map(), more)],
  ['unknown fields', organizations(() => Object.fromEntries(listOf(many, (at) => [`nam${at}`, 1]) as []), 1)],
  ['entries that break a rule', { roles: listOf(many, () => ({ slug: 'admin', name: 'Admin' })) }],
])('the error for a seed lists ten problems if the seed contains thousands of %s', async (_, seed) => {
  const lines = await refusalOf(seed);

  expect(lines).toHaveLength(11);
  expect(lines[10]).toBe('  and more.');
});

test('the error for a seed with more than 100 problems does not state the exact number of problems', async () => {
  await expect(createEmulator({ seed: { roles: Array(102).fill({ slug: 'admin', name: 'Admin' }) } })).rejects.toThrow(
    /^The seed has more than 100 problems\. Correct them and try again:\n/,
  );
});

test('the error for a YAML seed lists ten problems if the seed contains thousands of repeated fields', async () => {
  const lines = await refusalOf(seedFile(`organizations:\n  - name: Acme\n${'    name: Acme\n'.repeat(many)}`));

  expect(lines).toHaveLength(11);
  expect(lines[9]).toMatch(/^ {2}seed:12:5: /);
  expect(lines[10]).toBe('  and more.');
});
