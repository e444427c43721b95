import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { apiKey, claimsOf, clientId, signingIn } from '../sign-in/signing-in.js';

/** Starts an emulator, and returns a function that can send it any Host header. */
async function startEmulator(options: EmulatorOptions = {}, on = '127.0.0.1') {
  const { emulator } = await stage({
    seed: { organizations: [{ name: 'Acme' }], redirect_uris: ['https://app.acme.test/callback'] },
    ...options,
  });
  const address = await emulator.listen(0, on);
  const sendRaw = async (
    target: string,
    { host = 'localhost', method = 'GET', body = '', ...headers }: Readonly<Record<string, string>> = {},
  ) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    const lines = [`${method} ${target} HTTP/1.1`, ...(host === '' ? [] : [`Host: ${host}`]), 'Connection: close'];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await once(socket, 'close');
    return { status: Number(text.slice(9, 12)), text };
  };
  return { emulator, address, sendRaw };
}

const authorization = `Bearer ${apiKey}`;
const html = 'text/html';
const signIn = `/user_management/authorize?${new URLSearchParams({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: 'https://app.acme.test/callback',
  provider: 'hosted-login',
})}`;

describe('a request', () => {
  const everything = [
    ['the inbox', '/_emulator/inbox', { accept: html }],
    ['a hosted page', '/hosted/sign-in?authorization=x', { accept: html }],
    ['the page of an invitation', '/invitations/accept?token=x', { accept: html }],
    ['an authorization URL', signIn, { accept: html }],
    ['a control', '/_emulator/inbox', { authorization }],
    ['an operation', '/organizations', { authorization }],
    ['the signing keys', `/sso/jwks/${clientId}`, {}],
    ['the health check', '/health', {}],
    ['an unknown path', '/nowhere', {}],
  ] as const;

  test.each(everything)(
    'to %s is rejected if the Host header names a foreign website',
    async (_what, target, headers) => {
      const { sendRaw } = await startEmulator();

      const stranger = await sendRaw(target, { host: 'evil.test:4100', ...headers });
      const local = await sendRaw(target, { host: 'localhost:4100', ...headers });

      expect(stranger.status).toBe(403);
      expect(stranger.text).toContain('--allow-host evil.test');
      expect(stranger.text).toMatch(/^sallyport-emulator: stranger\r$/m);
      expect(stranger.text).not.toContain('Acme');
      expect(local.status).not.toBe(403);
    },
  );

  test.each([
    ['evil.test', 'is rejected', false],
    ['localhost.evil.test', 'is rejected', false],
    ['127.0.0.1.evil.test', 'is rejected', false],
    ['evil.test.', 'is rejected', false],
    ['localhost, evil.test', 'is rejected', false],
    ['localhost@evil.test', 'is rejected', false],
    ['evil.test#localhost', 'is rejected', false],
    ['localhost', 'is accepted', true],
    ['LOCALHOST:4100', 'is accepted', true],
    // This world does not exist.
    ['app.localhost:8080', 'is rejected', false],
    ['127.0.0.1:4100', 'is accepted', true],
    ['127.1.2.3', 'is accepted', true],
    ['[::1]:4100', 'is accepted', true],
  ])('with the Host header "%s" %s', async (host, _verdict, isAnswered) => {
    const { sendRaw } = await startEmulator();

    const { text } = await sendRaw('/organizations', { host, authorization });

    expect(text.includes('Acme')).toBe(isAnswered);
  });

  test.each([
    ['http://evil.test/organizations', 'localhost', 'is rejected', false],
    ['http://localhost/organizations', 'evil.test', 'is rejected', false],
    ['http://localhost:4100/organizations', 'localhost:4100', 'is accepted', true],
    ['//evil.test/organizations', 'localhost', 'is rejected', false],
  ])('with the request target "%s" and the Host header "%s" %s', async (target, host, _verdict, isAnswered) => {
    const { sendRaw } = await startEmulator();

    const { text } = await sendRaw(target, { host, authorization });

    expect(text.includes('Acme')).toBe(isAnswered);
  });

  test('with two Host headers or without a Host header is rejected', async () => {
    const { sendRaw } = await startEmulator();

    const two = await sendRaw('/organizations', { authorization, Host: 'evil.test' });
    const none = await sendRaw('/organizations', { authorization, host: '' });

    expect([two.text.includes('Acme'), none.text.includes('Acme')]).toEqual([false, false]);
  });
});

describe('the local network host', () => {
  test.each(['emulator:4100', '192.168.0.7:4100', '[fd00::7]:4100', 'host.docker.internal:4100'])(
    '%s can be used by programs with an API key, but not by browsers',
    async (host) => {
      const { sendRaw } = await startEmulator();

      const operation = await sendRaw('/organizations', { host, authorization });
      const control = await sendRaw('/_emulator/inbox', { host, authorization });
      const without = await sendRaw('/organizations', { host });
      const keys = await sendRaw(`/sso/jwks/${clientId}`, { host });
      const page = await sendRaw('/_emulator/inbox', { host, accept: html });
      const hosted = await sendRaw('/hosted/sign-in?authorization=x', { host, accept: html });

      expect([operation.status, control.status, keys.status, without.status]).toEqual([200, 200, 200, 401]);
      expect([page.status, hosted.status]).toEqual([403, 403]);
      expect(page.text).toContain('--allow-host');
    },
  );
});

