import { hash } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { signingIn, urn } from '../signing-in.js';

const whereabouts = { ip_address: '192.0.2.7', user_agent: 'Netscape/4.0' };

describe('a sign-in attempt', () => {
  test('creates an event if the password is right', async () => {
    const { byPassword, user, events } = await signingIn();
    const ada = await user('ada@example.com');

    await byPassword('ada@example.com', whereabouts);

    expect(events.find(({ event }) => event === 'authentication.password_succeeded')?.data).toEqual({
      type: 'password',
      status: 'succeeded',
      ipAddress: '192.0.2.7',
      userAgent: 'Netscape/4.0',
      userId: ada.id,
      email: 'ada@example.com',
    });
  });

  test.each([
    ['ada@example.com', true],
    ['nobody@example.com', false],
  ])('with a wrong password for %s creates an event', async (email, isKnown) => {
    const { grant, user, events, eventTypes } = await signingIn();
    const ada = await user('ada@example.com');

    await grant('password', { email, password: 'wrong horse', ...whereabouts });

    expect(eventTypes()).toEqual(['user.created', 'authentication.password_failed']);
    expect(events.at(-1)?.data).toEqual({
      type: 'password',
      status: 'failed',
      ipAddress: '192.0.2.7',
      userAgent: 'Netscape/4.0',
      userId: isKnown ? ada.id : null,
      email,
      error: { code: 'invalid_credentials', message: 'The email address or the password is wrong.' },
    });
  });

  test('creates an event if an emailed code is wrong', async () => {
    const { grant, events } = await signingIn();

    await grant(urn('magic-auth:code'), { email: 'grace@example.com', code: '123456' });

    expect(events).toMatchObject([
      {
        event: 'authentication.magic_auth_failed',
        data: {
          type: 'magic_auth',
          userId: null,
          email: 'grace@example.com',
          error: { code: 'invalid_one_time_code' },
        },
      },
    ]);
  });

  test('creates an event if the email verification code is wrong', async () => {
    const { grant, user, byPassword, events } = await signingIn();
    const ada = await user('ada@example.com', { email_verified: false });
    const { body } = await byPassword('ada@example.com');

    await grant(urn('email-verification:code'), {
      code: '000000',
      pending_authentication_token: body.pending_authentication_token,
    });

    expect(events.at(-1)).toMatchObject({
      event: 'authentication.email_verification_failed',
      data: { userId: ada.id, email: 'ada@example.com', error: { code: 'invalid_one_time_code' } },
    });
  });

  test('creates events that contain no secrets', async () => {
    const { grant, byPassword, user, send } = await signingIn();
    await user('ada@example.com');
    await grant('password', { email: 'ada@example.com', password: 'wrong horse' });
    const { body: tokens } = await byPassword('ada@example.com');

    const { body } = await send(
      'GET /events?events=authentication.password_failed,authentication.password_succeeded,session.created',
    );

    expect(body.data.map(({ event }: { event: string }) => event)).toEqual([
      'authentication.password_failed',
      'authentication.password_succeeded',
      'session.created',
    ]);
    const everything = JSON.stringify(body);
    for (const secret of ['wrong horse', 'correct horse', tokens.access_token, tokens.refresh_token])
      expect(everything).not.toContain(secret);
  });
});

test('a sign-in that is interrupted by a reset creates no events and no session', async () => {
  const { emulator, byPassword, user, send, eventTypes } = await signingIn();
  // Checking an imported hash of this cost takes long enough for other requests to run.
  const passwordHash = await hash('correct horse', 11);
  const ada = await user('ada@example.com', {
    password: undefined,
    password_hash: passwordHash,
    password_hash_type: 'bcrypt',
  });
  const before = eventTypes();

  const signIn = byPassword('ada@example.com');
  // When this request is answered, the emulator is checking the password.
  await send('GET /organizations');
  await emulator.reset();

  expect((await signIn).status).toBe(200);
  expect(eventTypes()).toEqual(before);
  expect((await send(`GET /user_management/users/${ada.id}/sessions`)).status).toBe(404);
});
