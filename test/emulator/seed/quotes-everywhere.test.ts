import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { takesLong } from '../../runner/requirements.js';
import { printedFor } from './file.js';

const secret = 'Zebra7Quilt';
const company = parse(readFileSync('examples/company.yaml', 'utf8')) as object;

/** Copies of a value, each with one value in it replaced. */
function* withOneReplaced(value: unknown, others: readonly unknown[]): Generator<unknown> {
  yield* others;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, own] of Object.entries(value))
    for (const replaced of withOneReplaced(own, others))
      if (Array.isArray(value)) yield value.map((item, at) => (String(at) === name ? replaced : item));
      else yield { ...value, [name]: replaced };
}

takesLong('the error for a rejected seed', () => {
  test('does not quote invalid values from any field', async () => {
    const others = [
      secret,
      `${secret}@acme.test`,
      `https://acme.test/${secret}`,
      `${secret}.test`,
      [secret],
      { value: secret },
    ];
    let refused = 0;
    for (const [at, seed] of [...withOneReplaced(company, others)].entries()) {
      // One of five seeds: over all fields, each of the six values appears equally often.
      if (at % 5 > 0) continue;
      const printed = await printedFor(seed as object);
      if (printed !== '') refused++;
      expect(printed.toLowerCase(), JSON.stringify(seed)).not.toContain(secret.toLowerCase());
    }
    expect(refused).toBeGreaterThan(100);
  }, 300_000);
});
