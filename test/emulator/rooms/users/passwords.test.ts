import { compare } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { passwords } from '../../../../src/emulator/rooms/users/passwords.js';
import { addUser, deleteUser, updateUser } from '../../../../src/emulator/rooms/users/records.js';
import { stage } from '../../../stage.js';
import { runAlone } from '../../../transport/process.js';
import { emptyWorld } from '../../world/empty-world.js';

const path = '/user_management/users';

describe('passwords', () => {
  test('are stored as bcrypt hashes', async () => {
    const memory = emptyWorld();
    const { id } = await addUser(memory, { email: 'ada@example.com', password: 'correct horse' });

    const stored = memory.of(passwords).get(id)!;

    expect(stored.type).toBe('bcrypt');
    expect(stored.hash).not.toContain('correct horse');
    expect(await compare('correct horse', stored.hash)).toBe(true);
    expect(await compare('wrong horse', stored.hash)).toBe(false);
  });

  test('change only if an update of the user includes a password', async () => {
    const memory = emptyWorld();
    const { id } = await addUser(memory, { email: 'ada@example.com', password: 'correct horse' });

    await updateUser(memory, id, { firstName: 'Ada' });
    const same = memory.of(passwords).get(id)!.hash;
    await updateUser(memory, id, { password: 'battery staple' });
    const changed = memory.of(passwords).get(id)!.hash;

    expect(await compare('correct horse', same)).toBe(true);
    expect(await compare('battery staple', changed)).toBe(true);
    expect(await compare('correct horse', changed)).toBe(false);
  });

  test('can be checked while timers are fake and after the real timers are restored', async () => {
    const script = `
      import { Sallyport } from 'sallyport';
      import { createEmulator } from './src/emulator/index.js';
      const emulator = await createEmulator();
      const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const emailVerified = true;
      const password = 'correct horse battery staple';
      const signIn = async (email) => {
        const { user } = await userManagement.authenticateWithPassword({ email, password });
        console.log(user.email);
      };
      const timers = ['setTimeout', 'setInterval', 'setImmediate'].map((name) => [name, globalThis[name]]);
      for (const [name] of timers) globalThis[name] = () => ({ unref() {} });

      await userManagement.createUser({ email: 'ada@acme.test', emailVerified, password });
      await signIn('ada@acme.test');
      const passwordHash = '$2b$05$abcdefghijklmnopqrstuuFiPhXf1sVd3pCCRO.uVh34H/qI/ZsuS';
      await userManagement.createUser({ email: 'bob@acme.test', emailVerified, passwordHash, passwordHashType: 'bcrypt' });
      await signIn('bob@acme.test');

      for (const [name, timer] of timers) globalThis[name] = timer;
      await signIn('ada@acme.test');
    `;

    expect(await runAlone(script)).toEqual({
      stdout: 'ada@acme.test\nbob@acme.test\nada@acme.test\n',
      stderr: '',
      code: 0,
    });
  });

  test('are deleted with their user', async () => {
    const memory = emptyWorld();
    const { id } = await addUser(memory, { email: 'ada@example.com', password: 'correct horse' });

    deleteUser(memory, id);

    expect(memory.of(passwords).size).toBe(0);
  });

  test('that are imported keep the original hash', async () => {
    const memory = emptyWorld();
    const passwordHash = '{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=';

    const { id } = await addUser(memory, { email: 'ada@example.com', passwordHash, passwordHashType: 'ssha' });

    expect(memory.of(passwords).get(id)).toEqual({ type: 'ssha', hash: passwordHash });
  });

  test.each(['bcrypt', 'ssha', 'ssha256', 'firebase-scrypt', 'acme-scrypt'])(
    'can be imported as %s hashes',
    async (type) => {
      const { send } = await stage();

      const answer = await send(`POST ${path}`, {
        email: 'ada@example.com',
        password_hash: 'abc',
        password_hash_type: type,
      });

      expect(answer.status).toBe(200);
    },
  );

  test('never appear in responses or events', async () => {
    const { emulator, send } = await stage();
    const events: unknown[] = [];
    emulator.onEvent((event) => events.push(event));

    const created = await send(`POST ${path}`, { email: 'ada@example.com', password: 'correct horse' });
    const updated = await send(`PUT ${path}/${created.body.id}`, {
      password_hash: '$2b$04$secretsecret',
      password_hash_type: 'bcrypt',
    });
    const listed = await send(`GET ${path}`);

    const everything = JSON.stringify([created.body, updated.body, listed.body, events]);
    expect(everything).not.toMatch(/password|hash|correct horse|\$2b\$/i);
  });

  test.each([
    ['have seven characters', 'short77', 'password_too_short'],
    ['are empty', '', 'password_too_short'],
    ['have more than 72 bytes', 'é'.repeat(37), 'password_too_long'],
  ])('are rejected if they %s', async (_what, password, reason) => {
    const { send } = await stage();

    const created = await send(`POST ${path}`, { email: 'ada@example.com', password });

    expect([created.status, created.body.code]).toEqual([400, 'password_strength_error']);
    expect(created.body.errors).toEqual([{ field: 'password', code: reason, message: expect.any(String) }]);
    expect(created.body.message).not.toContain(password || '\0');
    expect((await send(`GET ${path}`)).body.data).toEqual([]);
  });

  test.each([
    ['eight characters', 'letters8'],
    ['72 bytes (the limit of bcrypt)', 'é'.repeat(36)],
  ])('with %s are accepted', async (_what, password) => {
    const { send } = await stage();

    expect((await send(`POST ${path}`, { email: 'ada@example.com', password })).status).toBe(200);
  });
});

test.each([
  [
    'both a password and a password hash',
    { password: 'correct horse', password_hash: 'x', password_hash_type: 'bcrypt' },
    'password_hash',
  ],
  ['a password and a hash type', { password: 'correct horse', password_hash_type: 'bcrypt' }, 'password_hash_type'],
  ['a password hash but no hash type', { password_hash: 'x' }, 'password_hash_type'],
  ['a hash type but no password hash', { password_hash_type: 'bcrypt' }, 'password_hash'],
  ['an empty password hash', { password_hash: '', password_hash_type: 'bcrypt' }, 'password_hash'],
])('a user cannot be created or updated with %s', async (_what, fields, field) => {
  const { send } = await stage();
  const { body: grace } = await send(`POST ${path}`, { email: 'grace@example.com' });

  const created = await send(`POST ${path}`, { email: 'ada@example.com', ...fields });
  const updated = await send(`PUT ${path}/${grace.id}`, fields);

  expect([created.status, created.body.errors[0].field]).toEqual([422, field]);
  expect([updated.status, updated.body.errors[0].field]).toEqual([422, field]);
});
