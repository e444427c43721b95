import { expect, test } from 'vitest';
import { banner } from '../../src/cli/emulator/banner.js';
import { requestLine } from '../../src/cli/emulator/request-line.js';
import { changesText, refusalText } from '../../src/cli/emulator/seed-texts.js';
import { userLines } from '../../src/cli/emulator/seeded-people.js';
import { changesBetween } from '../../src/cli/emulator/watch-seed.js';
import { printable, printableJson, printableLines } from '../../src/cli/printable.js';
import { stage } from '../stage.js';

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

// Control characters, then the Arabic letter mark, the other direction marks, separators, overrides and isolates.
const unprintable = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0x061c,
  ...range(0x200e, 0x200f),
  ...range(0x2028, 0x2029),
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
];
const isUnprintable = new Set(unprintable);

test('only control characters, direction marks and separators are replaced in printed text', () => {
  for (const code of range(0, 0x10ffff)) {
    const text = String.fromCodePoint(code);
    if ((printable(text) === '?') !== (isUnprintable.has(code) || text === '?')) expect.fail(code.toString(16));
    if (!isUnprintable.has(code) && printable(text) !== text) expect.fail(code.toString(16));
  }
});

test('JSON with escaped unprintable characters parses to the original value', () => {
  const text = String.fromCodePoint(...unprintable);
  const json = printableJson({ [text]: [text, 'Ada 👩‍🚀'] }, 2);

  expect(json.split('\n')).toHaveLength(6);
  expect(printable(json.replaceAll('\n', ''))).toBe(json.replaceAll('\n', ''));
  expect(json).toContain('Ada 👩‍🚀');
  expect(JSON.parse(json)).toEqual({ [text]: [text, 'Ada 👩‍🚀'] });
});

test('an unprintable character is escaped in JSON with four hexadecimal digits', () => {
  expect(printableJson('a\u009b31m\u202eb\u007f')).toBe('"a\\u009b31m\\u202eb\\u007f"');
});

test('printed lines keep line breaks and tabs, but no other control characters', () => {
  expect(printableLines('one\n\ttwo\r\u001b[2J\u2028three')).toBe('one\n\ttwo??[2J?three');
});

const odd = 'a\u001b[2J\u009b31m\u202eb\n';
const harmless = 'a?[2J?31m?b?';

test('the printed line for a request contains no terminal control characters', () => {
  const line = requestLine({
    id: 'req_1',
    at: '2026-01-01T00:00:00.000Z',
    method: odd,
    path: `/${odd}`,
    status: 200,
    durationMs: 1,
    operation: null,
    clientMethod: odd,
    apiKey: null,
    idempotencyKey: null,
    requestBody: null,
    responseBody: null,
    location: null,
    ignoredFields: [odd],
    events: [{ id: 'event_1', event: odd }],
  });

  expect(line).toBe(
    `  00:00:00  200  ${harmless} /${harmless}  1.0 ms  ${harmless}  ignored: ${harmless}  → ${harmless}\n`,
  );
});

test('the printed lines about a seed contain no terminal control characters', () => {
  const changes = changesBetween({}, { [odd]: [{ name: odd }] });

  expect(changes).toEqual([odd]);
  expect(changesText(odd, changes)).toBe(
    `  ${harmless} has changed (${harmless}): the emulator was reset, and all users are signed out.\n`,
  );
  expect(changesText(odd, [])).toBe(`  ${harmless} is valid again and has no changes.\n`);
  expect(refusalText('one\n\u009btwo')).toContain('one\n?two.');
  expect(userLines([{ email: odd, password: odd }])).toEqual([`${harmless}  ${harmless}`]);
});

test('the banner contains no terminal control characters', async () => {
  const { emulator } = await stage({ clientId: odd });

  const text = banner(emulator, { seed: odd, users: [] });

  expect(printableLines(text)).toBe(text);
  expect(text).toContain(`  client id  ${harmless}\n`);
  expect(text).toContain(`  seed       ${harmless}\n`);
  await emulator.close();
});
