import { readFileSync } from 'node:fs';
import { exactlyOnceTables } from 'sallyport/streams';
import { expect, test } from 'vitest';

const page = readFileSync('docs/exactly-once.md', 'utf8');

test('docs/exactly-once.md shows the tables that setUp() makes', () => {
  expect(page).toContain(`\`\`\`sql\n${exactlyOnceTables('postgres')}\`\`\``);
});

test('docs/exactly-once.md names the commands that there are', () => {
  const commands = [...page.matchAll(/^npx sallyport dead-letters (\w+)/gm)].map(([, action]) => action);

  expect(commands).toEqual(['list', 'show', 'edit', 'replay', 'remove']);
});
