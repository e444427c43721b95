import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { example, manifest, project } from './project.js';

const { folder, write, read, files, init, done, unfinished } = project();

const express = manifest({ express: '^5.3.0' }, { type: 'module' });
const next = { ...manifest({ next: '16.4.5' }), 'app/layout.tsx': '', 'tsconfig.json': '{}' };

const bytesOf = (name: string): Buffer => readFileSync(join(folder(), name));
const writeBytes = (name: string, bytes: Buffer): void => writeFileSync(join(folder(), name), bytes);
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

takesLong('sallyport init', () => {
  test.each([
    ['Latin-1 text', Buffer.from('COMPANY=Caf\u00e9 M\u00fcller\n', 'latin1')],
    ['Windows-1252 text', Buffer.from([...Buffer.from('PRICE='), 0x80, 0x35, 0x0a])],
    ['UTF-8 text', Buffer.from('COMPANY=Café 株式会社 🦀\n')],
    ['UTF-8 text with a byte order mark', Buffer.from('\ufeffOTHER=1\n')],
    ['UTF-8 text with trailing blank lines', Buffer.from('OTHER=1\n\n\n\n')],
  ])('does not change existing %s in .env and .gitignore files', async (_encoding, before) => {
    write(express);
    writeBytes('.env', before);
    writeBytes('.gitignore', before);

    await done();

    for (const name of ['.env', '.gitignore']) expect(bytesOf(name).subarray(0, before.length)).toEqual(before);
    expect(read('.env')).toMatch(/\n\n# The emulator/);
    expect(read('.env')).toMatch(/^SALLYPORT_COOKIE_PASSWORD=.{43}\n/m);
    expect(read('.gitignore')).toMatch(/\n\n\.env\n$/);
  });

  test.each([
    ['OTHER=1\r\n', 'OTHER=1\r\n\r\n'],
    ['OTHER=1\r\nLAST=2', 'OTHER=1\r\nLAST=2\r\n\r\n'],
    ['OTHER=1\r\n\r\n', 'OTHER=1\r\n\r\n'],
    ['UNIX=1\nWINDOWS=2\r\n', 'UNIX=1\nWINDOWS=2\r\n\r\n'],
    ['WINDOWS=1\r\nUNIX=2\n', 'WINDOWS=1\r\nUNIX=2\n\n'],
  ])('reuses the last line ending in the existing text %j for the appended lines', async (text, before) => {
    write({ ...express, '.env': text, '.gitignore': text });

    await done();

    const lineEnd = before.endsWith('\r\n') ? '\r\n' : '\n';
    expect(read('.gitignore')).toBe(`${before}.env${lineEnd}`);
    const added = read('.env').slice(before.length);
    expect(read('.env').startsWith(before)).toBe(true);
    expect(added.match(/\r?\n/g)).toEqual(Array(added.split('\n').length - 1).fill(lineEnd));
  });

  test.each(['.env', '.gitignore', 'sallyport.js', 'server.js'])(
    'writes nothing if %s is encoded in UTF-16, and says what to do',
    async (name) => {
      write(express);
      const bytes = utf16('DATABASE_URL=postgres://localhost/app\r\n');
      writeBytes(name, bytes);
      const before = files();

      const { output, exit } = init();

      expect([await exit, output.out]).toEqual([1, '']);
      expect(output.err).toBe(
        `sallyport: ${name} is not UTF-8 text: it may be UTF-16, which the > of Windows PowerShell writes. Save it as UTF-8 and try again.\n`,
      );
      expect(files()).toEqual(before);
      expect(bytesOf(name)).toEqual(bytes);
    },
  );

  test('reads the first variable in an .env.local file with a byte order mark', async () => {
    write({ ...next, '.env.local': '\ufeffSALLYPORT_API_KEY=sk_test_ours\nSALLYPORT_CLIENT_ID=client_ours\n' });

    await done();

    expect(read('.env.local').match(/^\ufeff?SALLYPORT_(?:API_KEY|CLIENT_ID)=.*/gm)).toEqual([
      '\ufeffSALLYPORT_API_KEY=sk_test_ours',
      'SALLYPORT_CLIENT_ID=client_ours',
    ]);
  });

  test('recognizes a server that starts with a byte order mark as an ES module', async () => {
    write({ ...manifest({ express: '^5.3.0' }), 'server.js': "\ufeffimport express from 'express';\r\n" });

    await unfinished();

    expect(read('sallyport.mjs')).toMatch(/^export const session = /m);
  });

  test('does not change files that git has checked out with Windows line endings', async () => {
    write(next);
    await done();
    for (const name of ['sallyport.ts', 'proxy.ts']) write({ [name]: `\ufeff${read(name).replaceAll('\n', '\r\n')}` });

    const printed = await done();

    expect(printed).toContain('unchanged sallyport.ts\n');
    expect(printed).toContain('unchanged proxy.ts\n');
  });

  test('keeps the line endings of a replaced file', async () => {
    write({ ...next, 'sallyport.ts': '// mine\r\n' });

    await done('--force');

    expect(read('sallyport.ts')).toBe(example('frameworks/next/sallyport.ts').replaceAll('\n', '\r\n'));
  });
});
