import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Sallyport } from '../../../../src/index.js';
import type { RawAnswer } from '../../../servers/send.js';
import { stage } from '../../../stage.js';

const typesOf = ({ body }: RawAnswer): string[] => body.data.map(({ event }: { event: string }) => event);
const namesOf = ({ body }: RawAnswer): string[] => body.data.map(({ data }: { data: { name: string } }) => data.name);

/** Create four organizations, one a day from January 1. */
async function startWithFourDays() {
  const { emulator, send } = await stage();
  for (const name of ['One', 'Two', 'Three', 'Four']) {
    if (name !== 'One') await emulator.clock.advance('1d');
    await send('POST /organizations', { name });
  }
  return { emulator, send };
}

test('an event has the fields defined in the specification', async () => {
  const { send } = await stage();
  const { body: organization } = await send('POST /organizations', { name: 'Acme' });

  const { body } = await send('GET /events');

  expect(body).toEqual({
    object: 'list',
    data: [
      {
        object: 'event',
        id: expect.stringMatching(/^event_[0-9A-Z]{26}$/),
        event: 'organization.created',
        data: organization,
        created_at: '2026-01-01T00:00:00.000Z',
        context: {
          client_id: 'client_sallyport_emulator',
          actor: { id: expect.stringMatching(/^api_key_/), source: 'api', name: 'default' },
        },
      },
    ],
    list_metadata: { after: null },
  });
});

