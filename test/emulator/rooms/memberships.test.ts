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

  test('may have several roles, and the role is the one with the highest priority', async () => {
    const { send, place, emulator } = await acme({ dialect: 'workos' });
    await emulator.createRole({ slug: 'auditor', permissions: ['logs:read'] });
    const rolesOf = ({ body }: { body: Record<string, unknown> }) => [body.role, body.roles];

    const created = await send(`POST ${path}`, { ...place, role_slugs: ['auditor', 'admin', 'auditor'] });
    const kept = await send(`PUT ${path}/${created.body.id}`, {});
    const replaced = await send(`PUT ${path}/${created.body.id}`, { role_slugs: ['auditor', 'member'] });
    const single = await send(`PUT ${path}/${created.body.id}`, { role_slug: 'admin' });

    expect(rolesOf(created)).toEqual([{ slug: 'admin' }, [{ slug: 'admin' }, { slug: 'auditor' }]]);
    expect(rolesOf(kept)).toEqual([{ slug: 'admin' }, [{ slug: 'admin' }, { slug: 'auditor' }]]);
    expect(rolesOf(replaced)).toEqual([{ slug: 'member' }, [{ slug: 'member' }, { slug: 'auditor' }]]);
    expect(rolesOf(single)).toEqual([{ slug: 'admin' }, [{ slug: 'admin' }]]);
  });

  test.each([
    ['an unknown role', { role_slugs: ['admin', 'pilot'] }, 'role_not_found'],
    ['an empty list of roles', { role_slugs: [] }, 'required'],
    ['a role next to a list of roles', { role_slug: 'admin', role_slugs: ['admin'] }, 'mutually_exclusive'],
  ])('are refused with %s, and stay as they are', async (_what, roles, code) => {
    const { send, place } = await acme();
    const { body: membership } = await send(`POST ${path}`, place);

    const answer = await send(`PUT ${path}/${membership.id}`, roles);

    expect([answer.status, answer.body.errors[0]]).toEqual([
      422,
      expect.objectContaining({ field: 'role_slugs', code }),
    ]);
    expect((await send(`GET ${path}/${membership.id}`)).body).toEqual(membership);
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

  test.each([
    ['spec', '', ['active', 'pending']],
    ['workos', '', ['active']],
    ['spec', '&statuses=pending', ['pending']],
    ['workos', '&statuses=pending', ['pending']],
    ['workos', '&statuses[]=pending&statuses[]=active', ['active', 'pending']],
    ['workos', '&statuses=active,inactive,pending', ['active', 'pending']],
    ['workos', '&statuses=inactive', []],
  ] as const)('are listed by dialect %s with "%s" in these statuses: %j', async (dialect, filter, expected) => {
    const user = { id: 'user_ada', email: 'ada@example.com' };
    const memberships = [
      { user_id: 'user_ada', organization_id: 'org_acme' },
      { user_id: 'user_ada', organization_id: 'org_bell', status: 'pending' },
    ] as const;
    const organizations = [
      { id: 'org_acme', name: 'Acme' },
      { id: 'org_bell', name: 'Bell' },
    ];
    const { send } = await stage({ dialect, seed: { users: [user], organizations, memberships } });

    const { body } = await send(`GET ${path}?user_id=user_ada&order=asc${filter}`);

    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(expected);
  });

  test('are not listed by a status that the service does not have', async () => {
    const { send } = await acme();

    const { status, body } = await send(`GET ${path}?user_id=user_ada&statuses=gone`);

    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'statuses.0', code: 'invalid_value', message: 'must be one of active, inactive, pending' }],
    ]);
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
