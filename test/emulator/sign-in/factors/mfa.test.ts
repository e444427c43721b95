import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { addUser } from '../../../../src/emulator/rooms/users/records.js';
import { challengeFactor, enrollTotp, verifyChallenge } from '../../../../src/emulator/sign-in/factors/factors.js';
import type { Send } from '../../../servers/send.js';
import { stage } from '../../../stage.js';
import { emptyWorld } from '../../world/empty-world.js';

const totp = { type: 'totp', totp_issuer: 'Acme', totp_user: 'ada@example.com' };
const sms = { type: 'sms', phone_number: '+15005550006' };

const enroll = async (send: Send, body: object) => (await send('POST /auth/factors/enroll', body)).body;
const challenge = async (send: Send, factorId: string, body?: object) =>
  (await send(`POST /auth/factors/${factorId}/challenge`, body)).body;
const verify = (send: Send, challengeId: string, code: unknown) =>
  send(`POST /auth/challenges/${challengeId}/verify`, { code });
/** Returns the code that an authenticator app shows at this time. */
const shownBy = (secret: string, at: string | number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: new Date(at).getTime() });

describe('an authenticator app', () => {
  test('is enrolled with a secret that later responses omit', async () => {
    const { send } = await stage();

    const enrolled = await send('POST /auth/factors/enroll', totp);
    const read = await send(`GET /auth/factors/${enrolled.body.id}`);

    expect(enrolled.status).toBe(200);
    expect(enrolled.body).toEqual({
      object: 'authentication_factor',
      id: expect.stringMatching(/^auth_factor_[0-9A-Z]{26}$/),
      type: 'totp',
      totp: {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        uri: `otpauth://totp/Acme:ada%40example.com?issuer=Acme&secret=${enrolled.body.totp.secret}&algorithm=SHA1&digits=6&period=30`,
        qr_code: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo[0-9A-Za-z+/=]+$/),
      },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    const { totp: _, ...withoutSecret } = enrolled.body;
    expect(read.body).toEqual(withoutSecret);
  });

  test('is returned with the issuer and the user in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });

    const enrolled = await enroll(send, totp);
    const read = await send(`GET /auth/factors/${enrolled.id}`);

    expect(enrolled.totp).toMatchObject({ issuer: 'Acme', user: 'ada@example.com', secret: expect.any(String) });
    expect(read.body.totp).toEqual({ issuer: 'Acme', user: 'ada@example.com' });
  });

  test('can be enrolled with an existing secret', async () => {
    const { emulator, send } = await stage();
    const { body: user } = await send('POST /user_management/users', { email: 'ada@example.com' });
    const secret = 'JBSWY3DPEHPK3PXP';
    const path = `POST /user_management/users/${user.id}/auth_factors`;

    const { body } = await send(path, { type: 'totp', totp_secret: secret });
    const answer = await verify(send, body.authentication_challenge.id, shownBy(secret, emulator.clock.now()));
    const malformed = await send(path, { type: 'totp', totp_secret: 'not base 32' });

    expect(body.authentication_factor.totp.secret).toBe(secret);
    expect(answer.body.valid).toBe(true);
    expect([malformed.status, malformed.body.errors[0].field]).toEqual([422, 'totp_secret']);
  });

  test.each([
    ['without an issuer', { type: 'totp', totp_user: 'ada' }, 'totp_issuer'],
    ['without a user', { type: 'totp', totp_issuer: 'Acme' }, 'totp_user'],
    ['with a blank issuer', { ...totp, totp_issuer: ' ' }, 'totp_issuer'],
    ['with the unknown type hotp', { ...totp, type: 'hotp' }, 'type'],
    ['with names too long for a QR code', { ...totp, totp_issuer: 'Acme'.repeat(300) }, 'totp_user'],
  ])('cannot be enrolled %s', async (_what, body, field) => {
    const { send } = await stage();

    const answer = await send('POST /auth/factors/enroll', body);

    expect([answer.status, answer.body.errors.map((error: { field: string }) => error.field)]).toEqual([422, [field]]);
  });

  test('shows a current code that passes a challenge, even a day after the enrollment', async () => {
    const { emulator, send } = await stage();
    const factor = await enroll(send, totp);
    const asked = await challenge(send, factor.id);
    await emulator.clock.advance('1d');

    const answered = await verify(send, asked.id, shownBy(factor.totp.secret, '2026-01-02T00:00:00.000Z'));

    expect(asked).toEqual({
      object: 'authentication_challenge',
      id: expect.stringMatching(/^auth_challenge_[0-9A-Z]{26}$/),
      authentication_factor_id: factor.id,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect([answered.status, answered.body]).toEqual([
      200,
      { challenge: { ...asked, updated_at: '2026-01-02T00:00:00.000Z' }, valid: true },
    ]);
  });

  // RFC 6238, appendix B: the last six digits of the codes for SHA-1 and this secret.
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ])('passes a challenge with the RFC 6238 test code for Unix time %i (%s)', async (seconds, code) => {
    const memory = emptyWorld(seconds * 1000);
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const { id } = await enrollTotp(memory, { issuer: 'Acme', user: 'ada', secret });
    const newChallenge = () => challengeFactor(memory, id).id;

    const wrong = await verifyChallenge(memory, newChallenge(), '000000');
    const right = await verifyChallenge(memory, newChallenge(), code);

    expect([wrong.valid, right.valid]).toEqual([false, true]);
  });

  test.each([
    ['one step behind', 'accepted', '2025-12-31T23:59:59.000Z'],
    ['one step ahead', 'accepted', '2026-01-01T00:00:30.000Z'],
    ['two steps behind', 'rejected', '2025-12-31T23:59:29.000Z'],
    ['two steps ahead', 'rejected', '2026-01-01T00:01:00.000Z'],
  ])('with a clock %s shows a code that is %s', async (_what, result, at) => {
    const { send } = await stage();
    const factor = await enroll(send, totp);
    const { id } = await challenge(send, factor.id);

    const { body } = await verify(send, id, shownBy(factor.totp.secret, at));

    expect(body.valid).toBe(result === 'accepted');
  });

  test('shows a code that passes only one challenge', async () => {
    const { emulator, send } = await stage();
    const factor = await enroll(send, totp);
    const ask = async () => (await challenge(send, factor.id)).id;
    const now = shownBy(factor.totp.secret, '2026-01-01T00:00:00.000Z');
    const before = shownBy(factor.totp.secret, '2025-12-31T23:59:30.000Z');
    await verify(send, await ask(), now);

    const replayed = await verify(send, await ask(), now);
    const older = await verify(send, await ask(), before);
    await emulator.clock.advance('30s');
    const next = await verify(send, await ask(), shownBy(factor.totp.secret, '2026-01-01T00:00:30.000Z'));

    expect([replayed, older, next].map(({ body }) => body.valid)).toEqual([false, false, true]);
  });

  test('passes only one of two simultaneous challenges with the same code', async () => {
    const { send } = await stage();
    const factor = await enroll(send, totp);
    const code = shownBy(factor.totp.secret, '2026-01-01T00:00:00.000Z');
    const first = await challenge(send, factor.id);
    const second = await challenge(send, factor.id);

    const answers = await Promise.all([verify(send, first.id, code), verify(send, second.id, code)]);

    expect(answers.map(({ body }) => body.valid).sort()).toEqual([false, true]);
  });

  test('can be enrolled only for an existing user and with a valid secret', async () => {
    const memory = emptyWorld();
    const { id: userId } = await addUser(memory, { email: 'ada@example.com' });
    const names = { issuer: 'Acme', user: 'ada' };

    const factor = await enrollTotp(memory, { ...names, userId, id: 'auth_factor_1' });
    const nobody = enrollTotp(memory, { ...names, userId: 'user_none' });
    const nonsense = enrollTotp(memory, { ...names, secret: 'not base 32' });

    expect(factor).toMatchObject({ id: 'auth_factor_1', userId });
    await expect(nobody).rejects.toMatchObject({ status: 404 });
    await expect(nonsense).rejects.toMatchObject({ status: 422 });
  });
});