describe('the list of events', () => {
  test('is oldest first by default, and newest first with order=desc', async () => {
    const { send } = await startWithFourDays();

    expect(namesOf(await send('GET /events'))).toEqual(['One', 'Two', 'Three', 'Four']);
    expect(namesOf(await send('GET /events?order=desc'))).toEqual(['Four', 'Three', 'Two', 'One']);
  });

  test('continues after a cursor with events that occurred later', async () => {
    const { send } = await startWithFourDays();
    const first = await send('GET /events?limit=3');
    const rest = await send(`GET /events?limit=3&after=${first.body.list_metadata.after}`);
    const last = rest.body.data[0].id;

    const nothing = await send(`GET /events?after=${last}`);
    await send('POST /organizations', { name: 'Five' });
    const more = await send(`GET /events?after=${last}`);

    expect(namesOf(rest)).toEqual(['Four']);
    expect(rest.body.list_metadata).toEqual({ after: null });
    expect(nothing.body.data).toEqual([]);
    expect(namesOf(more)).toEqual(['Five']);
  });

  test('rejects a `before` cursor', async () => {
    const { send } = await startWithFourDays();
    const { body } = await send('GET /events');

    expect(await send(`GET /events?before=${body.data[2].id}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'before' }] },
    });
  });
});

describe('the list of events filtered by type', () => {
  test.each([
    ['events=organization.deleted', ['organization.deleted']],
    ['events=organization.created,organization.deleted', ['organization.created', 'organization.deleted']],
    ['events=organization.created&events=organization.updated', ['organization.created', 'organization.updated']],
    ['events[]=organization.updated', ['organization.updated']],
    ['events=user.created', []],
    ['events=an.event.of.tomorrow', []],
    ['events=', ['organization.created', 'organization.updated', 'organization.deleted']],
  ])('contains the matching events for the query "%s"', async (query, expected) => {
    const { send } = await stage();
    const { body } = await send('POST /organizations', { name: 'Acme' });
    await send(`PUT /organizations/${body.id}`, { name: 'Acme Ltd' });
    await send(`DELETE /organizations/${body.id}`);

    expect(typesOf(await send(`GET /events?${query}`))).toEqual(expected);
  });

  test('fills every page with matching events', async () => {
    const { emulator, send } = await stage();
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      await send('POST /organizations', { name });
      await emulator.createDirectory({ name: `People of ${name}` });
    }
    const first = await send('GET /events?events=organization.created&limit=2');

    const second = await send(
      `GET /events?events=organization.created&limit=2&after=${first.body.list_metadata.after}`,
    );

    expect(namesOf(first)).toEqual(['One', 'Two']);
    expect(namesOf(second)).toEqual(['Three', 'Four']);
    expect(second.body.list_metadata.after).toBeNull();
  });
});

describe("the list of an organization's events", () => {
  test('contains the events about the organization and its objects', async () => {
    const { emulator, send } = await stage();
    const { body: acme } = await send('POST /organizations', {
      name: 'Acme',
      metadata: { organizationId: 'org_of_somebody_else' },
      domain_data: [{ domain: 'acme.test', state: 'pending' }],
    });
    const { body: other } = await send('POST /organizations', { name: 'Other' });
    const { id: directoryId } = await emulator.createDirectory({ name: 'People', organizationId: acme.id });
    const group = await emulator.createDirectoryGroup({ directoryId, name: 'Group' });
    await emulator.createDirectoryUser({ directoryId, groups: [group.id] });
    await emulator.createConnection({ connectionType: 'OktaSAML', organizationId: acme.id });
    await emulator.verifyDomain(acme.domains[0].id, 'failed');
    await emulator.createRole({ slug: 'auditor', organizationId: acme.id });
    await emulator.createRole({ slug: 'everyone' });

    expect(typesOf(await send(`GET /events?organization_id=${acme.id}&limit=100`))).toEqual([
      'organization.created',
      'organization_domain.created',
      'dsync.activated',
      'dsync.group.created',
      'dsync.user.created',
      'dsync.group.user_added',
      'connection.activated',
      'organization_domain.verification_failed',
      'organization_role.created',
    ]);
    expect(namesOf(await send(`GET /events?organization_id=${other.id}`))).toEqual(['Other']);
    expect(typesOf(await send('GET /events?organization_id=org_of_somebody_else'))).toEqual([]);
  });
});

describe('a list of events in a time range', () => {
  test.each([
    ['range_start=2026-01-02T00:00:00.000Z', ['Two', 'Three', 'Four']],
    ['range_start=2026-01-02T00:00:00.001Z', ['Three', 'Four']],
    ['range_end=2026-01-02T00:00:00.000Z', ['One', 'Two']],
    ['range_end=2026-01-01T23:59:59.999Z', ['One']],
    ['range_start=2026-01-02&range_end=2026-01-03', ['Two', 'Three']],
    ['range_start=2026-01-02T01:00:00%2B01:00&range_end=2026-01-02T00:00:00Z', ['Two']],
    ['range_start=2026-02-01T00:00:00.000Z', []],
  ])('contains only events within the inclusive range "%s"', async (query, expected) => {
    const { send } = await startWithFourDays();

    expect(namesOf(await send(`GET /events?${query}`))).toEqual(expected);
  });

  test('cannot have both a start time and a cursor', async () => {
    const { send } = await startWithFourDays();
    const { body } = await send('GET /events');
    const { id } = body.data[0];

    const both = await send(`GET /events?after=${id}&range_start=2026-01-02T00:00:00.000Z`);

    expect(both).toMatchObject({
      status: 422,
      body: { code: 'mutually_exclusive', errors: [{ field: 'range_start' }] },
    });
    expect((await send(`GET /events?after=${id}&range_end=2026-01-02T00:00:00.000Z`)).status).toBe(200);
  });

  test.each([
    ['exactly 30 days ago', '2026-01-03T00:00:00.000Z', ['Three', 'Four']],
    ['31 days ago', '2026-01-02T00:00:00.000Z', ['Three', 'Four']],
    ['years ago', '2020-01-01T00:00:00.000Z', ['Three', 'Four']],
  ])('that starts %s contains only events from the last 30 days', async (_, start, expected) => {
    const { emulator, send } = await startWithFourDays();
    await emulator.clock.set('2026-02-02T00:00:00.000Z');

    const listed = await send(`GET /events?range_start=${start}`);

    expect(listed.status).toBe(200);
    expect(namesOf(listed)).toEqual(expected);
  });

  test.each(['2026-01-01T00:00:00', '2026-01-01 00:00'])(
    'cannot start at %s, which has no time zone',
    async (start) => {
      const { send } = await stage();

      expect(await send(`GET /events?range_start=${encodeURIComponent(start)}`)).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'range_start', message: 'must end with a time zone, such as Z' }] },
      });
    },
  );

  test('that ended more than 30 days ago is empty', async () => {
    const { emulator, send } = await startWithFourDays();
    await emulator.clock.set('2026-02-10T00:00:00.000Z');

    const listed = await send('GET /events?range_start=2026-01-01T00:00:00.000Z&range_end=2026-01-04T00:00:00.000Z');

    expect([listed.status, listed.body.data]).toEqual([200, []]);
  });

  test('can start exactly 30 days ago even while the clock is running', async () => {
    const { emulator } = await stage({ clock: undefined });
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    await sallyport.organizations.createOrganization({ name: 'Acme' });
    const rangeStart = new Date(emulator.clock.now() - 30 * 86_400_000).toISOString();

    const { data } = await sallyport.events.listEvents({ rangeStart });

    expect(data.map(({ event }) => event)).toEqual(['organization.created']);
  });

  test('is rejected if the range ends before the start, or if the start is not a valid time', async () => {
    const { send } = await startWithFourDays();

    expect(await send('GET /events?range_start=2026-01-03&range_end=2026-01-02')).toMatchObject({
      status: 422,
      body: { code: 'invalid_range' },
    });
    expect(await send('GET /events?range_start=yesterday')).toMatchObject({
      status: 422,
      body: { code: 'validation_error', errors: [{ field: 'range_start' }] },
    });
  });
});

describe('a cursor to an event dropped because of maxEvents', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });

  /** Create four organizations, so that the emulator drops the first event. */
  async function shortHistory() {
    const { emulator, send } = await stage({ maxEvents: 3 });
    await send('POST /organizations', { name: 'One' });
    const { body } = await send('GET /events');
    for (const name of ['Two', 'Three', 'Four']) await send('POST /organizations', { name });
    return { emulator, send, dropped: body.data[0].id as string };
  }

  test.each(['', '&events=organization.created', '&order=desc'])(
    'is rejected with status 422 in the query "after=…%s"',
    async (query) => {
      const { send, dropped } = await shortHistory();

      expect(await send(`GET /events?after=${dropped}${query}`)).toMatchObject({
        status: 422,
        body: { code: 'invalid_cursor', errors: [{ field: 'after' }] },
      });
    },
  );

  test('is still rejected with status 422 after a snapshot is restored', async () => {
    const { emulator, send, dropped } = await shortHistory();
    await emulator.restore(JSON.parse(JSON.stringify(emulator.snapshot())));

    expect((await send(`GET /events?after=${dropped}`)).status).toBe(422);
  });

  test('is rejected, unlike a cursor to the oldest remaining event', async () => {
    const { send } = await shortHistory();
    const all = await send('GET /events?range_start=2025-12-20T00:00:00.000Z');
    const [oldest] = all.body.data;

    expect(namesOf(all)).toEqual(['Two', 'Three', 'Four']);
    expect(namesOf(await send(`GET /events?after=${oldest.id}`))).toEqual(['Three', 'Four']);
  });
});

test('events expire after 30 days, and a cursor to an expired event continues with the oldest remaining event', async () => {
  const { emulator, send } = await startWithFourDays();
  const { body } = await send('GET /events');

  await emulator.clock.set('2026-02-01T00:00:00.000Z');

  expect(namesOf(await send('GET /events'))).toEqual(['Two', 'Three', 'Four']);
  await emulator.clock.advance('1ms');
  expect(namesOf(await send('GET /events'))).toEqual(['Three', 'Four']);
  expect(namesOf(await send(`GET /events?after=${body.data[0].id}`))).toEqual(['Three', 'Four']);
  await emulator.clock.advance('31d');
  expect((await send('GET /events')).body).toMatchObject({ data: [], list_metadata: { after: null } });
});

test('the list of events requires an API key', async () => {
  const { send } = await stage();

  expect((await send('GET /events', undefined, { authorization: undefined })).status).toBe(401);
});
