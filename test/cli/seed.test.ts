import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { commandLine, type Running, untilPrinted } from './programs.js';

const { sallyportIn } = commandLine();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-seed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};

const people = (...names: readonly string[]): string =>
  `users:\n${names.map((name) => `  - { id: user_${name}, email: ${name}@acme.test, password: a quiet harbour }\n`).join('')}`;

const emulator = (...flags: readonly string[]): Running =>
  sallyportIn({ cwd: folder }, 'emulator', '--port', '0', ...flags);

/** An emulator in the folder of this test that prints JSON: its first line, and its users. */
async function startEmulator(...flags: readonly string[]) {
  const program = await untilPrinted(emulator('--json', '--quiet', ...flags), '}\n');
  if (program.output.out === '') throw new Error(program.output.err);
  const { url, apiKey, clientId, seed } = JSON.parse(program.output.out.split('\n')[0]!);
  const emails = async (): Promise<string[]> => {
    const answer = await fetch(`${url}/user_management/users`, { headers: { authorization: `Bearer ${apiKey}` } });
    const { data } = (await answer.json()) as { readonly data: readonly { readonly email: string }[] };
    return data.map(({ email }) => email).sort();
  };
  const signIn = async (fields: object) => {
    const answer = await fetch(`${url}/user_management/authenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: apiKey, ...fields }),
    });
    return (await answer.json()) as Readonly<Record<string, string>>;
  };
  return { ...program, url, seed, emails, signIn };
}

takesLong('a seed file in the current folder', () => {
  test.each([
    ['sallyport.seed.yaml', people('ada')],
    ['sallyport.seed.yml', people('ada')],
    ['sallyport.seed.json', '{"users":[{"email":"ada@acme.test"}]}'],
    ['sallyport.seed.mjs', "export default { users: [{ email: 'ada@acme.test' }] };"],
    ['sallyport.seed.js', "module.exports = async () => ({ users: [{ email: 'ada@acme.test' }] });"],
  ])('is used by the emulator if the file is named %s', async (name, text) => {
    write({ [name]: text });

    const { seed, emails } = await startEmulator();

    expect(seed).toBe(name);
    expect(await emails()).toEqual(['ada@acme.test']);
  });

  test('can have a name with characters that must be escaped in URLs', async () => {
    write({ 'größe #1.mjs': "export default { users: [{ email: 'ada@acme.test' }] };" });

    expect(await (await startEmulator('--seed', 'größe #1.mjs')).emails()).toEqual(['ada@acme.test']);
  });

  test('is rejected if the file has a syntax error, and the message says how to find the error', async () => {
    write({ 'sallyport.seed.mjs': 'export default {\n  users: [,,\n};' });

    const { output, exit } = emulator();

    expect(await exit).toBe(1);
    expect(output.err).toContain('Run node --check sallyport.seed.mjs to find the position.');
  });

  test("is named in the emulator's banner", async () => {
    expect((await untilPrinted(emulator(), 'Ctrl+C')).output.out).not.toMatch(/^ *seed/m);
    write({ 'sallyport.seed.yaml': people('ada') });

    expect((await untilPrinted(emulator(), 'Ctrl+C')).output.out).toMatch(/^ {2}seed +sallyport\.seed\.yaml$/m);
  });

  test('is ignored if --no-seed is passed or --seed names another file', async () => {
    write({ 'sallyport.seed.yaml': people('ada'), 'other.yaml': people('grace') });

    const without = await startEmulator('--no-seed');
    const other = await startEmulator('--seed', 'other.yaml');

    expect([without.seed, await without.emails()]).toEqual([undefined, []]);
    expect([other.seed, await other.emails()]).toEqual(['other.yaml', ['grace@acme.test']]);
  });

  test('is rejected if the folder contains two seed files, and the error names both', async () => {
    write({ 'sallyport.seed.yaml': people('ada'), 'sallyport.seed.ts': 'export default {};' });

    const { output, exit } = emulator();

    expect(await exit).toBe(1);
    expect(output.err).toContain(
      'There are 2 seed files in this folder: sallyport.seed.yaml and sallyport.seed.ts. Choose one with --seed, or ignore them with --no-seed.',
    );
  });

  test('replaces the default users of sallyport dev', async () => {
    const ended = async (...flags: readonly string[]): Promise<string> => {
      const { output, exit } = sallyportIn({ cwd: folder }, 'dev', '--port', '0', ...flags, '--', 'node', '-e', '0');
      await exit;
      return output.err;
    };
    write({ 'sallyport.seed.yaml': people('linus') });

    expect(await ended()).toContain(
      'Sign in as one of the users of sallyport.seed.yaml:\n    linus@acme.test  a quiet harbour\n',
    );
    expect(await ended('--no-seed')).toContain('Sign in as ada@acme.test');
  });
});

takesLong('the --watch option', () => {
  const has = (program: { readonly emails: () => Promise<string[]> }, email: string) =>
    expect.poll(program.emails, { timeout: 20_000 }).toContain(email);

  test('resets the emulator after the seed changes, and prints only the names of changed sections', async () => {
    write({ 'sallyport.seed.yaml': people('ada', 'grace') });
    const program = await untilPrinted(emulator('--watch', '--quiet'), 'Ctrl+C');

    write({ 'sallyport.seed.yaml': `${people('linus')}roles: [{ slug: pilot, name: Pilot }]\n` });
    await untilPrinted(program, 'signed out');

    expect(program.output.out.split('\n').slice(-2)).toEqual([
      '  sallyport.seed.yaml has changed (users, roles): the emulator was reset, and all users are signed out.',
      '',
    ]);
    expect(program.output.err).toBe('');
  });

  test('ends sessions after the seed changes, but keeps the signing keys', async () => {
    write({ 'sallyport.seed.yaml': people('ada').replace('password', 'email_verified: true, password') });
    const program = await startEmulator('--watch');
    const keys = async () => (await fetch(`${program.url}/sso/jwks/client_sallyport_emulator`)).text();
    const before = await keys();
    const { refresh_token } = await program.signIn({
      grant_type: 'password',
      email: 'ada@acme.test',
      password: 'a quiet harbour',
    });
    expect(refresh_token).toBeTypeOf('string');

    write({ 'sallyport.seed.yaml': people('ada', 'grace') });
    await untilPrinted(program, 'changes');

    expect(JSON.parse(program.output.out.split('\n')[1]!)).toEqual({
      seed: 'sallyport.seed.yaml',
      changes: ['users'],
    });
    expect(await program.signIn({ grant_type: 'refresh_token', refresh_token })).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await keys()).toBe(before);
    expect(await program.emails()).toEqual(['ada@acme.test', 'grace@acme.test']);
  });

  test('resets the state file after the seed changes, but keeps the signing keys', async () => {
    const withState = () => startEmulator('--watch', '--state', 'emulator.state');
    const keysOf = async (url: string) => (await fetch(`${url}/sso/jwks/client_sallyport_emulator`)).text();
    write({ 'sallyport.seed.yaml': people('ada') });
    const first = await withState();
    const keys = await keysOf(first.url);
    process.kill(first.child.pid!);
    await first.exit;

    const second = await withState();
    expect(await keysOf(second.url)).toBe(keys);
    write({ 'sallyport.seed.yaml': people('ada', 'grace') });
    await untilPrinted(second, 'changes');
    expect(await second.emails()).toEqual(['ada@acme.test', 'grace@acme.test']);
    expect(await keysOf(second.url)).toBe(keys);
    process.kill(second.child.pid!);
    await second.exit;

    const third = await withState();
    expect(await third.emails()).toEqual(['ada@acme.test', 'grace@acme.test']);
    expect(third.output.err).toBe('');
    expect(await keysOf(third.url)).toBe(keys);
  });

  test("keeps the emulator's data and prints an error while the seed is invalid, empty or missing", async () => {
    write({ 'sallyport.seed.yaml': people('ada') });
    const program = await startEmulator('--watch');
    const { output, emails } = program;

    write({ 'sallyport.seed.yaml': `${people('ada', 'grace')}  - { email: linus@acme.test, password: hunter2 }\n` });
    await untilPrinted(program, 'keeps its current data', 'err');
    expect(output.err).toMatch(
      /\n {2}sallyport\.seed\.yaml:4:\d+: users\[2\]\.password must have at least 8 characters/,
    );
    expect(output.err).toMatch(/The emulator keeps its current data\.\n$/);
    expect(output.err).not.toContain('hunter2');

    rmSync(join(folder, 'sallyport.seed.yaml'));
    await untilPrinted(
      program,
      'The seed file sallyport.seed.yaml no longer exists. The emulator keeps its current data',
      'err',
    );
    write({ 'sallyport.seed.yaml': '\n' });
    await untilPrinted(
      program,
      'The seed file sallyport.seed.yaml is empty. The emulator keeps its current data',
      'err',
    );
    expect(await emails()).toEqual(['ada@acme.test']);
    write({ 'sallyport.seed.yaml': people('ada') });
    await untilPrinted(program, '"changes":[]');
    write({ 'sallyport.seed.yaml': people('grace') });
    await has(program, 'grace@acme.test');

    expect(await emails()).toEqual(['grace@acme.test']);
  });

  test('detects changes if an editor replaces the seed file or saves the file several times in a row', async () => {
    write({ 'sallyport.seed.yaml': people('ada') });
    const program = await startEmulator('--watch');

    write({ 'sallyport.seed.yaml.swp': people('ada', 'grace') });
    renameSync(join(folder, 'sallyport.seed.yaml'), join(folder, 'sallyport.seed.yaml~'));
    renameSync(join(folder, 'sallyport.seed.yaml.swp'), join(folder, 'sallyport.seed.yaml'));
    await has(program, 'grace@acme.test');
    for (const name of ['linus', 'edsger', 'barbara']) write({ 'sallyport.seed.yaml': people('ada', name) });
    await has(program, 'barbara@acme.test');

    expect(await program.emails()).toEqual(['ada@acme.test', 'barbara@acme.test']);
  });

  test('detects changes after the seed file or the seed folder is deleted and created again', async () => {
    const seed = 'dev/company.yaml';
    write({ [seed]: people('ada') });
    const program = await startEmulator('--seed', seed, '--watch');
    const { output, emails } = program;
    const refused = async (why: string): Promise<void> => {
      await untilPrinted(program, why, 'err');
      expect(await emails()).toEqual(['ada@acme.test']);
      output.err = '';
    };

    rmSync(join(folder, 'dev'), { recursive: true });
    await refused('The seed file dev/company.yaml no longer exists.');
    mkdirSync(join(folder, seed), { recursive: true });
    await refused('The seed dev/company.yaml cannot be read. It is a folder.');
    rmSync(join(folder, seed), { recursive: true });
    await refused('The seed file dev/company.yaml no longer exists.');
    write({ [seed]: 'users: [' });
    await refused('dev/company.yaml:1:9: This is not valid YAML');
    write({ [seed]: people('ada', 'grace') });
    await has(program, 'grace@acme.test');
    renameSync(join(folder, 'dev'), join(folder, 'was'));
    write({ [seed]: people('linus') });
    await has(program, 'linus@acme.test');
    // Even the folder that the command was started in.
    rmSync(folder, { recursive: true });
    write({ [seed]: people('edsger') });
    await has(program, 'edsger@acme.test');

    expect(await emails()).toEqual(['edsger@acme.test']);
    expect(program.child.exitCode).toBe(null);
  });

  test('does not reset the emulator if the seed data has not changed', async () => {
    write({ 'sallyport.seed.yaml': people('ada') });
    const program = await startEmulator('--watch');

    write({ 'sallyport.seed.yaml': `# only a comment\n${people('ada')}` });
    write({ 'sallyport.seed.yaml.bak': people('nobody') });
    write({ 'sallyport.seed.yaml': `# and then\n${people('ada', 'grace')}` });
    await untilPrinted(program, 'changes');

    expect(program.output.out.trim().split('\n')).toHaveLength(2);
    expect(program.output.err).toBe('');
  });

  test("runs a changed seed module again, and prints the module's errors", async () => {
    write({ 'sallyport.seed.mjs': "export default { users: [{ email: 'ada@acme.test' }] };" });
    const program = await startEmulator('--watch');

    write({ 'sallyport.seed.mjs': "export default () => {\n  throw new Error('not yet');\n};" });
    await untilPrinted(program, 'keeps its current data', 'err');
    write({ 'sallyport.seed.mjs': "export default () => ({ users: [{ email: 'grace@acme.test' }] });" });
    await has(program, 'grace@acme.test');

    expect(program.output.err).toBe(
      'sallyport: The seed sallyport.seed.mjs cannot be run. not yet (sallyport.seed.mjs:2:9). Correct it and try again. The emulator keeps its current data.\n',
    );
    expect(await program.emails()).toEqual(['grace@acme.test']);
  });

  test('runs a changed CommonJS seed module again', async () => {
    write({ 'sallyport.seed.cjs': "module.exports = { users: [{ email: 'ada@acme.test' }] };" });
    const program = await startEmulator('--seed', 'sallyport.seed.cjs', '--watch');

    write({ 'sallyport.seed.cjs': "module.exports = { users: [{ email: 'grace@acme.test' }] };" });

    await has(program, 'grace@acme.test');
  });

  test('prints seed changes while sallyport dev runs an application', async () => {
    write({ 'sallyport.seed.yaml': people('ada') });
    const waits = 'setInterval(() => {}, 1_000)';
    const program = await untilPrinted(
      sallyportIn({ cwd: folder }, 'dev', '--port', '0', '--watch', '--', 'node', '-e', waits),
      'Starting',
      'err',
    );

    write({ 'sallyport.seed.yaml': people('ada', 'grace') });
    await untilPrinted(program, 'sallyport.seed.yaml has changed (users): the emulator was reset', 'err');

    expect(program.output.out).toBe('');
  });

  test('requires a seed file', async () => {
    const { output, exit } = emulator('--watch');

    expect(await exit).toBe(1);
    expect(output.err).toContain(
      '--watch needs a seed file. Pass one with --seed, or create sallyport.seed.yaml in this folder.',
    );
  });
});
