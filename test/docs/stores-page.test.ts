import { readFileSync } from 'node:fs';
import { postgresStoreTable } from 'sallyport/stores';
import { expect, test } from 'vitest';

test('docs/stores.md shows the table that setUp() makes', () => {
  expect(readFileSync('docs/stores.md', 'utf8')).toContain(`\`\`\`sql\n${postgresStoreTable()}\n\`\`\``);
});
