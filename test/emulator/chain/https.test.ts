import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import type { Emulator, HttpsOptions } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { certificateFor } from './certificate.js';

const pair = certificateFor('localhost', '127.0.0.1');

const startEmulator = async (https: HttpsOptions = pair): Promise<Emulator> => {
  const { emulator } = await stage();
  await emulator.listen(0, '127.0.0.1', { https });
  return emulator;
};

/** Sends a request over HTTPS as a client that trusts only this certificate. */
async function getOverHttps(url: string, cert = pair.cert, headers = {}) {
  const sent = request(url, { ca: cert, agent: false, headers: { accept: 'text/html', ...headers } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of answer) body += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, body };
}

describe('with HTTPS enabled,', () => {
  test('the emulator uses the configured certificate, and all URLs start with https', async () => {
    const { url, credentials, env } = await startEmulator();

    const { status, body } = await getOverHttps(`${url}/health`);

    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect([credentials.baseUrl, env.SALLYPORT_BASE_URL]).toEqual([url, url]);
    expect([status, body]).toEqual([200, '{"status":"ok"}']);
    await expect(getOverHttps(`${url}/health`, certificateFor('localhost').cert)).rejects.toThrow();
  });

  test('the emulator accepts 700 KB of cookies from local applications', async () => {
    const { url } = await startEmulator();

    expect((await getOverHttps(`${url}/`, pair.cert, { cookie: `app=${'x'.repeat(700_000)}` })).status).toBe(200);
  });

  test("the emulator's URL contains the host name in the certificate", async () => {
    const local = certificateFor('localhost');
    const { url } = await startEmulator(local);

    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    expect((await getOverHttps(`${url}/health`, local.cert)).status).toBe(200);
  });

  test('the hosted pages set Secure cookies', async () => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'client_sallyport_emulator',
      redirect_uri: 'http://localhost:3000/callback',
      provider: 'hosted-login',
    });
    const { url, fetch } = await startEmulator();

    const { headers } = await getOverHttps(`${url}/user_management/authorize?${query}`);
    const inProcess = await fetch(`${url}/user_management/authorize?${query}`, { redirect: 'manual' });

    expect(headers['set-cookie']).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Lax; Secure$/)]);
    expect(inProcess.headers.get('set-cookie')).toMatch(/; SameSite=Lax$/);
  });

  test('the emulator rejects a plain HTTP request with an error that says to use https', async () => {
    const { url } = await startEmulator();

    const answer = await fetch(`${url.replace('https:', 'http:')}/health`);

    expect(answer.status).toBe(400);
    expect(await answer.text()).toBe(
      'This port of the Sallyport emulator only accepts HTTPS. Use https:// in the address.\n',
    );
  });

  const other = certificateFor('localhost');
  const key = createPrivateKey(pair.key);
  test.each([
    ['the key belongs to a different certificate', { ...pair, key: other.key }, 'do not belong together'],
    ['the key is missing', { cert: pair.cert }, 'key is missing'],
    ['the certificate is missing', { key: pair.key }, 'cert is missing'],
    [
      'the certificate and the key are swapped',
      { cert: pair.key, key: pair.cert },
      'The certificate of https cannot be read. Its PEM label is PRIVATE KEY',
    ],
    ['the certificate is a file path', { ...pair, cert: './cert.pem' }, 'It is not in PEM'],
    [
      'the key is a public key',
      { ...pair, key: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString() },
      'Its PEM label is PUBLIC KEY',
    ],
    [
      'the key has a passphrase',
      {
        ...pair,
        key: key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'hush' }).toString(),
      },
      'It has a passphrase',
    ],
    ['the certificate is damaged', { ...pair, cert: pair.cert.replace(/\n.{40}/, '\n') }, 'It is damaged'],
  ])('the emulator does not start if %s', async (_what, https, message) => {
    const { emulator } = await stage();
    // JavaScript callers may leave out required options.
    const started = emulator.listen(0, '127.0.0.1', { https: https as HttpsOptions });
    const refusal = await started.catch((error: unknown) => error);

    expect(refusal).toMatchObject({ name: 'ConfigurationError', code: 'invalid_option' });
    expect((refusal as Error).message).toContain(message);
    expect((refusal as Error).message).not.toContain(pair.key.split('\n')[1]);
    await expect(emulator.listen()).resolves.toMatch(/^http:/);
  });
});
