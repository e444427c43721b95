import { expect, test } from 'vitest';
import type { AuditTrailEvent } from '../../../../src/index.js';
import { stage } from '../../../stage.js';

const event = {
  group: 'acme',
  location: '203.0.113.7',
  action: 'user.login_succeeded',
  action_type: 'C',
  actor_name: 'Ada Lovelace',
  actor_id: 'user_ada',
  target_name: 'Ada Lovelace',
  target_id: 'user_ada',
  metadata: { attempts: 2, remembered: true, agent: 'Firefox' },
  occurred_at: '2026-01-01T00:00:00.000Z',
};

test('an audit trail event is accepted with status 201', async () => {
  const { send } = await stage();

  const { status, body } = await send('POST /events', event);

  expect([status, body]).toEqual([201, { success: true }]);
});

test('an audit trail event does not need metadata', async () => {
  const { send } = await stage();
  const { metadata: _, ...rest } = event;

  expect((await send('POST /events', rest)).status).toBe(201);
});

test.each(Object.keys(event).filter((field) => field !== 'metadata'))(
  'an audit trail event without %s is refused',
  async (field) => {
    const { send } = await stage();

    const { status, body } = await send('POST /events', { ...event, [field]: undefined });

    expect([status, body.errors]).toEqual([422, [{ field, code: 'required', message: 'is required' }]]);
  },
);

const keys = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at).padStart(length, 'k'), 'v']));

test.each([
  ['C', 201],
  ['R', 201],
  ['U', 201],
  ['D', 201],
  ['X', 422],
])('an audit trail event with the action type %s is answered with %i', async (action_type, status) => {
  const { send } = await stage();

  expect((await send('POST /events', { ...event, action_type })).status).toBe(status);
});

test.each([
  ['50 keys', keys(50), 201],
  ['51 keys', keys(51), 422],
  ['a key of 40 characters', { ['k'.repeat(40)]: 'v' }, 201],
  ['a key of 41 characters', { ['k'.repeat(41)]: 'v' }, 422],
  ['a value of 500 characters', { key: 'v'.repeat(500) }, 201],
  ['a value of 501 characters', { key: 'v'.repeat(501) }, 422],
])('an audit trail event is checked against the metadata limits: %s', async (_, metadata, status) => {
  const { send } = await stage();

  expect((await send('POST /events', { ...event, metadata })).status).toBe(status);
});

test('an audit trail event with an invalid time is refused', async () => {
  const { send } = await stage();

  const { status, body } = await send('POST /events', { ...event, occurred_at: 'yesterday' });

  expect([status, body.errors[0].field]).toEqual([422, 'occurred_at']);
});

test('an audit trail event with a repeated idempotency key gets the same response', async () => {
  const { send } = await stage();

  await send('POST /events', event, { 'idempotency-key': 'one' });
  const again = await send('POST /events', event, { 'idempotency-key': 'one' });

  expect(again.status).toBe(201);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('the audit trail is separate from the audit logs and the events API', async () => {
  const { send } = await stage();
  const { body: acme } = await send('POST /organizations', { name: 'Acme' });
  await send('POST /events', { ...event, group: acme.id });

  const range = { range_start: '2025-01-01T00:00:00.000Z', range_end: '2027-01-01T00:00:00.000Z' };
  const { body: asked } = await send('POST /audit_logs/exports', { organization_id: acme.id, ...range });
  const { body: ready } = await send(`GET /audit_logs/exports/${asked.id}`);
  const { body: events } = await send('GET /events');

  expect(ready.state).toBe('ready');
  expect(events.data.map((one: { event: string }) => one.event)).toEqual(['organization.created']);
});

test('a control lists the audit trail events with their ids, oldest first', async () => {
  const { emulator, send } = await stage();
  await send('POST /events', { ...event, occurred_at: '2026-01-01T01:00:00+01:00' });
  await send('POST /events', { ...event, group: 'other', metadata: undefined });
  await send('POST /events', { ...event, action_type: 'X' });

  const { body } = await send('GET /_emulator/audit_trail_events');

  expect(body.data).toEqual([
    { id: expect.stringMatching(/^audit_trail_event_/), ...event },
    { id: expect.stringMatching(/^audit_trail_event_/), ...event, group: 'other', metadata: undefined },
  ]);
  expect(emulator.listAuditTrailEvents({ group: 'other' }).map(({ group, actionType }) => [group, actionType])).toEqual(
    [['other', 'C']],
  );
  expect(emulator.listAuditTrailEvents({ group: 'nobody' })).toEqual([]);
});

/** The values that a type names, without the other strings that it allows. */
type Named<T> = T extends unknown ? (string extends T ? never : T) : never;
/** The compiler requires exactly the ten actions of the specification. */
const actions: Readonly<Record<Named<AuditTrailEvent['action']>, true>> = {
  'organization.added_user': true,
  'organization.created': true,
  'user.created': true,
  'user.login_failed': true,
  'user.logged_out': true,
  'user.login_succeeded': true,
  'user.searched_api_logs': true,
  'user.searched_audit_log_events': true,
  'user.viewed_api_log_details': true,
  'user.viewed_audit_log_event_details': true,
};

test('an audit trail event may have one of the ten typed actions or any other action', async () => {
  const own: AuditTrailEvent['action'] = 'invoice.viewed';
  const { emulator, send } = await stage();

  for (const action of [...Object.keys(actions), own]) await send('POST /events', { ...event, action });

  expect(emulator.listAuditTrailEvents().map(({ action }) => action)).toEqual([...Object.keys(actions), own]);
});
