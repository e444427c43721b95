import { expect, test } from 'vitest';
import { Events, isEvent } from '../../src/client/events.js';
import { page, recorded } from './sent.js';

const event = (id: string, name: string, data: unknown, more: object = {}) => ({
  object: 'event',
  id,
  event: name,
  data,
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
});

const user = {
  object: 'user',
  id: 'user_01',
  email: 'ada@acme.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email_verified: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

test('event data is decoded according to the event type', async () => {
  const { transport } = recorded(page([event('event_01', 'user.created', user)]));

  const { data } = await new Events(transport).listEvents();

  const [first] = data;
  expect(first?.event === 'user.created' && first.data.firstName).toBe('Ada');
});

test('an event with an unlisted type is returned as received', async () => {
  const { transport } = recorded(page([event('event_01', 'user.renamed', { previous_name: { first_name: 'A' } })]));

  const { data } = await new Events(transport).listEvents();

  expect(isEvent(data[0]!, 'user.renamed')).toBe(true);
  expect(data[0]!.data).toEqual({ previous_name: { first_name: 'A' } });
});

test("the keys of an event's context are unchanged", async () => {
  const context = { client_id: 'client_01', actor: { id: 'key_01', source: 'api' } };
  const { transport } = recorded(page([event('event_01', 'user.created', user, { context })]));

  const { data } = await new Events(transport).listEvents();

  expect(data[0]!.context).toEqual(context);
});

test.each([
  ['null as an email address', { ...user, email: null }, 'The field data.email must be a string, but is null'],
  ['no email address', { ...user, email: undefined }, 'The field data.email must be a string, but is missing'],
  ['a string instead of the user', 'ada', 'The field data must be an object, but is a string'],
  [
    'data of another resource type',
    { ...user, object: 'organization' },
    'The field data.object must be "user", but is another string',
  ],
  ['no data', undefined, 'The field data must be an object, but is missing'],
])(
  'a user.created event with %s is returned as an unknown event with the received data',
  async (_, broken, message) => {
    const events = [event('event_01', 'user.created', broken), event('event_02', 'user.created', user)];
    const { transport } = recorded(page(events));

    const [first, second] = await new Events(transport).listEvents().toArray({ max: 10 });

    expect(first).toMatchObject({ id: 'event_01', event: 'unknown', problem: { event: 'user.created', message } });
    expect(first!.data).toEqual(broken);
    expect(isEvent(first!, 'user.created')).toBe(false);
    expect(second?.event === 'user.created' && second.data.firstName).toBe('Ada');
    expect(second).not.toHaveProperty('problem');
  },
);

test('an event with an unlisted type is returned as unknown if the data is not an object', async () => {
  const { transport } = recorded(page([event('event_01', 'user.renamed', null)]));

  const [first] = await new Events(transport).listEvents().toArray({ max: 10 });

  expect(first).toMatchObject({ event: 'unknown', data: null, problem: { event: 'user.renamed' } });
});

test("a sender cannot set an event's problem field", async () => {
  const { transport } = recorded(page([event('event_01', 'user.created', user, { problem: { event: 'x' } })]));

  const [first] = await new Events(transport).listEvents().toArray({ max: 10 });

  expect(first).not.toHaveProperty('problem');
});

test('reading a list of events throws an error at the first event without an id', async () => {
  const { id: _, ...nameless } = event('event_02', 'user.created', user);
  const { transport } = recorded(page([event('event_01', 'user.created', user), nameless]));
  const ids: string[] = [];

  const walk = async () => {
    for await (const { id } of new Events(transport).listEvents()) ids.push(id);
  };

  await expect(walk()).rejects.toMatchObject({ code: 'unexpected_response', path: 'data[1].id' });
  expect(ids).toEqual(['event_01']);
});

test('only the first page of an event list is requested with the start time', async () => {
  const { transport, sent } = recorded(
    page([event('event_01', 'user.created', user)], 'event_01'),
    page([event('event_02', 'user.created', user)]),
  );

  const events = new Events(transport).listEvents({
    events: ['user.created', 'user.deleted'],
    organizationId: 'org_01',
    rangeStart: '2026-01-01T00:00:00.000Z',
  });
  const seen = await events.toArray({ max: 10 });

  expect(seen.map(({ id }) => id)).toEqual(['event_01', 'event_02']);
  expect(sent.map(({ query }) => query)).toEqual([
    {
      events: 'user.created,user.deleted',
      organization_id: 'org_01',
      range_start: '2026-01-01T00:00:00.000Z',
      limit: '10',
    },
    { events: 'user.created,user.deleted', organization_id: 'org_01', after: 'event_01', limit: '10' },
  ]);
});

test('a list of events cannot have both an event and a time as the start', () => {
  const { transport, sent } = recorded();
  const both = { after: 'event_01', rangeStart: '2026-01-01T00:00:00.000Z' };

  // @ts-expect-error the type refuses it as well
  expect(() => new Events(transport).listEvents(both)).toThrow(/takes after or rangeStart, not both/);
  expect(sent).toEqual([]);
});
