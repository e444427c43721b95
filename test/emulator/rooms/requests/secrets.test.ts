import { expect, test } from 'vitest';
import { requestLine } from '../../../../src/cli/emulator/request-line.js';
import { printableJson } from '../../../../src/cli/printable.js';
import type { LoggedRequest } from '../../../../src/emulator/index.js';
import fc, { runs } from '../../../runner/property.js';
import { stage } from '../../../stage.js';

const secret = 'Zebra7Quilt';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Functions that send a body and return everything that the emulator shows of it. */
async function startWithLog() {
  const { emulator, send } = await stage();
  let heard: LoggedRequest | undefined;
  emulator.onRequest((request) => {
    heard = request;
  });
  const show = async (body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    await send('POST /user_management/users', body, headers);
    const page = await emulator.fetch(`/_emulator/console/requests/${heard!.id}`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const listed = emulator.requests.list({ limit: 1 });
    emulator.requests.clear();
    return [printableJson(listed), printableJson(heard), requestLine(heard!), await page.text()].join('\n');
  };
  const bodyOf = async (body: string, headers: Readonly<Record<string, string>> = {}): Promise<string | null> => {
    await send('POST /user_management/users', body, headers);
    return heard!.requestBody;
  };
  return { emulator, send, show, bodyOf };
}

test.each([
  ['incomplete JSON', '{"email":"a@a.test","password":"Zebra7Q', {}, '(39 characters, not a JSON object)'],
  ['plain text', 'password: Zebra7Quilt', { 'content-type': 'text/plain' }, '(21 characters, not a JSON object)'],
  ['a JSON string', '"Zebra7Quilt"', {}, '(13 characters, not a JSON object)'],
  ['a form sent as JSON', 'password=Zebra7Quilt', {}, '(20 characters, not a JSON object)'],
  ['JSON sent as a form', '{"password":"Zebra7Quilt"}', form, '(26 characters, not a form)'],
  ['a form value without a name', '=Zebra7Quilt', form, '(12 characters, not a form)'],
  [
    'a multipart form',
    '--x\r\ncontent-disposition: form-data; name="password"\r\n\r\nZebra7Quilt\r\n--x--',
    { 'content-type': 'multipart/form-data; boundary=x' },
    '(74 characters, not a JSON object)',
  ],
])(
  'the request log shows only the length of an unreadable body, such as %s',
  async (_what, body, headers, expected) => {
    const { emulator, bodyOf } = await startWithLog();

    expect(await bodyOf(body, headers)).toBe(expected);
    await emulator.close();
  },
);

test.each([
  ['a numeric password', '{"password":1234567,"a":1}', {}, '{"password":"…","a":1}'],
  ['a password that is an object', '{"password":{"value":"Zebra7Quilt"}}', {}, '{"password":"…"}'],
  [
    'the value of a field named newPassword or db_password',
    '{"newPassword":"x","db_password":"x"}',
    {},
    '{"newPassword":"…","db_password":"…"}',
  ],
  ['a password that appears twice', '{"password":"Zebra7Quilt","password":"x"}', {}, '{"password":"…"}'],
  [
    'a token in the query string of a URL',
    '{"a":"http://a.test/?b=1&token=x"}',
    {},
    '{"a":"http://a.test/?b=1&token=…"}',
  ],
  ['a password in a form', 'email=a%40a.test&password=x', form, 'email=a%40a.test&password=…'],
  ['a form password that starts with =', 'password==Zebra7Quilt', form, 'password=…'],
  [
    'the value of a form field named user[password]',
    'user[password]=x&password[]=x',
    form,
    'user[password]=…&password[]=…',
  ],
  ['the value of a form field with an escaped name', 'pass%77ord=x&pass%77ord%=x', form, 'pass%77ord=…&pass%77ord%=…'],
  ['a form password with a malformed escape', 'a=%zz&password=%zz', form, 'a=%zz&password=…'],
  ['a password in a form that starts with a question mark', '?password=x&a=1', form, 'password=…&a=1'],
  ['a password in a URL', '{"a":"http://ada:Zebra7Quilt@a.test/b"}', {}, '{"a":"http://…@a.test/b"}'],
  ['a URL password that contains @', '{"a":"https://ada:Zebra@7Quilt@a.test"}', {}, '{"a":"https://…@a.test"}'],
  ['a URL password that contains &', '{"a":"http://ada:Zebra&7@a.test"}', {}, '{"a":"http://…@a.test"}'],
  ['a password in a URL without slashes', '{"a":"http:ada:Zebra7Quilt@a.test"}', {}, '{"a":"http:…@a.test"}'],
  ['a password in a database URL', '{"a":"at postgres://ada:Zebra7@db/x"}', {}, '{"a":"at postgres://…@db/x"}'],
  ['a password in a URL used as a field name', '{"http://ada:Zebra7Quilt@a.test":1}', {}, '{"http://…@a.test":1}'],
  [
    'a password in a URL within nested JSON',
    '{"a":"{\\"b\\":\\"http://a:b@c\\"}"}',
    {},
    '{"a":"{\\"b\\":\\"http://…@c\\"}"}',
  ],
  [
    'a password in a URL inside another URL',
    '{"a":"/?b=http%3A%2F%2Fada%3Ax%40a.test"}',
    {},
    '{"a":"/?b=http%3A%2F%2F…%40a.test"}',
  ],
  ['a URL password in a form', 'a=http%3A%2F%2Fada%3Ax%40a.test', form, 'a=http%3A%2F%2F…%40a.test'],
  [
    'a form password sent with a mixed-case content type',
    'password=x',
    { 'content-type': 'Application/X-WWW-Form-URLEncoded; charset=utf-8' },
    'password=…',
  ],
])('the request log hides %s', async (_what, body, headers, expected) => {
  const { emulator, bodyOf } = await startWithLog();

  expect(await bodyOf(body, headers)).toBe(expected);
  await emulator.close();
});

test.each([
  '{"name":"[draft] Acme","note":"{{user.email}}"}',
  '{"name":"\\"Acme\\" Ltd","note":"the password: at least 8 characters"}',
  '{"metadata":{"plan":"a=b&c=d","url":"https://acme.test/?page=2"}}',
  '{"url":"https://acme.test/?email=ada@acme.test","note":"https://acme.test is that of ada@acme.test"}',
  '{"a":"/?next=https%3A%2F%2Facme.test%2F%3Femail%3Dada%40acme.test"}',
  '{"name":"Ada","email_verified":true,"password_hash_type":"bcrypt","tags":[]}',
])('the request log does not change a body without secrets, such as %s', async (body) => {
  const { emulator, bodyOf } = await startWithLog();

  expect(await bodyOf(body)).toBe(body);
  await emulator.close();
});

test('the request log shows only the length of a request body over 64 KiB', async () => {
  const { emulator, show, bodyOf } = await startWithLog();
  const bodyOfLength = (length: number): string => {
    const start = `{"password":"${secret}","metadata":{"x":"`;
    return `${start}${'x'.repeat(length - start.length - 3)}"}}`;
  };

  expect(await bodyOf(bodyOfLength(65_536))).toMatch(/^\{"password":"…","metadata":\{"x":"x+"\}\}$/);
  expect(await bodyOf(bodyOfLength(65_537))).toBe('(65537 characters, too long to be shown)');
  const shown = await show(bodyOfLength(70_000));
  expect(shown).toContain('Its body was too long to be stored.');
  expect(shown).not.toContain(secret);
  await emulator.close();
});

test('the console shows no curl command for a request with a hidden body', async () => {
  const { emulator, show } = await startWithLog();

  expect(await show('{"email"')).not.toContain('<h3>curl</h3>');
  expect(await show('{"email":"a@a.test"}')).toContain('<h3>curl</h3>');
  await emulator.close();
});

test.each([
  ['POST', '/user_management/invitations/by_token/Zebra7Quilt'],
  ['GET', '/user_management/invitations/by_token/Zebra7Quilt/more'],
  ['GET', '/nowhere/by_token/Zebra7Quilt?token[]=Zebra7Quilt'],
])('the request log hides the token in a request to an unknown path, such as %s %s', async (method, path) => {
  const { emulator, send } = await stage();

  const { status } = await send(`${method} ${path}`);

  expect(status).toBeGreaterThanOrEqual(404);
  expect(JSON.stringify(emulator.requests.list())).not.toContain(secret);
  await emulator.close();
});

test.each(['/http://ada:Zebra7Quilt@a.test', '/authorize?redirect_uri=http://ada:Zebra7Quilt@a.test/callback'])(
  'the request log hides the password in the request URL %s',
  async (path) => {
    const { emulator, send } = await stage();

    await send(`GET ${path}`);

    expect(JSON.stringify(emulator.requests.list())).not.toContain(secret);
    await emulator.close();
  },
);

test('the request log hides the password in the URL of a rejected webhook endpoint', async () => {
  const { emulator, send } = await stage();

  const { status } = await send('POST /webhook_endpoints', '{"endpoint_url":"http://ada:Zebra7Quilt@a.test/hook"}');

  expect(status).toBe(422);
  expect(JSON.stringify(emulator.requests.list())).toMatch(/…@a\.test(?!.*Zebra7Quilt)/);
  await emulator.close();
});

const names = fc.constantFrom('password', 'Password', 'new_password', 'clientSecret', 'token', 'refresh_token', 'code');
const otherNames = fc.constantFrom('email', 'name', 'metadata', '', 'a b', '__proto__', '"', '\\', 'x'.repeat(300));
const filler = fc.oneof(
  { weight: 5, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 70_000 }).map((length) => 'x'.repeat(length)) },
);
/** JSON values that contain the secret only under secret names, and in URLs. */
const { value: secretive } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    filler,
    fc.constantFrom(null, true, 7),
    fc.record({ name: names }).map(({ name }) => ({ [name]: secret })),
    fc.tuple(names, fc.constantFrom([secret], { x: secret }, [[secret]])).map(([name, own]) => ({ [name]: own })),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(otherNames, tie('value'), { maxKeys: 3 }),
    names.map((name) => `http://a.test/cb?x=1&${name}=${secret}`),
  ),
}));
const cut = (text: string, part: number): string => text.slice(0, Math.ceil(text.length * part));
const part = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
const types = fc.constantFrom(
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/scim+json',
  '',
);
const bodies = fc.oneof(
  secretive.map((value) => JSON.stringify({ value })),
  fc.tuple(names, secretive).map(([name, value]) => JSON.stringify({ value, [name]: secret }, null, 2)),
  fc
    .array(
      fc.oneof(
        fc.tuple(names, fc.constant(secret)),
        fc.tuple(
          names.map((name) => `user[${name}]`),
          fc.constant(secret),
        ),
        fc.tuple(otherNames, filler),
      ),
    )
    .map((pairs) => `${new URLSearchParams(pairs)}`),
  names.map((name) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${secret}\r\n--x--`),
  fc.tuple(names, fc.constantFrom(': ', '=', '\t', ';')).map(([name, sign]) => `${name}${sign}${secret}`),
);

test('the request log hides secrets of any type and length in a request body, even an incomplete body', async () => {
  const { emulator, show } = await startWithLog();
  await fc.assert(
    fc.asyncProperty(bodies, part, types, async (body, share, type) => {
      const shown = await show(cut(body, share), { 'content-type': type });
      expect(shown).not.toContain(secret);
    }),
    { numRuns: runs(1_000) },
  );
  await emulator.close();
});
