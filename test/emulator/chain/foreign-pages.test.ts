import { get, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { stage } from '../../stage.js';

type Headers = Readonly<Record<string, string>>;

/** Starts an emulator, and returns a function that sends a request and returns the status of the answer. */
async function startEmulator() {
  const { emulator } = await stage({ listen: true });
  const { url } = emulator;
  const statusOf = (path: string, headers: Headers, method = 'GET'): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(url + path, { method, headers }, (answer) => {
        resolve(answer.statusCode);
        answer.destroy();
      });
      sent.on('error', reject).end();
    });
  return { emulator, statusOf };
}

const html = 'text/html';
const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: html };
const frame = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', accept: html };
const image = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', accept: 'image/*' };
const script = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty', accept: '*/*' };

test.each<['accepts' | 'rejects', string, Headers, number]>([
  [
    'accepts',
    'a request from a page of the emulator',
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
    200,
  ],
  ['accepts', 'a request for an address that the user types', { 'sec-fetch-site': 'none', ...link }, 200],
  ['accepts', 'a request from a program', {}, 200],
  ['accepts', "a request from a program that uses Node's fetch", { 'sec-fetch-mode': 'cors' }, 200],
  ['rejects', 'an image on a foreign site', { 'sec-fetch-site': 'cross-site', ...image }, 403],
  ['rejects', 'an image on a page at a different port', { 'sec-fetch-site': 'same-site', ...image }, 403],
  ['rejects', 'a fetch without CORS from a foreign site', { 'sec-fetch-site': 'cross-site', ...script }, 403],
  [
    'rejects',
    'a fetch from a page at a different port',
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
    403,
  ],
  ['rejects', 'a window that a foreign site opens', { 'sec-fetch-site': 'cross-site', ...link }, 403],
  ['rejects', 'a nonstandard Sec-Fetch-Site header', { 'sec-fetch-site': 'Cross-Site, same-origin', ...image }, 403],
])('the live stream %s %s', async (_verdict, _what, headers, status) => {
  const { statusOf } = await startEmulator();

  expect(await statusOf('/_emulator/live', headers)).toBe(status);
});

test.each<[string, string, Headers, number]>([
  ['opens from a link on a foreign site', '/_emulator/inbox', { 'sec-fetch-site': 'cross-site', ...link }, 200],
  ['opens from a link in a local application', '/', { 'sec-fetch-site': 'same-site', ...link }, 200],
  [
    'does not open as an image on a foreign site',
    '/_emulator/inbox',
    { 'sec-fetch-site': 'cross-site', ...image, accept: html },
    403,
  ],
  ['does not open in a frame of a foreign site', '/', { 'sec-fetch-site': 'cross-site', ...frame }, 403],
  [
    'cannot be fetched by a script on a page at a different port',
    '/_emulator/console/users',
    { 'sec-fetch-site': 'same-site', ...script, accept: html },
    403,
  ],
])('a console page %s', async (_what, path, headers, status) => {
  const { statusOf } = await startEmulator();

  expect(await statusOf(path, headers)).toBe(status);
});

test('a control cannot be called by a foreign site, even with the API key', async () => {
  const { emulator, statusOf } = await startEmulator();
  const authorization = `Bearer ${emulator.credentials.apiKey}`;

  expect(await statusOf('/_emulator/requests', { authorization, 'sec-fetch-site': 'cross-site', ...script })).toBe(403);
  expect(await statusOf('/_emulator/requests', { authorization, 'sec-fetch-site': 'cross-site', ...link })).toBe(403);
  expect(await statusOf('/_emulator/reset', { authorization, 'sec-fetch-site': 'cross-site', ...link }, 'POST')).toBe(
    403,
  );
  expect(await statusOf('/_emulator/requests', { authorization })).toBe(200);
});

test('the emulator accepts requests for signing keys, images and hosted pages from foreign sites', async () => {
  const { emulator, statusOf } = await startEmulator();
  const { clientId } = emulator.credentials;

  expect(await statusOf(`/sso/jwks/${clientId}`, { 'sec-fetch-site': 'cross-site', ...script })).toBe(200);
  expect(await statusOf('/cdn/pictures/none.svg', { 'sec-fetch-site': 'cross-site', ...image })).toBe(404);
  expect(await statusOf('/hosted/sign-in', { 'sec-fetch-site': 'cross-site', ...link })).toBe(404);
});

test('images on a foreign site cannot use up the limit of 32 live streams', async () => {
  const { emulator, statusOf } = await startEmulator();
  const open = () =>
    new Promise<number | undefined>((resolve) => {
      const sent = get(`${emulator.url}/_emulator/live`, (answer) => resolve(answer.statusCode));
      onTestFinished(() => void sent.destroy());
    });

  for (let count = 0; count < 40; count++)
    expect(await statusOf('/_emulator/live', { 'sec-fetch-site': 'cross-site', ...image })).toBe(403);
  const statuses = await Promise.all(Array.from({ length: 32 }, open));

  expect(new Set(statuses)).toEqual(new Set([200]));
});
