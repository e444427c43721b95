import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';

const path = '/user_management/organization_memberships';

/** An emulator with a user and an organization. */
async function acme(options?: EmulatorOptions) {
  const { emulator, send } = await stage(options);
  const { body: user } = await send('POST /user_management/users', { email: 'ada@example.com' });
  const { body: organization } = await send('POST /organizations', { name: 'Acme' });
  const events: string[] = [];
  emulator.onEvent(({ event }) => events.push(event));
  const place = { user_id: user.id, organization_id: organization.id };
  return { emulator, send, user, organization, place, events };
}

describe('memberships', () => {
  test('are created active, with the role member, and read back', async () => {
    const { send, user, organization, place, events } = await acme();

    const created = await send(`POST ${path}`, place);

    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      object: 'organization_membership',
      id: expect.stringMatching(/^om_[0-9A-Z]{26}$/),
      user_id: user.id,
      organization_id: organization.id,
      role: { slug: 'member' },
      status: 'active',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await send(`GET ${path}/${created.body.id}`)).body).toEqual(created.body);
    expect(events).toEqual(['organization_membership.created']);
  });

  test('say more in the dialect that has more to say', async () => {
    const { send, place } = await acme({ dialect: 'workos' });

    const created = await send(`POST ${path}`, place);

    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      role: { slug: 'member' },
      roles: [{ slug: 'member' }],
      organization_name: 'Acme',
      directory_managed: false,
      custom_attributes: {},
    });
  });

  test('need a user and an organization that exist', async () => {
    const { send, place } = await acme();

    const noUser = await send(`POST ${path}`, { ...place, user_id: 'user_none' });
    const noOrganization = await send(`POST ${path}`, { ...place, organization_id: 'org_none' });
    const neither = await send(`POST ${path}`, {});

    expect([noUser.status, noOrganization.status]).toEqual([404, 404]);
    expect(neither.status).toBe(422);
    expect(neither.body.errors.map(({ field }: { field: string }) => field)).toEqual(['user_id', 'organization_id']);
  });

  test('have a role of the environment or of the organization, and no other', async () => {
    const { emulator, send, place, user, events } = await acme();
    await emulator.createRole({ slug: 'engineer', organizationId: place.organization_id });
    const { body: other } = await send('POST /organizations', { name: 'Other' });
    const { body: membership } = await send(`POST ${path}`, { ...place, role_slug: 'engineer' });
    const put = (role_slug: string) => send(`PUT ${path}/${membership.id}`, { role_slug });
    await emulator.clock.advance('1h');
    events.length = 0;

    const admin = await put('admin');
    const unknown = await put('pilot');
    const back = await put('engineer');
    const ofAnother = await send(`POST ${path}`, {
      user_id: user.id,
      organization_id: other.id,
      role_slug: 'engineer',
    });

    expect(membership.role).toEqual({ slug: 'engineer' });
    expect(admin.body).toEqual({ ...membership, role: { slug: 'admin' }, updated_at: '2026-01-01T01:00:00.000Z' });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'role_not_found']);
    expect(back.body.role).toEqual({ slug: 'engineer' });
    expect([ofAnother.status, ofAnother.body.errors[0].field]).toEqual([422, 'role_slug']);
    expect(events).toEqual(['organization_membership.updated', 'organization_membership.updated']);
  });

  test('keep their role when an update names none', async () => {
    const { send, place } = await acme();
    const { body: membership } = await send(`POST ${path}`, { ...place, role_slug: 'admin' });

    const updated = await send(`PUT ${path}/${membership.id}`, {});

    expect(updated.body.role).toEqual({ slug: 'admin' });
  });

  test('can be deleted once, and created again afterwards', async () => {
    const { send, place, events } = await acme();
    const { body: membership } = await send(`POST ${path}`, place);

    const deleted = await send(`DELETE ${path}/${membership.id}`);
    const again = await send(`DELETE ${path}/${membership.id}`);
    const anew = await send(`POST ${path}`, place);

    expect([deleted.status, deleted.body]).toEqual([200, '']);
    expect(again.status).toBe(404);
    expect(anew.status).toBe(200);
    expect(events).toEqual([
      'organization_membership.created',
      'organization_membership.deleted',
      'organization_membership.created',
    ]);
  });

  test('are listed by user, by organization, by both, and page by page', async () => {
    const { send, user, organization, place } = await acme();
    const { body: grace } = await send('POST /user_management/users', { email: 'grace@example.com' });
    const { body: other } = await send('POST /organizations', { name: 'Other' });
    const { body: first } = await send(`POST ${path}`, place);
    const { body: second } = await send(`POST ${path}`, { ...place, user_id: grace.id });
    const { body: third } = await send(`POST ${path}`, { ...place, organization_id: other.id });
    const ids = async (query: string) =>
      (await send(`GET ${path}?${query}`)).body.data.map(({ id }: { id: string }) => id);

    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids(`user_id=${user.id}`)).toEqual([third.id, first.id]);
    expect(await ids(`organization_id=${organization.id}`)).toEqual([second.id, first.id]);
    expect(await ids(`organization_id=${other.id}&user_id=${grace.id}`)).toEqual([]);
    expect(await ids(`user_id=${user.id}&limit=1&after=${third.id}`)).toEqual([first.id]);
    expect(await ids('user_id=user_none')).toEqual([]);
  });

  test('are listed without a filter unless the dialect wants one', async () => {
    const spec = await acme();
    const workos = await acme({ dialect: 'workos' });

    const all = await spec.send(`GET ${path}`);
    const refused = await workos.send(`GET ${path}`);
    const filtered = await workos.send(`GET ${path}?user_id=${workos.user.id}`);

    expect(all.status).toBe(200);
    expect([refused.status, refused.body.code]).toEqual([400, 'missing_user_id_or_organization_id']);
    expect(filtered.status).toBe(200);
  });

  test('go with their organization, whose event comes first', async () => {
    const { send, organization, place, events } = await acme();
    const { body: membership } = await send(`POST ${path}`, place);
    events.length = 0;

    await send(`DELETE /organizations/${organization.id}`);

    expect((await send(`GET ${path}/${membership.id}`)).status).toBe(404);
    expect(events).toEqual(['organization_membership.deleted', 'organization.deleted']);
  });
});
