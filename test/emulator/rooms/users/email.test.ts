import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

const path = '/user_management/users';

/** Start an emulator with one user, with an unverified email address. */
async function startWithAda() {
  const { emulator, send } = await stage();
  const { body: user } = await send(`POST ${path}`, { email: 'ada@example.com' });
  const events: { event: string; data: object }[] = [];
  emulator.onEvent((event) => events.push(event));
  const post = (action: string, body?: object) => send(`POST ${path}/${user.id}/${action}`, body);
  const code = (address = 'ada@example.com'): string => emulator.inbox.latest(address)!.code!;
  return { emulator, send, user, post, code, events, names: () => events.map(({ event }) => event) };
}

/** Another code of six digits. */
const other = (code: string): string => (code === '000000' ? '111111' : '000000');

describe('email verification', () => {
  test('succeeds with the emailed code', async () => {
    const { emulator, user, post, code, names, events } = await startWithAda();

    const sent = await post('email_verification/send');
    const confirmed = await post('email_verification/confirm', { code: code() });

    expect([sent.status, sent.body]).toEqual([200, { user }]);
    expect(emulator.inbox.messages).toHaveLength(1);
    expect(emulator.inbox.latest()).toMatchObject({
      kind: 'email_verification',
      to: 'ada@example.com',
      code: expect.stringMatching(/^\d{6}$/),
    });
    expect(confirmed.body).toEqual({ user: { ...user, email_verified: true } });
    expect(names()).toEqual(['email_verification.created', 'user.updated']);
    expect(events[0]!.data).toMatchObject({
      id: expect.stringMatching(/^email_verification_/),
      userId: user.id,
      email: 'ada@example.com',
      expiresAt: '2026-01-01T00:10:00.000Z',
    });
    expect(JSON.stringify(events)).not.toContain(emulator.inbox.latest()!.code);
  });

  test('fails with a wrong code, a used code or no code', async () => {
    const { post, code } = await startWithAda();
    const early = await post('email_verification/confirm', { code: '123456' });
    await post('email_verification/send');

    const wrong = await post('email_verification/confirm', { code: other(code()) });
    const right = await post('email_verification/confirm', { code: code() });
    const again = await post('email_verification/confirm', { code: code() });
    const missing = await post('email_verification/confirm', {});

    expect([early.status, early.body.code]).toEqual([400, 'invalid_one_time_code']);
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_one_time_code']);
    expect(right.status).toBe(200);
    expect([again.status, again.body.code]).toEqual([400, 'invalid_one_time_code']);
    expect([missing.status, missing.body.errors[0].field]).toEqual([422, 'code']);
  });

  test('must be completed within ten minutes', async () => {
    const { emulator, post, code } = await startWithAda();
    await post('email_verification/send');
    const first = code();
    await emulator.clock.advance('10m');

    const late = await post('email_verification/confirm', { code: first });
    await post('email_verification/send');
    await emulator.clock.advance('599s');
    const inTime = await post('email_verification/confirm', { code: code() });

    expect([late.status, late.body.code]).toEqual([400, 'one_time_code_expired']);
    expect(inTime.status).toBe(200);
  });

  test('is blocked after five wrong codes until a new code is sent', async () => {
    const { post, code } = await startWithAda();
    await post('email_verification/send');
    const wrong = other(code());
    const tries: string[] = [];
    for (let i = 0; i < 6; i++) tries.push((await post('email_verification/confirm', { code: wrong })).body.code);

    const right = await post('email_verification/confirm', { code: code() });
    await post('email_verification/send');
    const fresh = await post('email_verification/confirm', { code: code() });

    expect(tries).toEqual([
      ...Array.from({ length: 5 }, () => 'invalid_one_time_code'),
      'one_time_code_too_many_attempts',
    ]);
    expect([right.status, right.body.code]).toEqual([400, 'one_time_code_too_many_attempts']);
    expect(fresh.status).toBe(200);
  });

  test('accepts only the latest code', async () => {
    const { emulator, post } = await startWithAda();
    await post('email_verification/send');
    await post('email_verification/send');
    const [first, second] = emulator.inbox.messages.map(({ code }) => code);

    const old = await post('email_verification/confirm', { code: first });
    const latest = await post('email_verification/confirm', { code: second });

    expect(first).not.toBe(second);
    expect([old.status, latest.status]).toEqual([400, 200]);
  });
});