test('a request for a linked file is accepted at the local network host emulator:4100', async () => {
  const { sendRaw } = await startEmulator();

  const missing = await sendRaw('/audit_logs/files/made-up', { host: 'emulator:4100' });
  const stranger = await sendRaw('/audit_logs/files/made-up', { host: 'evil.test:4100' });

  expect([missing.status, stranger.status]).toEqual([404, 403]);
});

describe("the host names in the emulator's options", () => {
  test("can be used to open the emulator's pages", async () => {
    const { emulator, address, sendRaw } = await startEmulator({
      publicUrl: 'https://login.acme.test',
      allowHosts: ['emulator', 'Dev.Acme.test', '[fd00::7]', '192.168.0.7'],
    });

    const statuses = await Promise.all(
      ['login.acme.test', 'emulator:4100', 'dev.acme.test', '[fd00::7]:4100', '192.168.0.7', 'other.acme.test'].map(
        async (host) => (await sendRaw('/_emulator/inbox', { host, accept: html })).status,
      ),
    );

    expect(statuses).toEqual([200, 200, 200, 200, 200, 403]);
    expect([emulator.url, emulator.credentials.baseUrl]).toEqual([
      'https://login.acme.test',
      'https://login.acme.test',
    ]);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('appear in email links and in the token issuer if publicUrl is set', async () => {
    const { emulator, send, byPassword, user } = await signingIn({ publicUrl: 'https://login.acme.test/' });
    await user('ada@example.com');
    await send('POST /user_management/invitations', { email: 'grace@example.com' });

    const { body } = await byPassword('ada@example.com');

    expect(emulator.inbox.latest()!.url).toMatch(/^https:\/\/login\.acme\.test\/invitations\/accept\?token=/);
    expect(claimsOf(body.access_token).iss).toBe(`https://login.acme.test/user_management/${clientId}`);
  });

  test.each([
    [{ publicUrl: 'login.acme.test' }, 'publicUrl'],
    [{ allowHosts: ['http://acme.test'] }, 'allowHosts'],
    [{ allowHosts: ['*'] }, 'allowHosts'],
    [{ allowHosts: [''] }, 'allowHosts'],
  ])('are rejected if a value is invalid (%j)', async (options, name) => {
    await expect(createEmulator(options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(name),
    });
  });
});

test('a request to the host name that the emulator listens on is accepted', async () => {
  const { address } = await startEmulator({}, hostname());
  const { sendRaw } = await startEmulator();

  const ownName = await fetch(`${address}/_emulator/inbox`, { headers: { accept: html } });
  const other = await sendRaw('/_emulator/inbox', { host: hostname(), accept: html });

  expect([ownName.status, other.status]).toEqual([200, 403]);
});

describe('a page on a foreign origin', () => {
  const grant = { method: 'POST', body: `{"client_id":"${clientId}","client_secret":"${apiKey}"}` };

  test.each([
    ['GET /organizations', { authorization }],
    ['POST /_emulator/reset', { authorization, method: 'POST' }],
    [
      'POST /_emulator/reset with a text/plain body',
      { authorization, method: 'POST', body: 'x=1', 'content-type': 'text/plain' },
    ],
    ['POST /user_management/authenticate with a client secret', grant],
    ['POST /hosted/sign-in', { method: 'POST', body: 'a=b', 'content-type': 'application/x-www-form-urlencoded' }],
    ['POST /invitations/accept', { method: 'POST', body: 'a=b', 'content-type': 'application/x-www-form-urlencoded' }],
  ])('cannot send %s', async (line, headers) => {
    const { sendRaw, emulator } = await startEmulator();

    const answers = await Promise.all(
      ['https://evil.test', 'null', 'http://localhost.evil.test', 'http://emulator:4100'].map((origin) =>
        sendRaw(line.split(' ')[1]!, { ...headers, origin }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    for (const { text } of answers) expect(text).toContain('origin_not_allowed');
    expect(emulator.served.size).toBe(0);
  });

  test('can use only the public endpoints, unlike a page on a local or allowed origin', async () => {
    const { sendRaw } = await startEmulator({ allowHosts: ['dev.acme.test'] });
    const status = async (target: string, headers: Readonly<Record<string, string>>) =>
      (await sendRaw(target, headers)).status;

    expect(await status('/organizations', { authorization, origin: 'http://localhost:3000' })).toBe(200);
    expect(await status('/organizations', { authorization, origin: 'https://dev.acme.test' })).toBe(200);
    expect(await status(`/sso/jwks/${clientId}`, { origin: 'https://evil.test' })).toBe(200);
    const publicGrant = { method: 'POST', body: `{"client_id":"${clientId}","grant_type":"refresh_token"}` };
    const origin = 'https://app.acme.test';
    expect(await status('/user_management/authenticate', { ...publicGrant, origin })).toBe(400);
    // An API key does not belong in a page of any site.
    expect(await status('/user_management/authenticate', { ...grant, origin })).toBe(403);
  });
});

test('an in-process request is accepted with any host name', async () => {
  const { emulator } = await stage({ seed: { organizations: [{ name: 'Acme' }] } });

  const answer = await emulator.fetch('https://api.service.example/organizations', {
    headers: { authorization, host: 'api.service.example', origin: 'https://app.example' },
  });

  expect((await answer.json()).data).toMatchObject([{ name: 'Acme' }]);
});
