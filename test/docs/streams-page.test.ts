import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// docs/streams.md names every state of a stream and every option, and the numbers that hold by default.

const page = readFileSync('docs/streams.md', 'utf8');
const options = readFileSync('src/streams/options.ts', 'utf8');
const [, declared = ''] = options.split('export interface FollowOptions');
const names = [...declared.split('\n}\n')[0]!.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = '']) => name);

test('every state is in its table, and no other', () => {
  const states = [...readFileSync('src/streams/status.ts', 'utf8').matchAll(/^ {2}\| '(\w+)'/gm)].map(
    ([, state = '']) => state,
  );
  const [, table = ''] = page.split('| `state` | |\n|---|---|\n');

  expect(states.length).toBeGreaterThan(5);
  expect([...table.split('\n\n')[0]!.matchAll(/^\| `(\w+)`/gm)].map(([, state]) => state)).toEqual(states);
});

test('every option except the filters is named', () => {
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

test('the first example ends the access of a person whom a directory deactivates', () => {
  const [example = ''] = page.split('## What is promised');

  expect(example).toContain("'dsync.user.updated': (event) => setAccess(event.data)");
  expect(example).toContain("if (state === 'active') await grantAccess(id, email);\n  else await removeAccess(id);");
  expect(example).toContain("`state: 'inactive'`");
});
