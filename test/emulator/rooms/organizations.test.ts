import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/index.js';
import type { Send } from '../../servers/send.js';
import { stage } from '../../stage.js';

const acme = { name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] };
const createOrganization = async (send: Send, body: object = acme) => (await send('POST /organizations', body)).body;
const states = (organization: { domains: { domain: string; state: string }[] }) =>
  Object.fromEntries(organization.domains.map(({ domain, state }) => [domain, state]));

/** The names of all later events, oldest first. */
const recordEvents = (emulator: Emulator): string[] => {
  const seen: string[] = [];
  emulator.onEvent(({ event }) => seen.push(event));
  return seen;
};

describe('organizations', () => {
  test('can be created with domains, and read by id and external id', async () => {
    const { emulator, send } = await stage();
    const events = recordEvents(emulator);

    const created = await send('POST /organizations', {
      ...acme,
      external_id: 'ext_1',
      metadata: { 'Plan-Tier': 'gold' },
    });

    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      object: 'organization',
      id: expect.stringMatching(/^org_[0-9A-Z]{26}$/),
      name: 'Acme',
      allow_profiles_outside_organization: false,
      domains: [
        {
          object: 'organization_domain',
          id: expect.stringMatching(/^org_domain_[0-9A-Z]{26}$/),
          organization_id: created.body.id,
          domain: 'acme.test',
          state: 'verified',
          verification_strategy: 'dns',
          verification_token: expect.stringMatching(/^\w{25}$/),
        },
      ],
      external_id: 'ext_1',
      metadata: { 'Plan-Tier': 'gold' },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await send(`GET /organizations/${created.body.id}`)).body).toEqual(created.body);
    expect((await send('GET /organizations/external_id/ext_1')).body).toEqual(created.body);
    expect(events).toEqual(['organization.created', 'organization_domain.created']);
  });

  test('cannot be found by an unknown id', async () => {
    const { send } = await stage();

    for (const line of [
      'GET /organizations/org_none',
      'DELETE /organizations/org_none',
      'GET /organizations/external_id/org_none',
      'GET /organizations/org_none/roles',
      'GET /organizations/org_none/audit_logs_retention',
    ]) {
      const { status, body } = await send(line);

      expect([line, status]).toEqual([line, 404]);
      expect(body).toEqual({ code: 'entity_not_found', message: expect.stringContaining('"org_none"') });
    }
  });

  test('can be created with the older `domains` field, which adds pending domains', async () => {
    const { send } = await stage();

    const { domains } = await createOrganization(send, { name: 'Acme', domains: ['Acme.Test', 'acme.example'] });

    expect(states({ domains })).toEqual({ 'acme.test': 'pending', 'acme.example': 'pending' });
    expect(domains[0]).toMatchObject({
      verification_strategy: 'dns',
      verification_token: expect.stringMatching(/^\w{25}$/),
    });
  });

  test('cannot own a consumer mail domain or an invalid domain', async () => {
    const { send } = await stage();
    const consumer = await send('POST /organizations', {
      name: 'A',
      domain_data: [{ domain: 'GMail.com', state: 'verified' }],
    });
    const nonsense = await send('POST /organizations', { name: 'A', domains: ['acme.test', 'not a domain'] });

    expect([consumer.status, consumer.body.code]).toEqual([422, 'domain_not_allowed']);
    expect(consumer.body.errors[0].field).toBe('domain_data.0.domain');
    expect([nonsense.status, nonsense.body.code]).toEqual([422, 'validation_error']);
    expect(nonsense.body.errors).toEqual([expect.objectContaining({ field: 'domains.1', code: 'invalid_domain' })]);
    expect((await send('GET /organizations')).body.data).toEqual([]);
  });

  test.each(['hotmail.de', 'gmx.at', 'laposte.net', 'naver.com', 'yahoo.co.uk', 'pm.me', 't-online.de'])(
    'cannot own the consumer mail domain %s',
    async (domain) => {
      const { send } = await stage();

      const { status, body } = await send('POST /organizations', { name: 'A', domains: [domain] });

      expect([status, body.code]).toEqual([422, 'domain_not_allowed']);
    },
  );

  test.each(['example.com', 'acme.com', 'microsoft.com', 'mail.acme.test'])('can own the domain %s', async (domain) => {
    const { send } = await stage();

    expect((await send('POST /organizations', { name: 'A', domains: [domain] })).status).toBe(200);
  });

  test('cannot own a domain on a custom list of consumer mail domains', async () => {
    const { send } = await stage({ consumerDomains: ['acme.test'] });

    expect((await send('POST /organizations', acme)).body.code).toBe('domain_not_allowed');
    expect((await send('POST /organizations', { name: 'A', domains: ['gmail.com'] })).status).toBe(200);
  });

  test('can be updated with their current domain and external id', async () => {
    const { send } = await stage();
    const { id } = await createOrganization(send, { ...acme, external_id: 'ext_1' });

    expect((await send(`PUT /organizations/${id}`, { ...acme, external_id: 'ext_1' })).status).toBe(200);
  });

  test('have size limits for the metadata and the external id in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const labels = (count: number, length: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v'.repeat(length)]));

    const fits = await send('POST /organizations', {
      name: 'A',
      metadata: labels(50, 600),
      external_id: 'x'.repeat(128),
    });
    const not = await send('POST /organizations', {
      name: ' ',
      metadata: labels(51, 601),
      external_id: 'x'.repeat(129),
    });

    expect(fits.status).toBe(201);
    expect(not.status).toBe(422);
    expect(not.body.errors.map(({ field }: { field: string }) => field).slice(0, 4)).toEqual([
      'name',
      'external_id',
      'metadata',
      'metadata.k0',
    ]);
  });

  test('keep the fields that an update omits', async () => {
    const { emulator, send } = await stage();
    const before = await createOrganization(send, { ...acme, external_id: 'ext_1', metadata: { a: '1' } });
    const events = recordEvents(emulator);
    await emulator.clock.advance('1d');

    const { body: after } = await send(`PUT /organizations/${before.id}`, { billing_customer_id: 'cus_1' });

    expect(after).toEqual({ ...before, billing_customer_id: 'cus_1', updated_at: '2026-01-02T00:00:00.000Z' });
    expect(events).toEqual(['organization.updated']);
  });

  test('lose a metadata key that is set to null, and keep the other keys', async () => {
    const { send } = await stage();
    const { id, metadata } = await createOrganization(send, { name: 'Acme', metadata: { a: '1', b: '2', none: null } });

    const { body } = await send(`PUT /organizations/${id}`, { metadata: { a: null, c: '3' } });

    expect(metadata).toEqual({ a: '1', b: '2' });
    expect(body.metadata).toEqual({ b: '2', c: '3' });
  });

  test('lose an external id or metadata that is set to null', async () => {
    const { send } = await stage();
    const { id } = await createOrganization(send, { name: 'Acme', external_id: 'ext_1', metadata: { a: '1' } });

    const { body } = await send(`PUT /organizations/${id}`, { external_id: null, metadata: null });

    expect([body.external_id, body.metadata]).toEqual([undefined, {}]);
    expect((await send('GET /organizations/external_id/ext_1')).status).toBe(404);
  });

  test('have exactly the domains and states listed in the latest update', async () => {
    const { emulator, send } = await stage();
    const { id, domains } = await createOrganization(send, {
      name: 'Acme',
      domain_data: [
        { domain: 'kept.test', state: 'pending' },
        { domain: 'demoted.test', state: 'verified' },
        { domain: 'gone.test', state: 'verified' },
      ],
    });
    const events = recordEvents(emulator);

    const { body } = await send(`PUT /organizations/${id}`, {
      domain_data: [
        { domain: 'kept.test', state: 'verified' },
        { domain: 'demoted.test', state: 'pending' },
        { domain: 'new.test', state: 'pending' },
      ],
    });

    expect(states(body)).toEqual({ 'kept.test': 'verified', 'demoted.test': 'pending', 'new.test': 'pending' });
    expect(body.domains[0].id).toBe(domains[0].id);
    expect(events).toEqual([
      'organization.updated',
      'organization_domain.deleted',
      'organization_domain.verified',
      'organization_domain.updated',
      'organization_domain.created',
    ]);
    expect((await send(`PUT /organizations/${id}`, { domains: ['kept.test'] })).body.domains[0].state).toBe('verified');
    expect((await send(`PUT /organizations/${id}`, { domain_data: [] })).body.domains).toEqual([]);
  });

  test('are deleted together with their domains, which can then be used again', async () => {
    const { emulator, send } = await stage();
    const { id, domains } = await createOrganization(send);
    const events = recordEvents(emulator);

    const deleted = await send(`DELETE /organizations/${id}`);

    expect([deleted.status, deleted.body]).toEqual([200, '']);
    expect((await send(`GET /organizations/${id}`)).status).toBe(404);
    expect((await send(`GET /organization_domains/${domains[0].id}`)).status).toBe(404);
    expect(events).toEqual(['organization_domain.deleted', 'organization.deleted']);
    expect((await send('POST /organizations', acme)).status).toBe(200);
  });

  test('can be filtered by several domains and by search text', async () => {
    const { send } = await stage();
    for (const name of ['one', 'two', 'three'])
      await createOrganization(send, { name: `Org ${name}`, domains: [`${name}.test`] });
    const names = async (query: string) =>
      (await send(`GET /organizations?${query}`)).body.data.map(({ name }: { name: string }) => name);

    expect(await names('domains=one.test,TWO.test')).toEqual(['Org two', 'Org one']);
    expect(await names('domains=one.test&domains=two.test')).toEqual(['Org two', 'Org one']);
    expect(await names('domains[]=one.test&domains[]=two.test')).toEqual(['Org two', 'Org one']);
    expect(await names('domains[0]=one.test&domains[1]=two.test&order=asc')).toEqual(['Org one', 'Org two']);
    expect(await names('search=TWO')).toEqual(['Org two']);
    expect(await names('search=three.te')).toEqual(['Org three']);
    expect(await names('domains=none.test')).toEqual([]);
  });

  test('have a list of environment roles and organization roles, sorted by priority', async () => {
    const { emulator, send } = await stage();
    const { id } = await createOrganization(send);
    const other = await createOrganization(send, { name: 'Other' });
    await emulator.createRole({ slug: 'auditor', organizationId: id, priority: 0, permissions: ['logs:read'] });

    const { body } = await send(`GET /organizations/${id}/roles`);
    const elsewhere = await send(`GET /authorization/organizations/${other.id}/roles`);

    expect(Object.keys(body).sort()).toEqual(['data', 'object']);
    expect(body.data.map(({ slug, type }: { slug: string; type: string }) => [slug, type])).toEqual([
      ['admin', 'EnvironmentRole'],
      ['auditor', 'OrganizationRole'],
      ['member', 'EnvironmentRole'],
    ]);
    expect(body.data[1]).toEqual({
      object: 'role',
      id: expect.stringMatching(/^role_/),
      name: 'Auditor',
      slug: 'auditor',
      description: null,
      permissions: ['logs:read'],
      type: 'OrganizationRole',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect(elsewhere.body.data).toHaveLength(2);
    await expect(emulator.createRole({ slug: 'admin' })).rejects.toMatchObject({ code: 'role_slug_already_used' });
  });

  test('have an audit log retention period of 30 days by default, which can be set to 365 days', async () => {
    const { send } = await stage();
    const { id } = await createOrganization(send);
    const path = `/organizations/${id}/audit_logs_retention`;

    expect((await send(`GET ${path}`)).body).toEqual({ retention_period_in_days: 30 });
    expect((await send(`PUT ${path}`, { retention_period_in_days: 365 })).body).toEqual({
      retention_period_in_days: 365,
    });
    const wrong = await send(`PUT ${path}`, { retention_period_in_days: 31 });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors).toEqual([
      { field: 'retention_period_in_days', code: 'invalid_value', message: 'must be one of 30, 365' },
    ]);
    expect((await send(`GET ${path}`)).body).toEqual({ retention_period_in_days: 365 });
  });

  test('in the workos dialect have a stripe_customer_id that can also be set as billing_customer_id', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const created = await send('POST /organizations', { name: 'Acme' });

    const { body } = await send(`PUT /organizations/${created.body.id}`, { stripe_customer_id: 'cus_1' });
    const { body: other } = await send(`PUT /organizations/${created.body.id}`, { billing_customer_id: 'cus_2' });

    expect(created.status).toBe(201);
    expect(body.stripe_customer_id).toBe('cus_1');
    expect(other.stripe_customer_id).toBe('cus_2');
    expect(other).not.toHaveProperty('billing_customer_id');
    const deleted = await send(`DELETE /organizations/${created.body.id}`);
    expect([deleted.status, deleted.body]).toEqual([202, '']);
  });
});

