import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// docs/testing.md shows lines of examples/testing, which tests run, and no others.

const folder = 'examples/testing';
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
const blocks = [...readFileSync('docs/testing.md', 'utf8').matchAll(/^```\w+\n(.*?)\n```$/gms)].map(
  ([, code = '']) => code,
);

/** A text without the blanks that its lines begin with: the page moves lines to the left. */
const flush = (text: string): string => text.replace(/^ +/gm, '');

test('the page about tests shows what the examples say', () => {
  expect(blocks.length).toBeGreaterThan(5);
  expect(blocks.filter((code) => !files.some((text) => flush(text).includes(flush(code))))).toEqual([]);
});
