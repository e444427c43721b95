import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../../src/emulator/index.js';
import type { Send } from '../../../servers/send.js';
import { stage } from '../../../stage.js';

const path = '/user_management/users';
const createUser = async (send: Send, body: object = { email: 'ada@example.com' }) =>
  (await send(`POST ${path}`, body)).body;

/** Start an emulator and record its events, oldest first. */
async function startAndRecord(options?: EmulatorOptions) {
  const { emulator, send } = await stage(options);
  const events: { event: string; data: Readonly<Record<string, unknown>> }[] = [];
  emulator.onEvent((event) => events.push(event));
  return { emulator, send, events, names: () => events.map(({ event }) => event) };
}

describe('users', () => {
  test('can be created, and retrieved by id and by external id', async () => {
    const { send, names } = await startAndRecord();

    const created = await send(`POST ${path}`, {
      email: 'Ada@Example.com',
      first_name: 'Ada',
      email_verified: true,
      external_id: 'ext 1',
      metadata: { 'Team-Name': 'engines' },
    });

    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      object: 'user',
      id: expect.stringMatching(/^user_[0-9A-Z]{26}$/),
      email: 'Ada@Example.com',
      first_name: 'Ada',
      last_name: null,
      email_verified: true,
      external_id: 'ext 1',
      metadata: { 'Team-Name': 'engines' },
      last_sign_in_at: null,
      locale: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await send(`GET ${path}/${created.body.id}`)).body).toEqual(created.body);
    expect((await send(`GET ${path}/external_id/ext%201`)).body).toEqual(created.body);
    expect(names()).toEqual(['user.created']);
  });

  test('have a full name in addition to the first and last name', async () => {
    const { send, events } = await startAndRecord({ dialect: 'workos' });
    const names = ({ body }: { body: Record<string, unknown> }) => [body.name, body.first_name, body.last_name];

    const unnamed = await send(`POST ${path}`, { email: 'bob@example.com', first_name: 'Bob' });
    const created = await send(`POST ${path}`, { email: 'ada@example.com', name: 'Ada Nolan' });
    const renamed = await send(`PUT ${path}/${created.body.id}`, { name: 'Ada King', first_name: 'Ada' });
    const kept = await send(`PUT ${path}/${created.body.id}`, { last_name: 'King' });
    const cleared = await send(`PUT ${path}/${created.body.id}`, { name: null });

    expect([unnamed, created, renamed, kept, cleared].map(names)).toEqual([
      [null, 'Bob', null],
      ['Ada Nolan', null, null],
      ['Ada King', 'Ada', null],
      ['Ada King', 'Ada', 'King'],
      [null, 'Ada', 'King'],
    ]);
    expect(events.map(({ data }) => data.name)).toEqual([null, 'Ada Nolan', 'Ada King', 'Ada King', null]);
  });

  test('cannot have a full name that is not a string', async () => {
    const { send } = await stage();

    const { status, body } = await send(`POST ${path}`, { email: 'ada@example.com', name: 7 });

    expect([status, body.errors[0].field]).toEqual([422, 'name']);
  });

  test('require a valid email address', async () => {
    const { send } = await stage();

    const none = await send(`POST ${path}`, {});
    const wrong = await send(`POST ${path}`, { email: 'not an address' });

    expect([none.status, none.body.errors[0].field]).toEqual([422, 'email']);
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, 'email']);
  });

  test('cannot have email addresses that differ only in case', async () => {
    const { send, names } = await startAndRecord();
    await createUser(send, { email: 'ada@example.com' });

    const second = await send(`POST ${path}`, { email: 'ADA@example.COM' });

    expect([second.status, second.body.code]).toEqual([400, 'email_not_available']);
    expect(second.body.errors).toEqual([
      { field: 'email', code: 'email_not_available', message: 'belongs to another user' },
    ]);
    expect(names()).toEqual(['user.created']);
  });

  test('cannot have the same email address, even if created at the same time', async () => {
    const { send } = await stage();
    const both = { email: 'ada@example.com', password: 'correct horse' };

    const answers = await Promise.all([send(`POST ${path}`, both), send(`POST ${path}`, both)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('have size limits for the metadata and the external id in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 'x']));
    const make = (email: string, fields: object) => send(`POST ${path}`, { email, ...fields });

    const most = await make('a@example.com', {
      metadata: { ...labels(49), long: 'x'.repeat(600) },
      external_id: 'x'.repeat(128),
    });
    const tooMany = await make('b@example.com', { metadata: labels(51) });
    const tooLong = await make('c@example.com', { metadata: { note: 'x'.repeat(601) } });
    const tooLongId = await make('d@example.com', { external_id: 'x'.repeat(129) });

    expect(most.status).toBe(201);
    expect([tooMany.status, tooMany.body.errors[0].field]).toEqual([422, 'metadata']);
    expect([tooLong.status, tooLong.body.errors[0].field]).toEqual([422, 'metadata.note']);
    expect([tooLongId.status, tooLongId.body.errors[0].field]).toEqual([422, 'external_id']);
  });

  test('keep the fields that an update omits, and lose the fields that the update sets to null', async () => {
    const { emulator, send, names } = await startAndRecord();
    const { id } = await createUser(send, {
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      external_id: 'ext_1',
      metadata: { team: 'engines' },
    });
    await emulator.clock.advance('1h');

    const updated = await send(`PUT ${path}/${id}`, { last_name: null, external_id: null, locale: 'en-GB' });

    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      first_name: 'Ada',
      last_name: null,
      external_id: null,
      locale: 'en-GB',
      metadata: { team: 'engines' },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T01:00:00.000Z',
    });
    expect((await send(`GET ${path}/external_id/ext_1`)).status).toBe(404);
    expect(names()).toEqual(['user.created', 'user.updated']);
  });

  test('keep the metadata that an update omits, and lose the keys that the update sets to null', async () => {
    const { send } = await startAndRecord();
    const metadata = { team: 'engines', plan: 'gold', desk: '7' };
    const { id } = await createUser(send, { email: 'ada@example.com', metadata: { ...metadata, none: null } });
    const change = async (metadata: unknown) => (await send(`PUT ${path}/${id}`, { metadata })).body.metadata;

    expect(await change({ plan: null, desk: '8', city: 'Paris' })).toEqual({
      team: 'engines',
      desk: '8',
      city: 'Paris',
    });
    expect(await change({})).toEqual({ team: 'engines', desk: '8', city: 'Paris' });
    expect(await change(null)).toEqual({});
    expect((await send(`PUT ${path}/${id}`, { metadata: { seats: 7 } })).status).toBe(422);
  });

  test('can be given a new email address by an update, but only in the workos dialect', async () => {
    const spec = await startAndRecord();
    const workos = await startAndRecord({ dialect: 'workos' });
    const ada = await createUser(spec.send);
    const other = await createUser(workos.send, { email: 'ada@example.com', email_verified: true });
    await createUser(workos.send, { email: 'grace@example.com' });
    const change = (send: Send, id: string, email: unknown) => send(`PUT ${path}/${id}`, { email });

    expect((await change(spec.send, ada.id, 'new@example.com')).body.email).toBe('ada@example.com');
    expect((await change(workos.send, other.id, 'new@example.com')).body).toMatchObject({
      email: 'new@example.com',
      email_verified: false,
    });
    expect((await change(workos.send, other.id, 'GRACE@example.com')).body.code).toBe('email_not_available');
    expect((await change(workos.send, other.id, 'nonsense')).status).toBe(422);
  });

  test('can be filtered by organization, and by email address in any letter case', async () => {
    const { send } = await stage();
    const ada = await createUser(send, { email: 'ada@example.com' });
    await createUser(send, { email: 'grace@example.com' });
    const { body: organization } = await send('POST /organizations', { name: 'Acme' });
    await send('POST /user_management/organization_memberships', { user_id: ada.id, organization_id: organization.id });
    const emails = async (query: string) =>
      (await send(`GET ${path}?${query}`)).body.data.map(({ email }: { email: string }) => email);

    expect(await emails('')).toEqual(['grace@example.com', 'ada@example.com']);
    expect(await emails('order=asc&limit=1')).toEqual(['ada@example.com']);
    expect(await emails('email=ADA%40example.com')).toEqual(['ada@example.com']);
    expect(await emails('email=nobody%40example.com')).toEqual([]);
    expect(await emails(`organization_id=${organization.id}`)).toEqual(['ada@example.com']);
    expect(await emails(`organization=${organization.id}`)).toEqual(['ada@example.com']);
    expect(await emails(`organization_id=${organization.id}&email=grace%40example.com`)).toEqual([]);
    expect(await emails('organization_id=org_none')).toEqual([]);
  });

  test('are deleted with their memberships, invitations and authentication factors', async () => {
    const { send, names, events } = await startAndRecord();
    const { id } = await createUser(send);
    const { body: organization } = await send('POST /organizations', { name: 'Acme' });
    const { body: membership } = await send('POST /user_management/organization_memberships', {
      user_id: id,
      organization_id: organization.id,
    });
    const { body: other } = await send('POST /organizations', { name: 'Other' });
    const { body: invitation } = await send('POST /user_management/invitations', {
      email: 'ada@example.com',
      organization_id: other.id,
    });
    const { body: enrolled } = await send(`POST ${path}/${id}/auth_factors`, { type: 'totp' });
    events.length = 0;

    const deleted = await send(`DELETE ${path}/${id}`);

    expect([deleted.status, deleted.body]).toEqual([200, '']);
    expect((await send(`GET ${path}/${id}`)).status).toBe(404);
    expect((await send(`GET /user_management/organization_memberships/${membership.id}`)).status).toBe(404);
    expect((await send(`GET /user_management/invitations/${invitation.id}`)).status).toBe(404);
    expect((await send(`GET /auth/factors/${enrolled.authentication_factor.id}`)).status).toBe(404);
    expect(
      (await send(`POST /auth/challenges/${enrolled.authentication_challenge.id}/verify`, { code: '123456' })).status,
    ).toBe(404);
    expect(names().sort()).toEqual(['invitation.revoked', 'organization_membership.deleted', 'user.deleted']);
    expect(events.at(-1)).toMatchObject({ event: 'user.deleted', data: { id } });
    expect((await send(`POST ${path}`, { email: 'ada@example.com' })).status).toBe(200);
  });

  test('are created with status 201 in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });

    expect((await send(`POST ${path}`, { email: 'ada@example.com' })).status).toBe(201);
  });
});

