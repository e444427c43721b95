import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { Sallyport } from '../../../src/index.js';
import { sender } from '../../servers/send.js';
import { stateFolder } from './folder.js';

const newFile = stateFolder();

const seed = {
  organizations: [{ id: 'org_acme', name: 'Acme' }],
  users: [{ id: 'user_ada', email: 'ada@acme.test', password: 'a quiet harbour at dawn', email_verified: true }],
  memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
};

const open: Emulator[] = [];
const start = async (options: EmulatorOptions): Promise<Emulator> => {
  const one = await createEmulator(options);
  open.push(one);
  return one;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.close().catch(() => undefined);
});

const send = (one: Emulator, line: string, body?: unknown) =>
  sender(one.fetch, one.url, one.credentials.apiKey)(line, body);
const names = async (one: Emulator): Promise<string[]> =>
  (await send(one, 'GET /organizations?order=asc')).body.data.map(({ name }: { readonly name: string }) => name);

describe('an emulator with a state file', () => {
  test('continues with the staging and production data of the previous emulator', async () => {
    const state = newFile();
    const first = await start({ state, seed });
    await send(first, 'POST /organizations', { name: 'Later' });
    await sender(first.fetch, first.url, first.production.credentials.apiKey)('POST /organizations', { name: 'Live' });
    await first.close();

    const second = await start({ state, seed });
    const live = await sender(second.fetch, second.url, second.production.credentials.apiKey)('GET /organizations');

    expect(await names(second)).toEqual(['Acme', 'Later']);
    expect(live.body.data).toMatchObject([{ name: 'Live' }]);
    expect([first.state, second.state]).toEqual([
      { file: state, isNew: true, hasOtherSeed: false },
      { file: state, isNew: false, hasOtherSeed: false },
    ]);
  });

  test('accepts and refreshes a session cookie from before a restart', async () => {
    const state = newFile();
    const first = await start({ state, seed });
    const { env } = first;
    const sealed = await new Sallyport({
      ...first.credentials,
      fetch: first.fetch,
    }).userManagement.authenticateWithPassword({
      email: 'ada@acme.test',
      password: 'a quiet harbour at dawn',
      session: { sealSession: true, cookiePassword: env.SALLYPORT_COOKIE_PASSWORD },
    });
    await first.close();

    const second = await start({ state, seed });
    const client = new Sallyport({ ...second.credentials, fetch: second.fetch });
    const session = client.userManagement.loadSealedSession({
      sessionData: sealed.sealedSession!,
      cookiePassword: second.env.SALLYPORT_COOKIE_PASSWORD,
    });

    expect(second.env.SALLYPORT_COOKIE_PASSWORD).toBe(env.SALLYPORT_COOKIE_PASSWORD);
    expect(await session.authenticate()).toMatchObject({ authenticated: true, user: { id: 'user_ada' } });
    expect(await session.refresh()).toMatchObject({ authenticated: true, user: { id: 'user_ada' } });
  });

  test('keeps the administrator key unless an option sets a different key', async () => {
    const state = newFile();
    const first = await start({ state });
    await first.close();
    const second = await start({ state });
    await second.close();
    const third = await start({ state, adminKey: 'ak_of_my_own' });

    expect(second.adminKey).toBe(first.adminKey);
    expect(third.adminKey).toBe('ak_of_my_own');
  });

  test('loads the seed only into a new file, and reports a changed seed', async () => {
    const state = newFile();
    await (await start({ state, seed })).close();
    const other = { organizations: [{ name: 'Beacon' }] };

    const second = await start({ state, seed: other });
    const before = await names(second);
    const wasOther = second.state?.hasOtherSeed;
    await second.reset();
    const after = await names(second);
    await second.close();
    const third = await start({ state, seed: other });
    const fourth = third.state?.hasOtherSeed;
    const names3 = await names(third);
    await third.close();
    const unnamed = await start({ state });

    expect([before, wasOther]).toEqual([['Acme'], true]);
    expect([after, names3, fourth]).toEqual([['Beacon'], ['Beacon'], false]);
    expect([await names(unnamed), unnamed.state?.hasOtherSeed]).toEqual([['Beacon'], false]);
  });

  test('removes all data except the seed data from the file on a reset', async () => {
    const state = newFile();
    const first = await start({ state, seed });
    await send(first, 'POST /organizations', { name: 'Later' });
    await first.reset();
    await send(first, 'POST /organizations', { name: 'After' });
    await first.close();

    expect(await names(await start({ state, seed }))).toEqual(['Acme', 'After']);
    expect(readFileSync(state, 'utf8')).not.toContain('Later');
  });

  test('writes a restored snapshot to the file', async () => {
    const state = newFile();
    const first = await start({ state, seed });
    const snapshot = first.snapshot();
    await send(first, 'POST /organizations', { name: 'Later' });
    await first.restore(snapshot);
    await send(first, 'POST /organizations', { name: 'After' });
    await first.close();

    expect(await names(await start({ state, seed }))).toEqual(['Acme', 'After']);
  });

  test('keeps the clock, emails, events and faults after a restart', async () => {
    const state = newFile();
    const first = await start({ state, seed, clock: '2026-01-01T00:00:00.000Z', deliver: () => new Response(null) });
    await first.clock.advance('3d');
    await send(first, 'POST /user_management/magic_auth', { email: 'ada@acme.test' });
    await send(first, 'POST /organizations', { name: 'Later' });
    await first.faults.add({ operation: 'organizations.list', status: 503, times: 1 });
    const [events, mail, { length }] = [
      await send(first, 'GET /events?events[]=organization.created'),
      first.inbox.messages,
      await first.faults.list(),
    ];
    await first.close();

    const second = await start({ state, seed, clock: '2026-01-01T00:00:00.000Z' });

    expect(second.clock.iso()).toBe('2026-01-04T00:00:00.000Z');
    expect(second.inbox.messages).toEqual(mail);
    expect((await send(second, 'GET /events?events[]=organization.created')).body).toEqual(events.body);
    expect([length, (await second.faults.list()).length]).toEqual([1, 1]);
    expect((await send(second, 'GET /organizations')).status).toBe(503);
  });

  test('delivers pending webhooks in order after a restart', async () => {
    const state = newFile();
    const first = await start({ state, seed, deliver: () => new Promise(() => undefined) });
    await send(first, 'POST /webhook_endpoints', { endpoint_url: 'https://acme.test/hook', events: [] });
    for (const name of ['One', 'Two']) {
      const { body } = await send(first, 'POST /organizations', { name });
      await send(first, `PUT /organizations/${body.id}`, { name: `${name}, renamed` });
    }
    await first.close();

    const names: string[] = [];
    const second = await start({
      state,
      seed,
      deliver: async (request) => {
        const { data } = (await request.json()) as { data: { name: string } };
        names.push(data.name);
        return new Response();
      },
    });
    await second.waitForDeliveries();

    expect(names).toEqual(['One', 'Two', 'One, renamed', 'Two, renamed']);
    expect(second.deliveries.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });

  test('checks audit log events against the schemas stored in the file', async () => {
    const state = newFile();
    const first = await start({ state, seed });
    await send(first, 'POST /audit_logs/actions/invoice.viewed/schemas', {
      targets: [{ type: 'invoice' }],
      metadata: { type: 'object', properties: { total: { type: 'number' } } },
    });
    await first.close();
    const second = await start({ state, seed });
    const event = (total: unknown) =>
      send(second, 'POST /audit_logs/events', {
        organization_id: 'org_acme',
        event: {
          action: 'invoice.viewed',
          occurred_at: '2026-01-01T00:00:00.000Z',
          actor: { id: 'user_ada', type: 'user' },
          targets: [{ id: 'i1', type: 'invoice' }],
          context: { location: '127.0.0.1' },
          metadata: { total },
        },
      });

    expect((await event(7)).status).toBeLessThan(300);
    expect((await event('seven')).status).toBeGreaterThanOrEqual(400);
  });

  test('creates no file if the seed is invalid', async () => {
    const state = newFile();

    await expect(createEmulator({ state, seed: { users: [{}] } as never })).rejects.toMatchObject({
      code: 'invalid_seed',
    });

    expect(() => readFileSync(state)).toThrow('ENOENT');
    await start({ state, seed });
  });

  test('rejects a URL, a file with unrelated content, and a file that another emulator uses', async () => {
    const other = newFile();
    writeFileSync(other, 'users: []\n');
    const state = newFile();
    await start({ state });

    await expect(createEmulator({ state: new URL('https://acme.test/state') })).rejects.toMatchObject({
      code: 'invalid_option',
    });
    await expect(createEmulator({ state: other })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(createEmulator({ state })).rejects.toMatchObject({ code: 'state_in_use' });
  });

  test('can be closed twice without affecting a new emulator that uses the same file', async () => {
    const state = newFile();
    const one = await start({ state });

    await one.close();
    await start({ state });
    await one.close();

    // The second call releases nothing that belongs to the next emulator.
    await expect(createEmulator({ state })).rejects.toMatchObject({ code: 'state_in_use' });
  });

  test('writes the last changes even if the process exits without a call to close', async () => {
    const state = newFile();
    const program = `
      import { createEmulator } from './src/emulator/index.ts';
      const emulator = await createEmulator({ state: process.argv[1] });
      const headers = { authorization: 'Bearer ' + emulator.credentials.apiKey, 'content-type': 'application/json' };
      await emulator.fetch('/organizations', { method: 'POST', headers, body: '{"name":"At the last moment"}' });
      process.exit();
    `;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, state], {
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');

    expect(code).toBe(0);
    expect(await names(await start({ state }))).toEqual(['At the last moment']);
  });
});

test('an emulator without a state file contains only the seed data after a restart', async () => {
  const first = await start({ seed });
  await send(first, 'POST /organizations', { name: 'Later' });
  await first.close();

  const second = await start({ seed });

  expect(await names(second)).toEqual(['Acme']);
  expect(second.state).toBeUndefined();
});

test('the console shows the path of the state file', async () => {
  const file = newFile();
  const one = await start({ state: file });

  const page = await (await one.fetch('/', { headers: { accept: 'text/html' } })).text();

  expect(page).toContain(`<code>${file}</code>`);
});
