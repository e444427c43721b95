import { compare } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { passwords } from '../../../../src/emulator/rooms/users/passwords.js';
import { addUser } from '../../../../src/emulator/rooms/users/records.js';
import { magicAuths, sendMagicAuth } from '../../../../src/emulator/sign-in/codes/magic-auth.js';
import { confirmPasswordReset, sendPasswordReset } from '../../../../src/emulator/sign-in/codes/password-resets.js';
import { stage } from '../../../stage.js';
import { emptyWorld } from '../../world/empty-world.js';

/** An emulator with one user. */
async function ada() {
  const started = await stage({ seed: { users: [{ id: 'user_ada', email: 'ada@example.com' }] } });
  return { ...started, user: (await started.send('GET /user_management/users/user_ada')).body };
}

describe('magic auth', () => {
  const path = '/user_management/magic_auth/send';

  test('emails a code that is valid for ten minutes, and does not return the code', async () => {
    const { emulator, send, user, events } = await ada();

    const sent = await send(`POST ${path}`, { email: 'ada@example.com' });

    const { code } = emulator.inbox.latest('ada@example.com')!;
    expect(code).toMatch(/^\d{6}$/);
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        object: 'magic_auth',
        id: expect.stringMatching(/^magic_auth_[0-9A-Z]{26}$/),
        user_id: user.id,
        email: 'ada@example.com',
        expires_at: '2026-01-01T00:10:00.000Z',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    expect(events).toMatchObject([{ event: 'magic_auth.created', data: { id: sent.body.id, userId: user.id } }]);
    expect(JSON.stringify([sent.body, events])).not.toContain(code);
  });

  test('emails a code to an unknown address, and reserves a user id for the address', async () => {
    const { emulator, send } = await stage();

    const first = await send(`POST ${path}`, { email: 'grace@example.com' });
    const second = await send(`POST ${path}`, { email: 'GRACE@example.com' });

    expect([first.status, emulator.inbox.messages.length]).toEqual([200, 2]);
    expect(first.body.user_id).toMatch(/^user_/);
    expect(second.body.user_id).toBe(first.body.user_id);
    expect((await send(`GET /user_management/users/${first.body.user_id}`)).status).toBe(404);
  });

  test.each([
    ['ADA@EXAMPLE.COM', 'ada@example.com'],
    // The Kelvin sign: its lower case is k.
    ['\u212aim@example.com', 'kim@example.com'],
  ])('requested for %s emails the known address %s', async (asked, address) => {
    const { emulator, send } = await stage();
    await send('POST /user_management/users', { email: address });

    await send(`POST ${path}`, { email: asked });

    expect(emulator.inbox.messages.map(({ to }) => to)).toEqual([address]);
  });

  test('keeps only one code per address, even after a user with the address is created', async () => {
    const memory = emptyWorld();
    const before = sendMagicAuth(memory, 'grace@example.com');
    const { id } = await addUser(memory, { email: 'Grace@example.com' });

    const after = sendMagicAuth(memory, 'grace@example.com');

    expect(before.userId).not.toBe(id);
    expect(after.userId).toBe(id);
    expect(memory.of(magicAuths).values()).toEqual([after]);
  });

  test('rejects an invalid email address and emails nothing', async () => {
    const { emulator, send } = await stage();

    const answer = await send(`POST ${path}`, { email: 'nonsense' });

    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'email']);
    expect(emulator.inbox.messages).toEqual([]);
  });

  test('generates the same codes in emulators with the same id seed', async () => {
    const codes = await Promise.all(
      ['a', 'a', 'b'].map(async (ids) => {
        const { emulator, send } = await stage({ ids });
        await send(`POST ${path}`, { email: 'ada@example.com' });
        return emulator.inbox.latest()!.code;
      }),
    );

    expect(codes[0]).toBe(codes[1]);
    expect(codes[0]).not.toBe(codes[2]);
  });
});

