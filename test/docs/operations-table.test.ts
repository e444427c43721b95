import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operationsTable } from '../../scripts/operations-table.js';
import { servedOperations } from '../../src/emulator/all-rooms.js';
import { address, get, room } from '../../src/service/describe/operation.js';
import { operations } from '../../src/service/operations.js';

const things = room('users', 'things', {
  get: get('/things/:id', { client: 'getThing', extension: true }),
  open: address('/things/open', { client: 'getThingUrl', earlier: true, deprecated: true }),
});
const all = { 'users.get': things.get, 'users.open': things.open };

test('docs/operations.md is up to date: `npm run docs` writes it', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

  expect(page).toBe(operationsTable(operations, servedOperations));
});

test('an operation has its row, with its marks and whether the emulator serves it', () => {
  const page = operationsTable(all, new Set(['users.get']));

  expect(page).toContain(
    '| `users.get` | GET | `/things/:id` | [`things.getThing`](reference/things.md#getthing) | yes | extension |',
  );
  expect(page).toContain(
    '| `users.open` | GET | `/things/open` | [`things.getThingUrl`](reference/things.md#getthingurl) | no | deprecated, earlier, address |',
  );
});

test('every method is a link to where the reference describes it', () => {
  const links = [
    ...operationsTable(operations, servedOperations).matchAll(/\[`([\w.]+)`\]\(([\w/-]+\.md)#([\w-]+)\)/g),
  ];
  const astray = links.filter(([, method, page, anchor]) => {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
    const headings = text.match(/(?<=^#+ ).+$/gm) ?? [];
    return headings.find((heading) => heading.toLowerCase() === anchor) !== method!.split('.').at(-1);
  });

  expect(links).toHaveLength(114);
  expect(astray.map(([link]) => link)).toEqual([]);
});

test('the page says how much there is beyond the specification, and how much the emulator serves', () => {
  const page = operationsTable(all, new Set(['users.get']));

  expect(page).toContain(
    '1 operations from the specification and 1 extensions. The emulator serves 1 of these 2 operations.',
  );
});