describe('organization domains', () => {
  const createPendingDomain = async (send: Send) => {
    const { id } = await createOrganization(send, { name: 'Acme' });
    return (await send('POST /organization_domains', { organization_id: id, domain: 'acme.test' })).body;
  };

  test('are created as pending with a token, whether the request path has a hyphen or an underscore', async () => {
    const { send } = await stage();
    const { id } = await createOrganization(send, { name: 'Acme' });

    const created = await send('POST /organization-domains', { organization_id: id, domain: 'Acme.test.' });

    expect(created.body).toEqual({
      object: 'organization_domain',
      id: expect.stringMatching(/^org_domain_/),
      organization_id: id,
      domain: 'acme.test',
      state: 'pending',
      verification_strategy: 'dns',
      verification_token: expect.stringMatching(/^\w{25}$/),
    });
    expect((await send(`GET /organization_domains/${created.body.id}`)).body).toEqual(created.body);
    expect((await send(`GET /organizations/${id}`)).body.domains).toEqual([created.body]);
  });

  test('stay pending after a verification request until emulator.verifyDomain is called', async () => {
    const { emulator, send } = await stage();
    const domain = await createPendingDomain(send);
    const events = recordEvents(emulator);

    const verifying = await send(`POST /organization_domains/${domain.id}/verify`);
    const settled = await emulator.verifyDomain(domain.id);

    expect(verifying.body).toEqual(domain);
    expect(settled.state).toBe('verified');
    expect((await send(`GET /organization_domains/${domain.id}`)).body.state).toBe('verified');
    expect(events).toEqual(['organization_domain.verified']);
    await expect(emulator.verifyDomain(domain.id)).rejects.toMatchObject({ code: 'domain_not_pending' });
    await expect(emulator.verifyDomain('org_domain_none')).rejects.toMatchObject({ code: 'entity_not_found' });
  });

  test('get a new token if verification is requested again after a failure', async () => {
    const { emulator, send } = await stage();
    const domain = await createPendingDomain(send);
    const events = recordEvents(emulator);
    await emulator.verifyDomain(domain.id, 'failed');

    const failed = await send(`GET /organization_domains/${domain.id}`);
    const again = await send(`POST /organization_domains/${domain.id}/verify`);

    expect(failed.body.state).toBe('failed');
    expect(again.body.state).toBe('pending');
    expect(again.body.verification_token).not.toBe(domain.verification_token);
    expect(events).toEqual(['organization_domain.verification_failed', 'organization_domain.updated']);
  });

  test('are verified automatically after the configured delay', async () => {
    const { emulator, send } = await stage({ autoVerifyAfterMs: 5_000 });
    const { id } = await createPendingDomain(send);
    await send(`POST /organization_domains/${id}/verify`);

    await emulator.clock.advance('4s');
    const before = await send(`GET /organization_domains/${id}`);
    await emulator.clock.advance('1s');
    const after = await send(`GET /organization_domains/${id}`);

    expect([before.body.state, after.body.state]).toEqual(['pending', 'verified']);
  });

  test('can be deleted', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const { id, organization_id: organizationId } = await createPendingDomain(send);

    const deleted = await send(`DELETE /organization_domains/${id}`);

    expect([deleted.status, deleted.body]).toEqual([204, '']);
    expect((await send(`GET /organizations/${organizationId}`)).body.domains).toEqual([]);
    expect((await send(`DELETE /organization_domains/${id}`)).status).toBe(404);
  });
});
