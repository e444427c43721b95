import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Sallyport } from 'sallyport';
import { createBrowserClient } from 'sallyport/browser';
import { createSessions } from 'sallyport/session';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { user as described } from '../../src/service/users.js';
import { hostOf } from '../builds/compiler.js';
import { type Entries, usersOf } from './three-ways.js';

/** Every field of a user as the service writes it. */
const wireUser = {
  object: 'user',
  id: 'user_01',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email_verified: true,
  profile_picture_url: 'https://images.test/ada.png',
  external_id: 'crm-7',
  metadata: { favourite_colour: 'green' },
  last_sign_in_at: '2026-01-01T00:00:00.000Z',
  locale: 'en-GB',
  created_at: '2025-01-01T00:00:00.000Z',
  updated_at: '2025-06-01T00:00:00.000Z',
};

describe('a user reads the same in the client, in a session and in a browser', () => {
  const entries: Entries = { Sallyport, createSessions, createBrowserClient };

  test('with every field', async () => {
    const expected = {
      object: 'user',
      id: 'user_01',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      emailVerified: true,
      profilePictureUrl: 'https://images.test/ada.png',
      externalId: 'crm-7',
      metadata: { favourite_colour: 'green' },
      lastSignInAt: '2026-01-01T00:00:00.000Z',
      locale: 'en-GB',
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-06-01T00:00:00.000Z',
    };

    const users = await usersOf(entries, wireUser);

    expect(users).toEqual({ client: expected, session: expected, browser: expected });
    expect(Object.keys(described.shape).filter((name) => !(name in expected))).toEqual([]);
  });

  test('with as few fields as it may have', async () => {
    const { object, id, email, email_verified, created_at, updated_at } = wireUser;
    const expected = {
      object: 'user',
      id: 'user_01',
      email: 'ada@example.com',
      firstName: null,
      lastName: null,
      emailVerified: true,
      profilePictureUrl: null,
      externalId: null,
      lastSignInAt: null,
      locale: null,
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-06-01T00:00:00.000Z',
    };

    const users = await usersOf(entries, { object, id, email, email_verified, created_at, updated_at });

    expect(users).toEqual({ client: expected, session: expected, browser: expected });
  });

  test('with an undescribed field, under its wire name', async () => {
    const { client, session, browser } = await usersOf(entries, { ...wireUser, shoe_size: 38 });

    expect([client, session, browser]).toEqual(Array(3).fill(expect.objectContaining({ shoe_size: 38 })));
  });
});

describe('a field added to the description of a user', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-user-'));
    for (const name of ['src', 'tsconfig.json', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Puts lines behind another one in a file of the copy. */
  const insert = (path: string, behind: string, lines: string): void => {
    const text = readFileSync(join(folder, path), 'utf8');
    if (!text.includes(behind)) throw new Error(`${path} has no ${behind}`);
    writeFileSync(join(folder, path), text.replace(behind, `${behind}\n${lines}`));
  };
  const describeField = (lines: string) => insert('src/service/users.ts', "export const user = model('user', {", lines);
  const read = (lines: string) => insert('src/oauth/user.ts', 'export const user: FieldMap<User> = {', lines);

  /** What the compiler says of the list of fields in the copy. */
  const complaints = (): readonly string[] => {
    const file = join(folder, 'src/oauth/user.ts');
    const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file] }, ts.sys, folder);
    const program = ts.createProgram([file], options, hostOf(options));
    return program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };

  test('does not compile until sessions and browsers read it, and then arrives in all three under its name', async () => {
    expect(complaints()).toEqual([]);

    describeField(
      '  /** For calling. */\n  phoneNumber: optional(string),\n  /** What friends say. */\n  nickName: nullable(string),',
    );
    expect(complaints().join()).toMatch(/missing the following properties .*phoneNumber/);
    read('  phoneNumber: keep,\n  nickName: keep,');
    expect(complaints().join()).toMatch(/"keep".*not assignable.*"nullable"/s);
    const list = join(folder, 'src/oauth/user.ts');
    writeFileSync(list, readFileSync(list, 'utf8').replace('nickName: keep', 'nickName: nullable'));
    expect(complaints()).toEqual([]);

    const program = join(folder, 'entries.mjs');
    await build({
      stdin: {
        contents: `export { Sallyport } from './src/index.js';
          export { createSessions } from './src/session/index.js';
          export { createBrowserClient } from './src/browser/index.js';`,
        resolveDir: folder,
        loader: 'ts',
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile: program,
    });
    const entries = (await import(/* @vite-ignore */ pathToFileURL(program).href)) as Entries;
    const users = await usersOf(entries, { ...wireUser, phone_number: '+44 20 7946 0000' });

    const field = expect.objectContaining({ phoneNumber: '+44 20 7946 0000', nickName: null });
    expect(users).toEqual({ client: field, session: field, browser: field });
    expect(Object.values(users).flatMap((user) => Object.keys(user ?? {}))).not.toContain('phone_number');
  }, 60_000);
});
