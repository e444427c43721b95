import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../src/emulator/index.js';
import type { RawAnswer } from '../../servers/send.js';
import { stage } from '../../stage.js';

const namesOf = ({ body }: RawAnswer): string[] => body.data.map(({ name }: { name: string }) => name);

/** Start with Acme, which has two domains and two connections, and Globex with one connection. */
async function startWithConnections(options: EmulatorOptions = {}) {
  const { emulator, send } = await stage(options);
  const acme = await send('POST /organizations', {
    name: 'Acme',
    domain_data: [
      { domain: 'acme.test', state: 'verified' },
      { domain: 'acme.example', state: 'pending' },
    ],
  });
  const globex = await send('POST /organizations', { name: 'Globex' });
  const okta = await emulator.createConnection({
    id: 'conn_okta',
    organizationId: acme.body.id,
    connectionType: 'OktaSAML',
    name: 'Acme Okta',
  });
  await emulator.createConnection({
    organizationId: acme.body.id,
    connectionType: 'GoogleOAuth',
    name: 'Acme Google',
    state: 'draft',
    domains: ['Partners.TEST'],
  });
  await emulator.createConnection({ organizationId: globex.body.id, connectionType: 'OktaSAML', name: 'Globex Okta' });
  return { emulator, send, acme: acme.body, globex: globex.body, okta };
}

const eventsOf = async (send: (line: string) => Promise<RawAnswer>) =>
  (await send('GET /events?events=connection.activated,connection.deactivated,connection.deleted&limit=100')).body.data;

