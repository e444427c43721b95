import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';

const path = '/user_management/organization_memberships';

/** Start an emulator with a user and an organization. */
async function startWithUser(options?: EmulatorOptions) {
  const { emulator, send } = await stage(options);
  const { body: user } = await send('POST /user_management/users', { email: 'ada@example.com' });
  const { body: organization } = await send('POST /organizations', { name: 'Acme' });
  const events: string[] = [];
  emulator.onEvent(({ event }) => events.push(event));
  const ids = { user_id: user.id, organization_id: organization.id };
  return { emulator, send, user, organization, ids, events };
}

describe('memberships', () => {
  test('are created with status `active` and role `member`', async () => {
    const { send, user, organization, ids, events } = await startWithUser();

    const created = await send(`POST ${path}`, ids);

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

  test('have additional fields in the workos dialect', async () => {
    const { send, ids } = await startWithUser({ dialect: 'workos' });

    const created = await send(`POST ${path}`, ids);

    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      role: { slug: 'member' },
      roles: [{ slug: 'member' }],
      organization_name: 'Acme',
      directory_managed: false,
      custom_attributes: {},
    });
  });

  test('require a known user and a known organization', async () => {
    const { send, ids } = await startWithUser();

    const noUser = await send(`POST ${path}`, { ...ids, user_id: 'user_none' });
    const noOrganization = await send(`POST ${path}`, { ...ids, organization_id: 'org_none' });
    const neither = await send(`POST ${path}`, {});

    expect([noUser.status, noOrganization.status]).toEqual([404, 404]);
    expect(neither.status).toBe(422);
    expect(neither.body.errors.map(({ field }: { field: string }) => field)).toEqual(['user_id', 'organization_id']);
  });

  test('can have only roles that belong to the environment or the organization', async () => {
    const { emulator, send, ids, user, events } = await startWithUser();
    await emulator.createRole({ slug: 'engineer', organizationId: ids.organization_id });
    const { body: other } = await send('POST /organizations', { name: 'Other' });
    const { body: membership } = await send(`POST ${path}`, { ...ids, role_slug: 'engineer' });
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

  test('can have several roles, and `role` is the one with the highest priority', async () => {
    const { send, ids, emulator } = await startWithUser({ dialect: 'workos' });
    await emulator.createRole({ slug: 'auditor', permissions: ['logs:read'] });
    const rolesOf = ({ body }: { body: Record<string, unknown> }) => [body.role, body.roles];

    const created = await send(`POST ${path}`, { ...ids, role_slugs: ['auditor', 'admin', 'auditor'] });
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
    ['both a role and a list of roles', { role_slug: 'admin', role_slugs: ['admin'] }, 'mutually_exclusive'],
  ])('cannot be updated with %s', async (_what, roles, code) => {
    const { send, ids } = await startWithUser();
    const { body: membership } = await send(`POST ${path}`, ids);

    const answer = await send(`PUT ${path}/${membership.id}`, roles);

    expect([answer.status, answer.body.errors[0]]).toEqual([
      422,
      expect.objectContaining({ field: 'role_slugs', code }),
    ]);
    expect((await send(`GET ${path}/${membership.id}`)).body).toEqual(membership);
  });

  test('keep the role if an update names no role', async () => {
    const { send, ids } = await startWithUser();
    const { body: membership } = await send(`POST ${path}`, { ...ids, role_slug: 'admin' });

    const updated = await send(`PUT ${path}/${membership.id}`, {});

    expect(updated.body.role).toEqual({ slug: 'admin' });
  });

  test('can be deleted once, and created again afterwards', async () => {
    const { send, ids, events } = await startWithUser();
    const { body: membership } = await send(`POST ${path}`, ids);

    const deleted = await send(`DELETE ${path}/${membership.id}`);
    const again = await send(`DELETE ${path}/${membership.id}`);
    const another = await send(`POST ${path}`, ids);

    expect([deleted.status, deleted.body]).toEqual([200, '']);
    expect(again.status).toBe(404);
    expect(another.status).toBe(200);
    expect(events).toEqual([
      'organization_membership.created',
      'organization_membership.deleted',
      'organization_membership.created',
    ]);
  });

  test('can be filtered by user and organization, and are paginated', async () => {
    const { send, user, organization, ids } = await startWithUser();
    const { body: grace } = await send('POST /user_management/users', { email: 'grace@example.com' });
    const { body: other } = await send('POST /organizations', { name: 'Other' });
    const { body: first } = await send(`POST ${path}`, ids);
    const { body: second } = await send(`POST ${path}`, { ...ids, user_id: grace.id });
    const { body: third } = await send(`POST ${path}`, { ...ids, organization_id: other.id });
    const list = async (query: string) =>
      (await send(`GET ${path}?${query}`)).body.data.map(({ id }: { id: string }) => id);

    expect(await list('')).toEqual([third.id, second.id, first.id]);
    expect(await list(`user_id=${user.id}`)).toEqual([third.id, first.id]);
    expect(await list(`organization_id=${organization.id}`)).toEqual([second.id, first.id]);
    expect(await list(`organization_id=${other.id}&user_id=${grace.id}`)).toEqual([]);
    expect(await list(`user_id=${user.id}&limit=1&after=${third.id}`)).toEqual([first.id]);
    expect(await list('user_id=user_none')).toEqual([]);
  });

  test('can be listed without a filter, except in the workos dialect', async () => {
    const spec = await startWithUser();
    const workos = await startWithUser({ dialect: 'workos' });

    const all = await spec.send(`GET ${path}`);
    const refused = await workos.send(`GET ${path}`);
    const filtered = await workos.send(`GET ${path}?user_id=${workos.user.id}`);

    expect(all.status).toBe(200);
    expect([refused.status, refused.body.code]).toEqual([400, 'missing_user_id_or_organization_id']);
    expect(filtered.status).toBe(200);
  });

  test.each([
    ['spec', '', 'active or pending', ['active', 'pending']],
    ['workos', '', 'active', ['active']],
    ['spec', '&statuses=pending', 'pending', ['pending']],
    ['workos', '&statuses=pending', 'pending', ['pending']],
    ['workos', '&statuses[]=pending&statuses[]=active', 'active or pending', ['active', 'pending']],
    ['workos', '&statuses=active,inactive,pending', 'active or pending', ['active', 'pending']],
    ['workos', '&statuses=inactive', 'inactive', []],
  ] as const)('in the %s dialect match the query "user_id=…%s" only if %s', async (dialect, filter, _, expected) => {
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

  test('cannot be filtered by an unknown status', async () => {
    const { send } = await startWithUser();

    const { status, body } = await send(`GET ${path}?user_id=user_ada&statuses=gone`);

    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'statuses.0', code: 'invalid_value', message: 'must be one of active, inactive, pending' }],
    ]);
  });

  test('are deleted with the organization, and the membership events precede the organization event', async () => {
    const { send, organization, ids, events } = await startWithUser();
    const { body: membership } = await send(`POST ${path}`, ids);
    events.length = 0;

    await send(`DELETE /organizations/${organization.id}`);

    expect((await send(`GET ${path}/${membership.id}`)).status).toBe(404);
    expect(events).toEqual(['organization_membership.deleted', 'organization.deleted']);
  });
});
