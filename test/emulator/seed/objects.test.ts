import { describe, expect, test } from 'vitest';
import { refusalOf } from './file.js';

describe('an object is refused, with the field but no line, for', () => {
  test.each<[string, object, string[]]>([
    ['a missing field', { organizations: [{}] }, ['  organizations[0].name is required.']],
    ['an unknown section', { user: [] }, ['  user is not a known section; did you mean users?']],
    ['a list', [], ['  This is not a seed: it must be an object with sections such as users, but it is an array.']],
    [
      'what JSON cannot say',
      { users: [{ email: 'a@a.test', last_sign_in_at: new Date(0), metadata: { f: () => 1 } }] },
      [
        '  users[0].last_sign_in_at must be a JSON value; found a Date',
        '  users[0].metadata.f must be a JSON value; found a function.',
      ],
    ],
    [
      'a reference to what is not there',
      { invitations: [{ email: 'a@a.test', organization_id: 'org_a' }] },
      ['  invitations[0].organization_id does not match any organization in this seed; none of them has an id.'],
    ],
  ])('%s', async (_what, seed, lines) => {
    expect(await refusalOf(seed)).toEqual(lines);
  });

  test('every reference to a missing object', async () => {
    const lines = await refusalOf({
      users: [{ email: 'a@a.test', authorized_applications: [{ application_id: 'no' }] }],
      memberships: [{ user_id: 'no', organization_id: 'no' }],
      invitations: [{ email: 'b@a.test', inviter_user_id: 'no', organization_id: 'no' }],
      connections: [{ connection_type: 'OktaSAML', organization_id: 'no' }],
      directories: [{ name: 'D', organization_id: 'no', users: [{ groups: ['no'] }] }],
    });

    expect(lines.map((line) => line.trim().replace(/ in this seed.*/, ''))).toEqual([
      'users[0].authorized_applications[0].application_id does not match any connect application',
      'memberships[0].user_id does not match any user',
      'memberships[0].organization_id does not match any organization',
      'invitations[0].inviter_user_id does not match any user',
      'invitations[0].organization_id does not match any organization',
      'connections[0].organization_id does not match any organization',
      'directories[0].organization_id does not match any organization',
      'directories[0].users[0].groups[0] does not match any group of this directory',
    ]);
  });

  test.each<[string, object]>([
    [
      'roles[1]',
      {
        roles: [
          { id: 'x', slug: 'a' },
          { id: 'x', slug: 'b' },
        ],
      },
    ],
    [
      'organizations[0].roles[0]',
      { roles: [{ id: 'x', slug: 'a' }], organizations: [{ name: 'A', roles: [{ id: 'x', slug: 'b' }] }] },
    ],
    [
      'organizations[1]',
      {
        organizations: [
          { id: 'x', name: 'A' },
          { id: 'x', name: 'B' },
        ],
      },
    ],
    [
      'organizations[0].domain_data[1]',
      {
        organizations: [
          { name: 'A', domain_data: ['a', 'b'].map((name) => ({ id: 'x', domain: `${name}.test`, state: 'pending' })) },
        ],
      },
    ],
    [
      'connect_applications[1]',
      {
        connect_applications: [
          { id: 'x', name: 'A' },
          { id: 'x', name: 'B' },
        ],
      },
    ],
    [
      'users[0].auth_factors[1]',
      {
        users: [
          {
            email: 'a@a.test',
            auth_factors: [
              { id: 'x', type: 'totp' },
              { id: 'x', type: 'totp' },
            ],
          },
        ],
      },
    ],
    [
      'users[0].authorized_applications[1]',
      {
        connect_applications: [
          { id: 'a', name: 'A' },
          { id: 'b', name: 'B' },
        ],
        users: [
          {
            email: 'a@a.test',
            authorized_applications: ['a', 'b'].map((application_id) => ({ id: 'x', application_id })),
          },
        ],
      },
    ],
    [
      'memberships[1]',
      {
        users: [{ id: 'u', email: 'a@a.test' }],
        organizations: [
          { id: 'a', name: 'A' },
          { id: 'b', name: 'B' },
        ],
        memberships: ['a', 'b'].map((organization_id) => ({ id: 'x', user_id: 'u', organization_id })),
      },
    ],
    [
      'invitations[1]',
      {
        invitations: [
          { id: 'x', email: 'a@a.test' },
          { id: 'x', email: 'b@a.test' },
        ],
      },
    ],
    [
      'connections[1]',
      {
        connections: [
          { id: 'x', connection_type: 'OktaSAML' },
          { id: 'x', connection_type: 'OktaSAML' },
        ],
      },
    ],
    [
      'connections[0].profiles[1]',
      {
        connections: [
          {
            connection_type: 'OktaSAML',
            profiles: [
              { id: 'x', email: 'a@a.test' },
              { id: 'x', email: 'b@a.test' },
            ],
          },
        ],
      },
    ],
    [
      'directories[1]',
      {
        directories: [
          { id: 'x', name: 'D' },
          { id: 'x', name: 'E' },
        ],
      },
    ],
    [
      'directories[0].groups[1]',
      {
        directories: [
          {
            name: 'D',
            groups: [
              { id: 'x', name: 'A' },
              { id: 'x', name: 'B' },
            ],
          },
        ],
      },
    ],
    [
      'directories[1].users[0]',
      {
        directories: [
          { name: 'D', users: [{ id: 'x' }] },
          { name: 'E', users: [{ id: 'x' }] },
        ],
      },
    ],
    [
      'webhook_endpoints[1]',
      {
        webhook_endpoints: [
          { id: 'x', endpoint_url: 'https://a.test/' },
          { id: 'x', endpoint_url: 'https://b.test/' },
        ],
      },
    ],
  ])('an id that stands there twice: %s', async (second, seed) => {
    expect(await refusalOf(seed)).toEqual([expect.stringMatching(/^ {2}\S+\.id is already used by \S+\.$/)]);
    expect((await refusalOf(seed))[0]).toContain(`  ${second}.id is already used by`);
  });

  test('a value that holds itself', async () => {
    const attributes: Record<string, unknown> = {};
    attributes.self = attributes;

    const lines = await refusalOf({ directories: [{ name: 'D', users: [{ raw_attributes: attributes }] }] });

    expect(lines).toEqual([
      '  directories[0].users[0].raw_attributes.self must be a JSON value; found an object that contains itself.',
    ]);
  });

  test('a name that would change a prototype', async () => {
    const lines = await refusalOf(JSON.parse('{"users":[{"email":"a@a.test","metadata":{"__proto__":{"x":"y"}}}]}'));

    expect(lines).toEqual(['  users[0].metadata must be a JSON value; found a field named __proto__.']);
  });
});