describe('a password reset', () => {
  const sendPath = '/user_management/password_reset/send';
  const confirmPath = '/user_management/password_reset/confirm';
  const page = 'https://app.test/reset?from=mail';

  test('emails a link with a token, and returns an empty response', async () => {
    const { emulator, send, events } = await ada();

    const sent = await send(`POST ${sendPath}`, { email: 'ADA@example.com', password_reset_url: page });

    const message = emulator.inbox.latest('ada@example.com')!;
    expect([sent.status, sent.body]).toEqual([200, '']);
    expect(message).toMatchObject({
      kind: 'password_reset',
      url: `https://app.test/reset?from=mail&token=${message.token}`,
      text: expect.stringContaining(message.url!),
    });
    expect(events).toMatchObject([
      {
        event: 'password_reset.created',
        data: { id: expect.stringMatching(/^password_reset_/), expiresAt: '2026-01-01T01:00:00.000Z' },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(message.token);
  });

  test('requires a known email address and a valid page URL', async () => {
    const { emulator, send } = await ada();

    const nobody = await send(`POST ${sendPath}`, { email: 'grace@example.com', password_reset_url: page });
    const nowhere = await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: 'nowhere' });

    expect([nobody.status, nobody.body.code]).toEqual([404, 'entity_not_found']);
    expect([nowhere.status, nowhere.body.errors[0].field]).toEqual([422, 'password_reset_url']);
    expect(emulator.inbox.messages).toEqual([]);
  });

  test('sets the password only once', async () => {
    const { emulator, send, user, events, eventTypes } = await ada();
    await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: page });
    const { token } = emulator.inbox.latest()!;
    await emulator.clock.advance('59m');

    const confirmed = await send(`POST ${confirmPath}`, { token, new_password: 'correct horse' });
    const again = await send(`POST ${confirmPath}`, { token, new_password: 'battery staple' });

    expect([confirmed.status, confirmed.body]).toEqual([
      200,
      { user: { ...user, updated_at: '2026-01-01T00:59:00.000Z' } },
    ]);
    expect([again.status, again.body.code]).toEqual([400, 'invalid_password_reset_token']);
    expect(eventTypes()).toEqual(['password_reset.created', 'password_reset.succeeded', 'user.updated']);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  test('sets the password only once if two requests use the token at the same time', async () => {
    const { emulator, send } = await ada();
    await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: page });
    const body = { token: emulator.inbox.latest()!.token, new_password: 'correct horse' };

    const answers = await Promise.all([send(`POST ${confirmPath}`, body), send(`POST ${confirmPath}`, body)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test("replaces the stored password and invalidates the user's earlier reset links", async () => {
    const memory = emptyWorld();
    const { id } = await addUser(memory, { email: 'ada@example.com', password: 'old password' });
    const first = sendPasswordReset(memory, 'ada@example.com', page);
    const second = sendPasswordReset(memory, 'ada@example.com', page);

    confirmPasswordReset(memory, second.token, 'correct horse');

    expect(await compare('correct horse', memory.of(passwords).get(id)!.hash)).toBe(true);
    expect(() => confirmPasswordReset(memory, first.token, 'battery staple')).toThrow(
      expect.objectContaining({ code: 'invalid_password_reset_token' }),
    );
  });

  test('expires after an hour', async () => {
    const { emulator, send } = await ada();
    await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: page });
    await emulator.clock.advance('1h');

    const late = await send(`POST ${confirmPath}`, {
      token: emulator.inbox.latest()!.token,
      new_password: 'correct horse',
    });

    expect([late.status, late.body.code]).toEqual([400, 'password_reset_token_expired']);
  });

  test('rejects a weak password, and then accepts a stronger password with the same token', async () => {
    const { emulator, send } = await ada();
    await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: page });
    const { token } = emulator.inbox.latest()!;

    const weak = await send(`POST ${confirmPath}`, { token, new_password: 'short' });
    const better = await send(`POST ${confirmPath}`, { token, new_password: 'correct horse' });

    expect([weak.status, weak.body.code, weak.body.errors[0].field]).toEqual([
      400,
      'password_strength_error',
      'new_password',
    ]);
    expect(better.status).toBe(200);
  });

  test('cannot be confirmed with a token that was emailed to a former address', async () => {
    const { emulator, send, user } = await ada();
    await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: page });
    const { token } = emulator.inbox.latest()!;
    await send(`POST /user_management/users/${user.id}/email_change/send`, { new_email: 'ada@example.org' });
    const { code } = emulator.inbox.latest('ada@example.org')!;
    await send(`POST /user_management/users/${user.id}/email_change/confirm`, { code });
    await send('POST /user_management/users', { email: 'ada@example.com' });

    const { status, body } = await send(`POST ${confirmPath}`, { token, new_password: 'correct horse' });

    expect([status, body.code]).toEqual([400, 'invalid_password_reset_token']);
  });

  test("cannot be confirmed with an unknown token or a deleted user's token", async () => {
    const { emulator, send, user } = await ada();
    await send(`POST ${sendPath}`, { email: 'ada@example.com', password_reset_url: page });
    await send(`DELETE /user_management/users/${user.id}`);
    const confirm = (token: unknown) => send(`POST ${confirmPath}`, { token, new_password: 'correct horse' });

    const unknown = await confirm('none');
    const gone = await confirm(emulator.inbox.latest()!.token);

    expect([unknown.status, unknown.body.code]).toEqual([400, 'invalid_password_reset_token']);
    expect([gone.status, gone.body.code]).toEqual([400, 'invalid_password_reset_token']);
  });
});

