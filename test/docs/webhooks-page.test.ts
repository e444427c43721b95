import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// docs/webhooks.md names every reason of a refusal and every outcome, and none that does not exist.

const page = readFileSync('docs/webhooks.md', 'utf8');

/** The names in the first cells of the table under a heading. */
const named = (heading: string): string[] => {
  const [, text = ''] = page.split(`\n## ${heading}\n`);
  const rows = text.split('\n## ')[0]!.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm);
  return [...rows].flatMap(([, names = '']) => [...names.matchAll(/\w+/g)].map(String)).slice(1);
};
/** The texts of a union in a file. */
const textsIn = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(file, 'utf8').matchAll(pattern)].flatMap(([, texts = '']) =>
    [...texts.matchAll(/'(\w+)'/g)].map(([, text = '']) => text),
  );

test('every reason is in its table, and no other', () => {
  const reasons = textsIn('src/webhooks/verification-error.ts', /^ {2}\| ('\w+')/gm);

  expect(reasons.length).toBeGreaterThan(8);
  expect(named('When a delivery is refused').sort()).toEqual(reasons.sort());
});

test('every outcome is in its table, and no other', () => {
  const outcomes = textsIn('src/webhooks/receive-options.ts', /readonly outcome: (.+);/g);

  expect(outcomes.length).toBeGreaterThan(5);
  expect(named('What it gives').sort()).toEqual(outcomes.sort());
});

test('the weights that it names are those of the budgets', async () => {
  const { budgets } = await import('../package/budgets.js');

  expect(page).toContain(
    `it is ${budgets.webhooks / 1024} KB where \`receive\` is ${budgets.webhooksReceived / 1024}.`,
  );
});
