import { expect, test } from 'vitest';
import { isEvent } from '../../src/client/events.js';
import { Codec } from '../../src/service/describe/codec.js';
import type { Descriptor } from '../../src/service/describe/define.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { descriptorOf } from '../../src/service/describe/operation.js';
import { payloads } from '../../src/service/events/payloads.js';
import { type Event, event } from '../../src/service/events.js';
import { specifiedEvents } from '../spec/events.js';

const codec = new Codec(dialects.spec);

const received = (name: string, data: unknown): unknown => ({
  object: 'event',
  id: 'event_01',
  event: name,
  data,
  created_at: '2026-01-01T00:00:00.000Z',
});

// A decoded event matches its type.
const decoded = (name: string, data: unknown): Event =>
  codec.decode(descriptorOf(event), received(name, data)) as Event;

const described: Readonly<Record<string, Descriptor>> = payloads;

/** The fields that the transcription lists in braces: `{group_id, permissions?}`. */
const braced = specifiedEvents.flatMap(({ name, data }) => {
  const fields = /\{(.*)\}$/.exec(data)?.[1];
  return fields ? [[name, fields.split(', ').map((field) => field.replace('?', ''))] as const] : [];
});

test.each(braced)('the payload type of the %s event contains every field in the specification', (name, fields) => {
  const model = described[name]?.model;
  const wireNames = Object.entries(model?.shape ?? {}).flatMap(([key, field]) => codec.wireNames(key, field));

  const describedNames = model?.name ? ['object', ...wireNames] : wireNames;
  expect(describedNames).toEqual(expect.arrayContaining([...fields]));
});

test.each(['invitation.created', 'invitation.accepted', 'invitation.revoked', 'invitation.resent'])(
  'the payload type of the %s event contains neither a token nor an invitation URL',
  (name) => {
    const keys = Object.keys(described[name]!.model!.shape);

    expect(keys).toContain('email');
    expect(keys).not.toContain('token');
    expect(keys).not.toContain('acceptInvitationUrl');
  },
);

test('the data of an event without a payload type is kept exactly as received', () => {
  const record = { actor_id: 'key_01', actor_source: 'api', key_context: { user_id: 'user_01' } };

  expect(decoded('vault.data.read', record).data).toEqual(record);
});

test.each(specifiedEvents.filter(({ data }) => data === 'unknown').map(({ name }) => name))(
  'the data of the %s event is kept exactly as received',
  (name) => {
    const data = { object: 'thing', id: 'thing_01', created_at: null, nested_thing: { inner_name: null } };

    expect(decoded(name, data)).toMatchObject({ event: name, data });
    expect(decoded(name, data)).not.toHaveProperty('problem');
  },
);

test('a dsync.deleted event is decoded with a null domain if the directory has no domain', () => {
  const short = {
    object: 'directory',
    id: 'directory_01',
    organization_id: 'org_01',
    type: 'okta scim v2.0',
    state: 'deleting',
    name: 'Acme People',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };

  expect(decoded('dsync.deleted', short).data).toMatchObject({ id: 'directory_01', domain: null });
});

test('a connection.deleted event is decoded even if the connection has no domains', () => {
  const short = {
    object: 'connection',
    id: 'conn_01',
    organization_id: 'org_01',
    connection_type: 'OktaSAML',
    state: 'inactive',
    name: 'Acme',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };

  expect(decoded('connection.deleted', short).data).toMatchObject({ connectionType: 'OktaSAML' });
});

test('an organization.created event is decoded even if the organization lacks allow_profiles_outside_organization', () => {
  const organization = {
    object: 'organization',
    id: 'org_01',
    name: 'Acme',
    domains: [{ object: 'organization_domain', id: 'org_domain_01', domain: 'acme.test' }],
    metadata: { costCenter: '7' },
    external_id: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };

  expect(decoded('organization.created', organization).data).toMatchObject({ metadata: { costCenter: '7' } });
});

test('the keys of previous attributes in a dsync.user.updated event are not converted to camel case', () => {
  const user = {
    object: 'directory_user',
    id: 'directory_user_01',
    idp_id: '7',
    directory_id: 'directory_01',
    state: 'inactive',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    previous_attributes: { custom_attributes: { cost_center: '7' }, state: 'active' },
  };

  expect(decoded('dsync.user.updated', user).data).toMatchObject({
    idpId: '7',
    previousAttributes: { custom_attributes: { cost_center: '7' }, state: 'active' },
  });
});

test('isEvent recognizes an event of an unknown type', () => {
  const renamed = decoded('user.renamed', { previous_name: 'Ada' });

  expect(isEvent(renamed, 'user.renamed')).toBe(true);
  expect(isEvent(renamed, 'user.created')).toBe(false);
});