describe('an application that sends its own emails', () => {
  test('gets the sign-in code from the API, and the emulator does not email the code', async () => {
    const { emulator, send, eventTypes } = await ada();

    const created = await send('POST /user_management/magic_auth', { email: 'ada@example.com' });
    const got = await send(`GET /user_management/magic_auth/${created.body.id}`);

    expect(created.body).toEqual({
      object: 'magic_auth',
      id: expect.stringMatching(/^magic_auth_/),
      user_id: expect.stringMatching(/^user_/),
      email: 'ada@example.com',
      code: expect.stringMatching(/^\d{6}$/),
      expires_at: '2026-01-01T00:10:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect([got.body, emulator.inbox.messages, eventTypes()]).toEqual([created.body, [], ['magic_auth.created']]);
  });

  test('gets the password reset token from the API, and the emulator does not email the token', async () => {
    const { emulator, send, user } = await ada();

    const created = await send('POST /user_management/password_reset', { email: 'ada@example.com' });
    const got = await send(`GET /user_management/password_reset/${created.body.id}`);
    const token = created.body.password_reset_token;
    const reset = await send('POST /user_management/password_reset/confirm', { token, new_password: 'battery staple' });

    expect(created.body).toEqual({
      object: 'password_reset',
      id: expect.stringMatching(/^password_reset_/),
      user_id: user.id,
      email: 'ada@example.com',
      password_reset_token: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      password_reset_url: `http://emulator.localhost/reset-password?token=${token}`,
      expires_at: '2026-01-01T01:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect([got.body, emulator.inbox.messages, reset.status]).toEqual([created.body, [], 200]);
  });

  test('cannot read a used password reset, or create a password reset for an unknown address', async () => {
    const { send } = await ada();
    const created = await send('POST /user_management/password_reset', { email: 'ada@example.com' });
    const token = created.body.password_reset_token;
    await send('POST /user_management/password_reset/confirm', { token, new_password: 'battery staple' });

    const gone = await send(`GET /user_management/password_reset/${created.body.id}`);
    const nobody = await send('POST /user_management/password_reset', { email: 'grace@example.com' });
    const unknown = await send('GET /user_management/magic_auth/magic_auth_unknown');

    expect([gone.status, nobody.status, unknown.status]).toEqual([404, 404, 404]);
  });
});
