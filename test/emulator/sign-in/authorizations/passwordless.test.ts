import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

const path = '/passwordless/sessions';
const session = { email: 'ada@example.com', type: 'MagicLink', redirect_uri: 'https://app.test/callback?from=mail' };

/** Starts an emulator that knows the application's redirect URI. */
const withRedirectUris = (redirectUris: readonly string[] = [session.redirect_uri]) =>
  stage({ seed: { redirect_uris: redirectUris } });

/** Returns the address that a browser is redirected to. */
const locationOf = (answer: Response): URL => new URL(answer.headers.get('location')!);

describe('passwordless sessions', () => {
  test('are created with a link that is valid for 900 seconds and is not emailed', async () => {
    const { emulator, send } = await withRedirectUris();

    const created = await send(`POST ${path}`, session);

    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      object: 'passwordless_session',
      id: expect.stringMatching(/^passwordless_session_[0-9A-Z]{26}$/),
      email: 'ada@example.com',
      expires_at: '2026-01-01T00:15:00.000Z',
      link: expect.stringMatching(/^http:\/\/emulator\.localhost\/passwordless\/[0-9A-Za-z]{32}\/confirm$/),
    });
    expect(emulator.inbox.messages).toEqual([]);
  });

  test.each([
    [900, '2026-01-01T00:15:00.000Z'],
    [86_400, '2026-01-02T00:00:00.000Z'],
  ])('last for the requested %i seconds', async (seconds, end) => {
    const { send } = await withRedirectUris();

    expect((await send(`POST ${path}`, { ...session, expires_in: seconds })).body.expires_at).toBe(end);
  });

  test.each([
    ['a lifetime of less than 900 seconds', { expires_in: 899 }, 'expires_in'],
    ['a lifetime of more than 86400 seconds', { expires_in: 86_401 }, 'expires_in'],
    ['an unknown type', { type: 'Code' }, 'type'],
    ['a missing type', { type: undefined }, 'type'],
    ['an invalid email address', { email: 'nonsense' }, 'email'],
    ['an invalid redirect URI', { redirect_uri: 'nowhere' }, 'redirect_uri'],
    ['an unregistered redirect URI', { redirect_uri: 'https://app.test/elsewhere' }, 'redirect_uri'],
  ])('cannot be created with %s', async (_what, fields, field) => {
    const { send } = await withRedirectUris();

    const answer = await send(`POST ${path}`, { ...session, ...fields });

    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });

  test('have a link that can be emailed with a send request', async () => {
    const { emulator, send } = await withRedirectUris();
    const { body: created } = await send(`POST ${path}`, session);

    const sent = await send(`POST ${path}/${created.id}/send`);

    expect([sent.status, sent.body]).toEqual([200, { success: true }]);
    expect(emulator.inbox.messages).toMatchObject([
      {
        kind: 'passwordless_session',
        to: 'ada@example.com',
        url: created.link,
        text: expect.stringContaining(created.link),
      },
    ]);
  });
});

test('the link of an unknown or expired passwordless session cannot be emailed', async () => {
  const { emulator, send } = await withRedirectUris();
  const { body: created } = await send(`POST ${path}`, session);
  await emulator.clock.advance('15m');

  const late = await send(`POST ${path}/${created.id}/send`);
  const unknown = await send(`POST ${path}/passwordless_session_none/send`);

  expect([late.status, late.body.code]).toEqual([400, 'passwordless_session_expired']);
  expect(unknown.status).toBe(404);
  expect(emulator.inbox.messages).toEqual([]);
});

describe('a magic link', () => {
  test('redirects to the redirect URI with a code and the state', async () => {
    const { emulator, send } = await withRedirectUris();
    const { body } = await send(`POST ${path}`, { ...session, state: 'a b&c' });
    await emulator.clock.advance('899s');

    const answer = await emulator.fetch(body.link, { redirect: 'manual' });

    expect(answer.status).toBe(302);
    const { origin, pathname, searchParams } = locationOf(answer);
    expect(origin + pathname).toBe('https://app.test/callback');
    expect(Object.fromEntries(searchParams)).toEqual({
      from: 'mail',
      code: expect.stringMatching(/^[0-9A-Za-z]{25}$/),
      state: 'a b&c',
    });
  });

  test('redirects without a state if the session has no state', async () => {
    const { emulator, send } = await withRedirectUris();
    const { body } = await send(`POST ${path}`, session);

    const answer = await emulator.fetch(body.link, { redirect: 'manual' });

    expect([...locationOf(answer).searchParams.keys()]).toEqual(['from', 'code']);
  });

  test('that has expired redirects with an error instead of a code', async () => {
    const { emulator, send } = await withRedirectUris();
    const { body } = await send(`POST ${path}`, { ...session, state: 'abc' });
    await emulator.clock.advance('900s');

    const answer = await emulator.fetch(body.link, { redirect: 'manual' });

    expect(answer.status).toBe(302);
    expect(Object.fromEntries(locationOf(answer).searchParams)).toEqual({
      from: 'mail',
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'abc',
    });
  });

  test('without a redirect URI redirects to the default redirect URI', async () => {
    const { emulator, send } = await withRedirectUris([
      'https://*.app.test/callback',
      'https://app.test/start',
      'https://app.test/b',
    ]);
    const { body } = await send(`POST ${path}`, { ...session, redirect_uri: undefined });

    const answer = await emulator.fetch(body.link, { redirect: 'manual' });

    expect(answer.headers.get('location')).toMatch(/^https:\/\/app\.test\/start\?code=[0-9A-Za-z]{25}$/);
  });

  test('opens a page of the emulator if no redirect URI is registered', async () => {
    const { emulator, send } = await withRedirectUris([]);
    const { body } = await send(`POST ${path}`, { ...session, redirect_uri: undefined });

    const followed = await emulator.fetch(body.link);
    await emulator.clock.advance('15m');
    const late = await emulator.fetch(body.link);

    expect([followed.status, await followed.text()]).toEqual([200, expect.stringContaining('You are signed in')]);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('This link has expired')]);
  });

  test('with an unknown token is not found', async () => {
    const { emulator } = await withRedirectUris();

    const answer = await emulator.fetch(`${emulator.url}/passwordless/none/confirm`, { redirect: 'manual' });

    expect(answer.status).toBe(404);
  });
});
