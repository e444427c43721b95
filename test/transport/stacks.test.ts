import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { organizations } from '../../src/service/organizations.js';
import { Transport } from '../../src/transport/transport.js';
import { clientOf, clientWith, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';

// The stack of an error leads to the line of this file with the call.

const file = fileURLToPath(import.meta.url);
const lines = readFileSync(file, 'utf8').split('\n');
const ulid = '01HZXW5T4M8Q2R6V9Y3B7C1D0E';
type Doing = (sallyport: Sallyport) => Promise<unknown>;

/** Return the first line of this file in the stack of the thrown error. */
async function lineOf(doing: () => Promise<unknown>): Promise<string | undefined> {
  const error = await doing().then(
    () => new Error('nothing was thrown'),
    (thrown: Error) => thrown,
  );
  expect(error.stack).toContain(error.message);
  const [, line] = new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`).exec(error.stack!) ?? [];
  return line === undefined ? `none in ${error.stack}` : lines[Number(line) - 1];
}

const failing = { status: 404, body: { message: 'No.' } };

describe('the stack trace points to the line of a call', () => {
  test.each<[string, Doing]>([
    ['with an invalid path parameter', async (s) => void (await s.organizations.getOrganization('')) /* here */],
    [
      'with an id of the wrong type',
      async (s) => void (await s.organizations.getOrganization(`user_${ulid}`)) /* here */,
    ],
    ['with an invalid body', async (s) => void (await s.organizations.createOrganization({} as never)) /* here */],
    ['with invalid options', async (s) => void (await s.fga.getResourceType('a', { timeoutMs: 0 })) /* here */],
    ['with both a password and a password hash', async (s) => void (await twoPasswords(s)) /* here */],
    ['that failed', async (s) => void (await s.organizations.getOrganization('org_01')) /* here */],
    [
      'that failed and used withResponse()',
      async (s) => void (await s.sso.getConnection('c').withResponse()) /* here */,
    ],
    ['that failed in Promise.all', async (s) => void (await Promise.all([s.sso.getConnection('c')])) /* here */],
    ['that returns a plain array', async (s) => void (await s.userManagement.getUserIdentities('user_01')) /* here */],
    ['that seals a session', async (s) => void (await signIn(s)) /* here */],
  ])('%s', async (_, doing) => {
    const server = await serve(failing);

    expect(await lineOf(() => doing(clientOf(server, { maxRetries: 0 })))).toContain('/* here */');
  });

  test('that could not reach a server', async () => {
    const server = await serve(failing);
    await server.close();

    const line = await lineOf(async () => {
      await clientOf(server, { maxRetries: 0 }).organizations.getOrganization('org_01'); // here
    });

    expect(line).toContain('// here');
  });

  test('that timed out', async () => {
    const sallyport = clientWith(() => new Promise(() => {}), { maxRetries: 0, timeoutMs: 5 });

    const line = await lineOf(async () => {
      await sallyport.organizations.getOrganization('org_01'); // here
    });

    expect(line).toContain('// here');
  });
});

describe('the stack trace points to the line that', () => {
  const lists: [string, { limit?: number }][] = [
    ['has an invalid limit', { limit: 0 }],
    ['cannot be loaded', {}],
  ];

  test.each(lists)('awaits a list that %s', async (_, params) => {
    const { organizations } = clientOf(await serve(failing), { maxRetries: 0 });

    const line = await lineOf(async () => {
      await organizations.listOrganizations(params); // here
    });

    expect(line).toContain('// here');
  });

  test.each(lists)('calls withResponse() on a list that %s', async (_, params) => {
    const { organizations } = clientOf(await serve(failing), { maxRetries: 0 });

    const line = await lineOf(async () => {
      await organizations.listOrganizations(params).withResponse(); // here
    });

    expect(line).toContain('// here');
  });

  test.each(lists)('iterates over a list that %s', async (_, params) => {
    const { organizations } = clientOf(await serve(failing), { maxRetries: 0 });

    const line = await lineOf(async () => {
      for await (const _ of organizations.listOrganizations(params)); // here
    });

    expect(line).toContain('// here');
  });

  test.each(lists)('iterates over pages() of a list that %s', async (_, params) => {
    const { organizations } = clientOf(await serve(failing), { maxRetries: 0 });

    const line = await lineOf(async () => {
      for await (const _ of organizations.listOrganizations(params).pages()); // here
    });

    expect(line).toContain('// here');
  });

  test.each(lists)('calls toArray() on a list that %s', async (_, params) => {
    const { organizations } = clientOf(await serve(failing), { maxRetries: 0 });

    const line = await lineOf(async () => {
      await organizations.listOrganizations(params).toArray({ max: 10 }); // here
    });

    expect(line).toContain('// here');
  });

  test('iterates over a list if a prefetch fails', async () => {
    const page = (id: string) => ({ body: wirePage([wireOrganization({ id })], { after: id }) });
    const server = await serve(page('org_01'), page('org_02'), failing);
    const { organizations } = clientOf(server, { maxRetries: 0 });

    const line = await lineOf(async () => {
      const failed = async () => {
        for (let i = 0; i < 10_000 && server.requests.length < 3; i++) await new Promise(setImmediate);
      };
      for await (const { id } of organizations.listOrganizations()) if (id === 'org_02') await failed(); // here
    });

    expect(line).toContain('// here');
  });
});

test('the error of a list that fails in toArray() contains the cursor', async () => {
  const page = { body: wirePage([wireOrganization({ id: 'org_01' })], { after: 'org_01' }) };
  const { organizations } = clientOf(await serve(page, failing), { maxRetries: 0 });

  await expect(organizations.listOrganizations().toArray({ max: 10 })).rejects.toMatchObject({ cursor: 'org_01' });
});

test('an error passed as an abort reason keeps its stack trace', async () => {
  const reason = new Error('enough');
  const { stack } = reason;
  const { organizations } = clientOf(await serve(failing));

  await expect(organizations.getOrganization('org_01', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await expect(
    organizations.listOrganizations({}, { signal: AbortSignal.abort(reason) }).toArray({ max: 1 }),
  ).rejects.toBe(reason);
  expect(reason.stack).toBe(stack);
});

const twoPasswords = (s: Sallyport) =>
  s.userManagement.createUser({ email: 'ada@acme.test', password: 'p', passwordHash: 'h' }); /* here */
const signIn = (s: Sallyport) =>
  s.userManagement.authenticateWithCode({
    code: 'c',
    session: { sealSession: true, cookiePassword: 'p'.repeat(32) },
  }); /* here */

test('the stack trace points to the calling line even if the call has to load its code first', async () => {
  const transport = new Transport({ apiKey: 'sk_test_1', baseUrl: 'https://api.acme.test' });
  const get = async () => organizations.get;

  const line = await lineOf(async () => {
    const call = transport.send(get, { params: { id: '' } }); // here
    call.catch(() => {});
    await new Promise(setImmediate);
    await call;
  });

  expect(line).toContain('// here');
});