test('a factor cannot be enrolled if the user_id is not a string', async () => {
  const { send } = await stage();

  const refusal = await send('POST /auth/factors/enroll', { ...totp, user_id: 5 });

  expect([refusal.status, refusal.body.errors]).toEqual([
    422,
    [{ field: 'user_id', code: 'invalid_type', message: 'must be a string' }],
  ]);
});

describe('a phone', () => {
  test('can be enrolled with a phone number', async () => {
    const { send } = await stage();

    const enrolled = await enroll(send, { ...sms, phone_number: '+1 (500) 555-0006' });

    expect(enrolled).toEqual({
      object: 'authentication_factor',
      id: expect.stringMatching(/^auth_factor_/),
      type: 'sms',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await send(`GET /auth/factors/${enrolled.id}`)).body).toEqual(enrolled);
  });

  test.each([
    ['without a phone number', { type: 'sms' }],
    ['without a country code', { type: 'sms', phone_number: '5005550006' }],
    ['with a word as the phone number', { type: 'sms', phone_number: '+home' }],
  ])('cannot be enrolled %s', async (_what, body) => {
    const { send } = await stage();

    const answer = await send('POST /auth/factors/enroll', body);

    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'phone_number']);
  });

  test('receives a code that passes the challenge for ten minutes', async () => {
    const { emulator, send } = await stage();
    const { id } = await enroll(send, sms);
    const asked = await challenge(send, id);
    const message = emulator.inbox.latest('+15005550006')!;
    await emulator.clock.advance('599s');

    const answered = await verify(send, asked.id, message.code);

    expect(asked).toMatchObject({ authentication_factor_id: id, expires_at: '2026-01-01T00:10:00.000Z' });
    expect(JSON.stringify(asked)).not.toContain(message.code);
    expect(message).toMatchObject({ kind: 'mfa_sms', text: `Your verification code is ${message.code}` });
    expect(message.code).toMatch(/^\d{6}$/);
    expect(answered.body.valid).toBe(true);
  });

  test("receives the caller's message text, which must contain a placeholder for the code", async () => {
    const { emulator, send } = await stage();
    const { id } = await enroll(send, sms);

    await challenge(send, id, { sms_template: 'Acme: {{code}} is your code.' });
    const without = await send(`POST /auth/factors/${id}/challenge`, { sms_template: 'Hello.' });

    const { text, code } = emulator.inbox.latest()!;
    expect(text).toBe(`Acme: ${code} is your code.`);
    expect([without.status, without.body.errors[0].field]).toEqual([422, 'sms_template']);
    expect(emulator.inbox.messages).toHaveLength(1);
  });

  test('cannot pass a challenge that has expired', async () => {
    const { emulator, send } = await stage();
    const { id } = await enroll(send, sms);
    const asked = await challenge(send, id);
    await emulator.clock.advance('10m');

    const answer = await verify(send, asked.id, emulator.inbox.latest()!.code);

    expect([answer.status, answer.body.code]).toEqual([422, 'authentication_challenge_expired']);
  });
});