describe('an email change', () => {
  test('takes effect when the code that was sent to the new address is confirmed', async () => {
    const { emulator, send, user, post, code, names } = await startWithAda();

    const sent = await post('email_change/send', { new_email: 'countess@example.com' });
    const before = await send(`GET ${path}/${user.id}`);
    await emulator.clock.advance('1m');
    const confirmed = await post('email_change/confirm', { code: code('countess@example.com') });

    expect(sent.body).toEqual({ object: 'email_change', user });
    expect(before.body.email).toBe('ada@example.com');
    expect(emulator.inbox.to('ada@example.com')).toEqual([]);
    expect(confirmed.body).toEqual({
      object: 'email_change_confirmation',
      user: {
        ...user,
        email: 'countess@example.com',
        email_verified: true,
        updated_at: '2026-01-01T00:01:00.000Z',
      },
    });
    expect(names()).toEqual(['user.updated']);
  });

  test('fails with a wrong code, after ten minutes, or after five wrong codes', async () => {
    const { emulator, send, user, post, code } = await startWithAda();
    const address = 'countess@example.com';
    await post('email_change/send', { new_email: address });

    const wrong = await post('email_change/confirm', { code: other(code(address)) });
    await emulator.clock.advance('10m');
    const late = await post('email_change/confirm', { code: code(address) });
    await post('email_change/send', { new_email: address });
    for (let i = 0; i < 5; i++) await post('email_change/confirm', { code: other(code(address)) });
    const guessed = await post('email_change/confirm', { code: code(address) });

    expect([wrong, late, guessed].map(({ body }) => body.code)).toEqual([
      'invalid_one_time_code',
      'one_time_code_expired',
      'one_time_code_too_many_attempts',
    ]);
    expect((await send(`GET ${path}/${user.id}`)).body.email).toBe('ada@example.com');
  });

  test('accepts the confirmation code only once', async () => {
    const { post, code } = await startWithAda();
    await post('email_change/send', { new_email: 'countess@example.com' });
    await post('email_change/confirm', { code: code('countess@example.com') });

    const again = await post('email_change/confirm', { code: code('countess@example.com') });

    expect([again.status, again.body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('is rejected if the new address belongs to another user, even a user created after the code was sent', async () => {
    const { send, post, code } = await startWithAda();
    await send(`POST ${path}`, { email: 'grace@example.com' });
    await post('email_change/send', { new_email: 'countess@example.com' });
    await send(`POST ${path}`, { email: 'Countess@example.com' });

    const taken = await post('email_change/send', { new_email: 'GRACE@example.com' });
    const meanwhile = await post('email_change/confirm', { code: code('countess@example.com') });

    expect([taken.status, taken.body.code]).toEqual([409, 'email_not_available']);
    expect([meanwhile.status, meanwhile.body.code]).toEqual([409, 'email_not_available']);
  });

  test('to the current address or an invalid address is rejected', async () => {
    const { post } = await startWithAda();

    const same = await post('email_change/send', { new_email: 'ADA@example.com' });
    const none = await post('email_change/send', { new_email: 'nonsense' });

    expect([same.status, same.body.code]).toEqual([422, 'email_unchanged']);
    expect([none.status, none.body.errors[0].field]).toEqual([422, 'new_email']);
  });

  test('invalidates verification codes for the old address', async () => {
    const { emulator, post, code } = await startWithAda();
    await post('email_verification/send');
    const old = emulator.inbox.latest('ada@example.com')!.code;
    await post('email_change/send', { new_email: 'countess@example.com' });
    await post('email_change/confirm', { code: code('countess@example.com') });

    const answer = await post('email_verification/confirm', { code: old });

    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('made by updating the user invalidates verification codes for the old address', async () => {
    const { emulator, send } = await stage({ dialect: 'workos' });
    const { body: user } = await send(`POST ${path}`, { email: 'ada@example.com' });
    await send(`POST ${path}/${user.id}/email_verification/send`);
    await send(`PUT ${path}/${user.id}`, { email: 'countess@example.com' });

    const answer = await send(`POST ${path}/${user.id}/email_verification/confirm`, {
      code: emulator.inbox.latest()!.code,
    });

    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_one_time_code']);
  });

  test('is returned with the new address, the expiry and the creation time in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const { body: user } = await send(`POST ${path}`, { email: 'ada@example.com' });

    const { body } = await send(`POST ${path}/${user.id}/email_change/send`, { new_email: 'countess@example.com' });

    expect(body).toEqual({
      object: 'email_change',
      user,
      new_email: 'countess@example.com',
      expires_at: '2026-01-01T00:10:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
    });
  });
});
