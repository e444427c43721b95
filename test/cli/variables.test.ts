import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.js';
import { readFlagFile } from '../../src/cli/flag-file.js';
import { variablesOf } from '../../src/cli/variables.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-variables-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string, encoding: BufferEncoding = 'utf8'): void =>
  writeFileSync(join(folder, name), text, encoding);

test.each(['.env', '.env.local'])('the first variable in %s is read even if the file has a byte order mark', (name) => {
  write(name, '\ufeffSALLYPORT_API_KEY=sk_test_ours\r\nSALLYPORT_CLIENT_ID=client_ours\r\n');

  expect([...variablesOf(folder, {})]).toEqual([
    ['SALLYPORT_API_KEY', { value: 'sk_test_ours', source: name }],
    ['SALLYPORT_CLIENT_ID', { value: 'client_ours', source: name }],
  ]);
});

test('variables after a line encoded in Latin-1 are read', () => {
  write('.env', 'COMPANY=Caf\u00e9\nSALLYPORT_API_KEY=sk_test_ours\n', 'latin1');

  expect(variablesOf(folder, {}).get('SALLYPORT_API_KEY')?.value).toBe('sk_test_ours');
});

test.each([
  ['with', '\ufeff'],
  ['without', ''],
])('an environment file in UTF-16 %s a byte order mark is rejected', (_with, mark) => {
  write('.env', `${mark}SALLYPORT_API_KEY=sk_test_ours\n`, 'utf16le');

  expect(() => variablesOf(folder, {})).toThrow(
    new CommandError(
      '.env is not UTF-8 text: it may be UTF-16, which the > of Windows PowerShell writes. Save it as UTF-8 and try again.',
    ),
  );
});

test('a file passed with --https-key can start with a byte order mark', () => {
  write('key.pem', '\ufeff-----BEGIN PRIVATE KEY-----\n');

  expect(readFlagFile('--https-key', join(folder, 'key.pem'))).toBe('-----BEGIN PRIVATE KEY-----\n');
});