describe("a user's authentication factors", () => {
  test('are enrolled with a challenge and a secret that is returned only once', async () => {
    const { send } = await stage();
    const { id } = await createUser(send);

    const enrolled = await send(`POST ${path}/${id}/auth_factors`, { type: 'totp', totp_issuer: 'Acme' });
    const listed = await send(`GET ${path}/${id}/auth_factors`);

    expect(enrolled.body).toEqual({
      authentication_factor: {
        object: 'authentication_factor',
        id: expect.stringMatching(/^auth_factor_[0-9A-Z]{26}$/),
        type: 'totp',
        userId: id,
        totp: {
          issuer: 'Acme',
          user: 'ada@example.com',
          secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
          uri: expect.stringContaining('otpauth://totp/Acme:ada%40example.com?'),
          qr_code: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/),
        },
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
      authentication_challenge: {
        object: 'authentication_challenge',
        id: expect.stringMatching(/^auth_challenge_[0-9A-Z]{26}$/),
        authentication_factor_id: enrolled.body.authentication_factor.id,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
    });
    expect(listed.body.data).toEqual([
      { ...enrolled.body.authentication_factor, totp: { issuer: 'Acme', user: 'ada@example.com' } },
    ]);
  });

  test('must have the type `totp`', async () => {
    const { send } = await stage();
    const { id } = await createUser(send);

    const answer = await send(`POST ${path}/${id}/auth_factors`, { type: 'sms' });

    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'type']);
  });
});
