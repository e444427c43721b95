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

test('an audit trail event can omit metadata', async () => {
  const { send } = await stage();
  const { metadata: _, ...rest } = event;

  expect((await send('POST /events', rest)).status).toBe(201);
});

test.each(Object.keys(event).filter((field) => field !== 'metadata'))(
  'an audit trail event without the %s field is rejected',
  async (field) => {
    const { send } = await stage();

    const { status, body } = await send('POST /events', { ...event, [field]: undefined });

    expect([status, body.errors]).toEqual([422, [{ field, code: 'required', message: 'is required' }]]);
  },
);

const keys = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at).padStart(length, 'k'), 'v']));

test.each([
  ['C', 'accepted', 201],
  ['R', 'accepted', 201],
  ['U', 'accepted', 201],
  ['D', 'accepted', 201],
  ['X', 'rejected', 422],
])('an audit trail event with the action type %s is %s with status %i', async (action_type, _outcome, status) => {
  const { send } = await stage();

  expect((await send('POST /events', { ...event, action_type })).status).toBe(status);
});

test.each([
  ['with 50 metadata keys is accepted', keys(50), 201],
  ['with 51 metadata keys is rejected', keys(51), 422],
  ['with a metadata key of 40 characters is accepted', { ['k'.repeat(40)]: 'v' }, 201],
  ['with a metadata key of 41 characters is rejected', { ['k'.repeat(41)]: 'v' }, 422],
  ['with a metadata value of 500 characters is accepted', { key: 'v'.repeat(500) }, 201],
  ['with a metadata value of 501 characters is rejected', { key: 'v'.repeat(501) }, 422],
])('an audit trail event %s', async (_, metadata, status) => {
  const { send } = await stage();

  expect((await send('POST /events', { ...event, metadata })).status).toBe(status);
});

test('an audit trail event with an invalid occurrence time is rejected', async () => {
  const { send } = await stage();

  const { status, body } = await send('POST /events', { ...event, occurred_at: 'yesterday' });

  expect([status, body.errors[0].field]).toEqual([422, 'occurred_at']);
});

test('an audit trail event that repeats an idempotency key gets the stored response', async () => {
  const { send } = await stage();

  await send('POST /events', event, { 'idempotency-key': 'one' });
  const again = await send('POST /events', event, { 'idempotency-key': 'one' });

  expect(again.status).toBe(201);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('an audit trail event is neither in the list of events nor in an audit log export', async () => {
  const { emulator, send } = await stage();
  const { body: acme } = await send('POST /organizations', { name: 'Acme' });
  await send('POST /events', { ...event, group: acme.id });

  const range = { range_start: '2025-01-01T00:00:00.000Z', range_end: '2027-01-01T00:00:00.000Z' };
  const { body: asked } = await send('POST /audit_logs/exports', { organization_id: acme.id, ...range });
  const { body: ready } = await send(`GET /audit_logs/exports/${asked.id}`);
  const file = await (await emulator.fetch(ready.url)).text();
  const { body: events } = await send('GET /events');

  expect(file).toContain('occurred_at');
  expect(file).not.toContain('user.login_succeeded');
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

test('an audit trail event can have a typed action or a custom action', async () => {
  const own: AuditTrailEvent['action'] = 'invoice.viewed';
  const { emulator, send } = await stage();

  for (const action of [...Object.keys(actions), own]) await send('POST /events', { ...event, action });

  expect(emulator.listAuditTrailEvents().map(({ action }) => action)).toEqual([...Object.keys(actions), own]);
});
