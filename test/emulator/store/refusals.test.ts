import { describe, expect, test } from 'vitest';
import { router } from '../../../src/emulator/registry.js';
import { browse } from '../browser.js';
import { signingIn } from '../sign-in/signing-in.js';

const key = 'sk_live_4f9a8b7c6d5e4f3a2b1c';
const token = 'q8Zx3LmN0pRtVw5yB7cD';
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyXzEifQ.c2lnbmF0dXJl';

describe('an error response does not repeat', () => {
  test.each([
    ['an API key used as an id', `GET /organizations/${key}`, undefined, key],
    ['a token used as an id', `GET /user_management/users/${token}`, undefined, token],
    ['an access token used as an id', `GET /user_management/users/${jwt}`, undefined, jwt],
    ['a sign-in code used as an id', 'GET /user_management/magic_auth/482913', undefined, '482913'],
    ['an unknown invitation token', '/user_management/invitations/by_token/made-up', undefined, 'made-up'],
    ['an API key in an unknown path', `GET /organisations/${key}`, undefined, key],
    ['a token in an unknown path', `GET /invitations/by_token/made-up/accept`, undefined, 'made-up'],
    [
      'a token in a path that requires a different method',
      'PUT /user_management/invitations/by_token/made-up',
      undefined,
      'made-up',
    ],
    ['an API key sent as a cursor', `GET /organizations?after=${key}`, undefined, key],
    ['an API key sent as a limit', `GET /organizations?limit=${key}`, undefined, key],
    ['an API key used as an id in a control path', `POST /_emulator/connections/${key}/activate`, undefined, key],
    ['an API key in an unknown control path', `POST /_emulator/${key}`, undefined, key],
    [
      'an API key sent as a domain state',
      'POST /organizations',
      { name: 'A', domain_data: [{ domain: 'a.test', state: key }] },
      key,
    ],
    ['an API key sent as a role slug', 'POST /_emulator/roles', { slug: key, name: 5 }, key],
    [
      'a token in a redirect URI',
      'POST /_emulator/redirect_uris',
      { uri: `https://x.test/cb?token=made-up#a` },
      'made-up',
    ],
    [
      'an API key sent as an organization id',
      'POST /user_management/organization_memberships',
      { user_id: 'user_ada', organization_id: key },
      key,
    ],
    ['an API key in a truncated body', 'POST /organizations', `{"name":"${key}`, key],
  ])('%s', async (_what, line, body, secret) => {
    const { send } = await signingIn();

    const answer = await send(line.startsWith('/') ? `GET ${line}` : line, body);

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.message).toBeTruthy();
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  test.each([
    ['an API key sent as the client ID', { client_id: key }, key],
    ['a token sent as the client ID', { client_id: token }, token],
    ['an unknown client secret', { client_secret: key }, key],
    ['an API key sent as the grant type', { grant_type: key }, key],
    ['a wrong password', { password: 'wrong battery 7' }, 'wrong battery 7'],
  ])('%s in a token request', async (_what, fields, secret) => {
    const { byPassword, user } = await signingIn();
    await user('ada@example.com');

    const { status, body } = await byPassword('ada@example.com', fields);

    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.error_description ?? body.message).toBeTruthy();
    expect(JSON.stringify(body)).not.toContain(secret);
  });
});

test('an HTML or JSON error response does not repeat a token in an unregistered redirect URI', async () => {
  const { emulator } = await signingIn();
  const query = {
    response_type: 'code',
    client_id: emulator.credentials.clientId,
    redirect_uri: 'https://evil.test/cb?access_token=made-up&next=home',
  };

  const page = await browse(emulator)('/user_management/authorize', query);
  const json = await browse(emulator)('/user_management/authorize', query, { accept: 'application/json' });

  expect([page.status, json.status]).toEqual([400, 400]);
  for (const { text } of [page, json]) {
    expect(text).toContain('https://evil.test/cb?access_token=…');
    expect(text).not.toContain('made-up');
  }
});

test('an error description in a redirect does not repeat an API key', async () => {
  const { emulator } = await signingIn();
  const query = { response_type: 'code', client_id: emulator.credentials.clientId, connection: key };

  const { params } = await browse(emulator)('/sso/authorize', { ...query, redirect_uri: 'http://localhost:3000/cb' });

  expect(params.error).toBe('connection_invalid');
  expect(params.error_description).not.toContain(key);
});

test('an error response repeats values that are not secret', async () => {
  const { send, byPassword } = await signingIn();

  expect((await send('GET /organizations/org_01HXYZ8R7N4K2M5P6Q7S8T9V0W')).body.message).toContain(
    '"org_01HXYZ8R7N4K2M5P6Q7S8T9V0W"',
  );
  expect((await send('GET /user_management/password_reset_tokens')).body.message).toContain(
    'GET /user_management/password_reset_tokens',
  );
  expect((await byPassword('nobody@example.com', { client_id: 'client_other' })).body.error_description).toContain(
    '"client_other"',
  );
});

test('an error from an in-process call masks an API key', async () => {
  const { emulator } = await signingIn();

  await expect(emulator.activateConnection(key)).rejects.toThrow(/^No connection has the id "sk_…2b1c"/);
});

describe('the error responses of all operations omit', () => {
  const all = [...router.routes.values(), ...router.controls].map(({ operation }) => operation);
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  test.each([
    ['an API key in the request', key],
    ['a token in the request', token],
  ])('%s', async (_what, secret) => {
    const { emulator } = await signingIn();
    const headers = { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' };
    const repeated: string[] = [];
    let refused = 0;
    for (const { method, path, io } of all) {
      if (path.endsWith('/reset') || path.endsWith('/wait_for')) continue;
      const names = io.body && 'shape' in io.body ? Object.keys(io.body.shape) : [];
      const body = JSON.stringify(Object.fromEntries(names.map((name) => [snake(name), secret])));
      const target = `${path.replace(/:\w+/g, secret)}?after=${secret}&q=${secret}`;
      const init = { method, headers, redirect: 'manual', ...(method === 'GET' ? {} : { body }) } as const;
      const answer = await emulator.fetch(emulator.url + target, init);
      const text = await answer.text();
      if (answer.status < 400) continue;
      refused += 1;
      if (text.includes(secret)) repeated.push(`${method} ${target} ${text}`);
    }

    expect(repeated).toEqual([]);
    expect(refused).toBeGreaterThan(100);
  });
});
