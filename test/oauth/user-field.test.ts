import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostOf } from '../builds/compiler.js';
import { takesLong } from '../runner/requirements.js';
import { type Entries, usersOf, wireUser } from './three-ways.js';

takesLong('a new user field', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-user-'));
    for (const name of ['src', 'tsconfig.json', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Insert lines after another line in a file of the copy. */
  const insert = (path: string, behind: string, lines: string): void => {
    const text = readFileSync(join(folder, path), 'utf8');
    if (!text.includes(behind)) throw new Error(`${path} has no ${behind}`);
    writeFileSync(join(folder, path), text.replace(behind, `${behind}\n${lines}`));
  };
  const describeField = (lines: string) => insert('src/service/users.ts', "export const user = model('user', {", lines);
  const read = (lines: string) => insert('src/oauth/grant.ts', 'const user: FieldMap<User> = {', lines);

  /** The errors of the compiler about the list of fields in the copy. */
  const complaints = (): readonly string[] => {
    const file = join(folder, 'src/oauth/grant.ts');
    const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file] }, ts.sys, folder);
    const program = ts.createProgram([file], options, hostOf(options));
    return program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };

  test('causes compiler errors until sessions and browsers decode the field', async () => {
    expect(complaints()).toEqual([]);

    describeField(
      '  /** For calling. */\n  phoneNumber: optional(string),\n  /** What friends say. */\n  nickName: nullable(string),',
    );
    expect(complaints().join()).toMatch(/missing the following properties .*phoneNumber/);
    read('  phoneNumber: keep,\n  nickName: keep,');
    expect(complaints().join()).toMatch(/"keep".*not assignable.*"nullable"/s);
    const list = join(folder, 'src/oauth/grant.ts');
    writeFileSync(list, readFileSync(list, 'utf8').replace('nickName: keep', 'nickName: nullable'));
    expect(complaints()).toEqual([]);

    const program = join(folder, 'entries.mjs');
    await build({
      stdin: {
        contents: `export { Sallyport } from './src/index.js';
          export { createSessions } from './src/session/index.js';
          export { BrowserClient } from './src/browser/client.js';`,
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
