import { expect, test } from 'vitest';
import { AuditLogs } from '../../src/client/audit-logs.js';
import { recorded } from './sent.js';

const viewed = {
  action: 'invoice.viewed',
  occurredAt: new Date('2026-01-01T12:00:00Z'),
  actor: { type: 'user', id: 'user_01', metadata: { team_name: 'red' } },
  targets: [{ type: 'invoice', id: 'inv_42', name: 'Invoice 42' }],
  context: { location: '203.0.113.7', userAgent: 'Firefox' },
};

test('an audit event is sent with wire names, but with unchanged metadata keys', async () => {
  const { transport, sent } = recorded({ success: true });

  const answer = await new AuditLogs(transport).createEvent('org_01', {
    ...viewed,
    version: 2,
    metadata: { invoiceNumber: 42, isPaid: true },
  });

  expect(answer).toBeUndefined();
  expect(sent[0]).toMatchObject({ method: 'POST', path: '/audit_logs/events' });
  expect(sent[0]!.body).toEqual({
    organization_id: 'org_01',
    event: {
      action: 'invoice.viewed',
      occurred_at: '2026-01-01T12:00:00.000Z',
      version: 2,
      actor: { type: 'user', id: 'user_01', metadata: { team_name: 'red' } },
      targets: [{ type: 'invoice', id: 'inv_42', name: 'Invoice 42' }],
      context: { location: '203.0.113.7', user_agent: 'Firefox' },
      metadata: { invoiceNumber: 42, isPaid: true },
    },
  });
});

test("an audit event is sent with the caller's idempotency key", async () => {
  const { transport, sent } = recorded({ success: true });

  await new AuditLogs(transport).createEvent('org_01', viewed, { idempotencyKey: 'view-42' });

  expect(sent[0]!.headers.get('idempotency-key')).toBe('view-42');
});

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x']));

test('audit metadata can contain 50 entries, keys of 40 characters and values of 500 characters', async () => {
  const { transport, sent } = recorded({ success: true });
  const auditLogs = new AuditLogs(transport);

  await auditLogs.createEvent('org_01', { ...viewed, metadata: keys(50) });
  await auditLogs.createEvent('org_01', { ...viewed, metadata: { ['k'.repeat(40)]: 'v'.repeat(500) } });

  expect(sent).toHaveLength(2);
});

test.each([
  ['51 metadata keys', { ...viewed, metadata: keys(51) }, 'event.metadata'],
  ['a metadata key of 41 characters', { ...viewed, metadata: { ['k'.repeat(41)]: 'v' } }, 'event.metadata'],
  ['a metadata value of 501 characters', { ...viewed, metadata: { note: 'v'.repeat(501) } }, 'event.metadata.note'],
  [
    "a value of 501 characters in the actor's metadata",
    { ...viewed, actor: { type: 'user', id: 'user_01', metadata: { note: 'v'.repeat(501) } } },
    'event.actor.metadata.note',
  ],
  [
    "a value of 501 characters in a target's metadata",
    { ...viewed, targets: [{ type: 'invoice', id: 'inv_42', metadata: { note: 'v'.repeat(501) } }] },
    'event.targets[0].metadata.note',
  ],
  ['an invalid date', { ...viewed, occurredAt: new Date('yesterday') }, 'event.occurredAt'],
])('an audit event with %s is rejected before any request', async (_, event, argument) => {
  const { transport, sent } = recorded({ success: true });

  const call = async () => new AuditLogs(transport).createEvent('org_01', event);

  await expect(call()).rejects.toMatchObject({ code: 'invalid_argument', argument });
  expect(sent).toEqual([]);
});

test('an audit schema with unchanged keys is sent to the path of the action', async () => {
  const metadata = { type: 'object', properties: { invoice_number: { type: 'number' } } };
  const { transport, sent } = recorded({
    object: 'audit_log_schema',
    version: 1,
    actor: { metadata: {} },
    targets: [{ type: 'invoice' }],
    metadata,
    created_at: '2026-01-01T00:00:00.000Z',
  });

  const schema = await new AuditLogs(transport).createSchema({
    action: 'invoice.viewed',
    targets: [{ type: 'invoice' }],
    metadata,
  });

  expect(sent[0]).toMatchObject({ path: '/audit_logs/actions/invoice.viewed/schemas' });
  expect(sent[0]!.body).toEqual({ targets: [{ type: 'invoice' }], metadata });
  expect(schema).toMatchObject({ version: 1, metadata, createdAt: '2026-01-01T00:00:00.000Z' });
});

test("an audit export is requested with a time range and the dialect's parameter name for actors", async () => {
  const { transport, sent } = recorded({
    object: 'audit_log_export',
    id: 'audit_log_export_01',
    state: 'pending',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  });

  const pending = await new AuditLogs(transport).createExport({
    organizationId: 'org_01',
    rangeStart: new Date('2026-01-01T00:00:00Z'),
    rangeEnd: '2026-02-01T00:00:00.000Z',
    actors: ['Ada'],
  });

  expect(sent[0]!.body).toEqual({
    organization_id: 'org_01',
    range_start: '2026-01-01T00:00:00.000Z',
    range_end: '2026-02-01T00:00:00.000Z',
    actors: ['Ada'],
  });
  expect(pending).toMatchObject({ state: 'pending' });
});