describe('in the connections API,', () => {
  test("a connection has the fields defined in the specification, and the organization's domains", async () => {
    const { send, acme } = await startWithConnections();

    const { status, body } = await send('GET /connections/conn_okta');

    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'connection',
      id: 'conn_okta',
      organization_id: acme.id,
      connection_type: 'OktaSAML',
      name: 'Acme Okta',
      state: 'active',
      domains: [
        { object: 'connection_domain', id: acme.domains[0].id, domain: 'acme.test' },
        { object: 'connection_domain', id: acme.domains[1].id, domain: 'acme.example' },
      ],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('a connection has the older `status` field in the workos dialect', async () => {
    const { send } = await startWithConnections({ dialect: 'workos' });

    expect((await send('GET /connections/conn_okta')).body.status).toBe('linked');
  });
});

describe('the list of connections', () => {
  test('contains all connections, newest first', async () => {
    const { send } = await startWithConnections();

    expect(namesOf(await send('GET /connections'))).toEqual(['Globex Okta', 'Acme Google', 'Acme Okta']);
  });

  test.each([
    ['connection_type=OktaSAML', ['Globex Okta', 'Acme Okta']],
    ['connection_type=AzureSAML', []],
    ['domain=acme.test', ['Acme Okta']],
    ['domain=ACME.test', ['Acme Okta']],
    ['domain=partners.test', ['Acme Google']],
    ['domain=nobody.test', []],
    ['search=okta', ['Globex Okta', 'Acme Okta']],
    ['search=acme&connection_type=OktaSAML', ['Acme Okta']],
    ['search=none', []],
    ['organization_id=org_none', []],
  ])('can be filtered by %s', async (query, names) => {
    const { send } = await startWithConnections();

    expect(namesOf(await send(`GET /connections?${query}`))).toEqual(names);
  });

  test('can be filtered by organization', async () => {
    const { send, acme } = await startWithConnections();

    expect(namesOf(await send(`GET /connections?organization_id=${acme.id}`))).toEqual(['Acme Google', 'Acme Okta']);
  });

  test('can be continued after a cursor', async () => {
    const { send } = await startWithConnections();
    const first = await send('GET /connections?limit=2');

    const second = await send(`GET /connections?limit=2&after=${first.body.list_metadata.after}`);

    expect(namesOf(second)).toEqual(['Acme Okta']);
    expect(second.body.list_metadata.after).toBeNull();
  });
});

describe('the emulator', () => {
  test('emits an event with the external key, status and domains of an activated connection', async () => {
    const { send, acme } = await startWithConnections();

    const [activated, ...others] = await eventsOf(send);

    expect(others.map(({ data }: { data: { name: string } }) => data.name)).toEqual(['Globex Okta']);
    expect(activated).toMatchObject({
      event: 'connection.activated',
      data: {
        object: 'connection',
        id: 'conn_okta',
        organization_id: acme.id,
        state: 'active',
        status: 'linked',
        domains: [{ object: 'connection_domain', domain: 'acme.test' }, { domain: 'acme.example' }],
      },
    });
    expect(activated.data.external_key).toMatch(/^\w+$/);
  });

  test('emits one event for each activation and deactivation of a connection', async () => {
    const { emulator, send, acme } = await startWithConnections();
    const { id } = await emulator.createConnection({
      organizationId: acme.id,
      connectionType: 'AzureSAML',
      state: 'draft',
    });
    const before = (await eventsOf(send)).length;

    await emulator.activateConnection(id);
    await emulator.activateConnection(id);
    await emulator.clock.advance('1h');
    await emulator.deactivateConnection(id);
    const inactive = await emulator.deactivateConnection(id);
    await emulator.activateConnection(id);

    expect(inactive.state).toBe('inactive');
    expect(inactive.updatedAt).toBe('2026-01-01T01:00:00.000Z');
    expect((await send(`GET /connections/${id}`)).body.state).toBe('active');
    const told = (await eventsOf(send)).slice(before);
    expect(told.map(({ event, data }: { event: string; data: { status: string } }) => [event, data.status])).toEqual([
      ['connection.activated', 'linked'],
      ['connection.deactivated', 'unlinked'],
      ['connection.activated', 'linked'],
    ]);
  });

  test('rejects the deactivation of a draft and the activation of an unknown connection', async () => {
    const { emulator } = await startWithConnections();
    const { id } = await emulator.createConnection({ connectionType: 'OktaSAML', state: 'draft' });

    await expect(emulator.deactivateConnection(id)).rejects.toMatchObject({
      status: 400,
      code: 'connection_not_active',
    });
    await expect(emulator.activateConnection('conn_none')).rejects.toMatchObject({ status: 404 });
  });

  test('rejects a new connection for an unknown organization', async () => {
    const { emulator } = await startWithConnections();

    const made = emulator.createConnection({ connectionType: 'OktaSAML', organizationId: 'org_none' });

    await expect(made).rejects.toMatchObject({ status: 404, code: 'entity_not_found' });
  });
});

describe('deleting a connection', () => {
  test('emits an event with the connection, but without domains and external key', async () => {
    const { send, acme } = await startWithConnections();

    const answer = await send('DELETE /connections/conn_okta');

    expect(answer).toMatchObject({ status: 200, body: '' });
    expect((await send('GET /connections/conn_okta')).status).toBe(404);
    const last = (await eventsOf(send)).at(-1);
    expect(last.event).toBe('connection.deleted');
    expect(last.data).toEqual({
      object: 'connection',
      id: 'conn_okta',
      organization_id: acme.id,
      connection_type: 'OktaSAML',
      name: 'Acme Okta',
      state: 'active',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('returns 204 in the workos dialect, and 404 if the connection is already deleted', async () => {
    const { send } = await startWithConnections({ dialect: 'workos' });

    expect((await send('DELETE /connections/conn_okta')).status).toBe(204);
    expect((await send('DELETE /connections/conn_okta')).status).toBe(404);
  });
});

test("deleting an organization deletes only the organization's connections", async () => {
  const { send, acme } = await startWithConnections();

  await send(`DELETE /organizations/${acme.id}`);

  expect(namesOf(await send('GET /connections'))).toEqual(['Globex Okta']);
  const { body } = await send('GET /events?events=connection.deleted,organization.deleted');
  expect(body.data.map(({ event }: { event: string }) => event)).toEqual([
    'connection.deleted',
    'connection.deleted',
    'organization.deleted',
  ]);
});