describe('a challenge', () => {
  /** Creates a challenge for a telephone, and returns its code. */
  async function asked() {
    const { emulator, send } = await stage();
    const factor = await enroll(send, sms);
    const { id } = await challenge(send, factor.id);
    return { send, factor, id, code: emulator.inbox.latest()!.code! };
  }

  test('reports a wrong code as invalid, and stays open', async () => {
    const { send, id, code } = await asked();

    const wrong = await verify(send, id, '000000');
    const right = await verify(send, id, code);

    expect([wrong.status, wrong.body.valid, wrong.body.challenge.id]).toEqual([200, false, id]);
    expect(right.body.valid).toBe(true);
  });

  test('ends after five wrong codes', async () => {
    const { send, id, code } = await asked();
    const tries: unknown[] = [];
    for (let i = 0; i < 5; i++) tries.push((await verify(send, id, '000000')).body.valid);

    const right = await verify(send, id, code);

    expect(tries).toEqual([false, false, false, false, false]);
    expect([right.status, right.body.code]).toEqual([400, 'one_time_code_too_many_attempts']);
  });

  test('can be passed only once', async () => {
    const { send, id, code } = await asked();
    await verify(send, id, code);

    const again = await verify(send, id, code);

    expect([again.status, again.body.code]).toEqual([422, 'authentication_challenge_previously_verified']);
  });

  test.each(['12345', '1234567', 'abcdef', '', undefined])(
    'rejects a code that does not consist of six digits, such as %j',
    async (code) => {
      const { send, id } = await asked();

      const answer = await verify(send, id, code);

      expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'code']);
    },
  );

  test('is deleted together with the factor', async () => {
    const { send, factor, id, code } = await asked();

    const deleted = await send(`DELETE /auth/factors/${factor.id}`);
    const again = await send(`DELETE /auth/factors/${factor.id}`);

    expect([deleted.status, deleted.body, again.status]).toEqual([200, '', 404]);
    expect((await verify(send, id, code)).status).toBe(404);
    expect((await send(`POST /auth/factors/${factor.id}/challenge`)).status).toBe(404);
    expect((await send(`GET /auth/factors/${factor.id}`)).status).toBe(404);
  });

  test('cannot be created for an unknown factor, or answered with an unknown challenge id', async () => {
    const { send } = await stage();

    const created = await send('POST /auth/factors/auth_factor_none/challenge');
    const answered = await verify(send, 'auth_challenge_none', '123456');

    expect([created.status, answered.status]).toEqual([404, 404]);
  });
});
