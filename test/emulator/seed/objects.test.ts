import { describe, expect, test } from 'vitest';
import { seedParts } from '../../../src/emulator/registry.js';
import { describeSeed } from '../../../src/emulator/seed/description.js';
import { wrongNames } from '../../../src/emulator/seed/references.js';
import { Codec } from '../../../src/service/describe/codec.js';
import { dialects } from '../../../src/service/describe/dialect.js';
import { refusalOf } from './file.js';

describe('a seed passed as an object is rejected', () => {
  test.each<[string, object, string[]]>([
    ['if a required field is missing', { organizations: [{}] }, ['  organizations[0].name is required.']],
    [
      'if the seed is a list',
      [],
      ['  This is not a seed: it must be an object with sections such as users, but it is an array.'],
    ],
    [
      'if JSON cannot represent a value',
      { users: [{ email: 'a@a.test', last_sign_in_at: new Date(0), metadata: { f: () => 1 } }] },
      [
        '  users[0].last_sign_in_at must be a JSON value; found a Date',
        '  users[0].metadata.f must be a JSON value; found a function.',
      ],
    ],
  ])('%s', async (_what, seed, lines) => {
    expect(await refusalOf(seed)).toEqual(lines);
  });

  test('if any reference names a missing object', async () => {
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

  test.each<[string, object, string]>([
    [
      'two sections',
      { roles: [{ id: 'x', slug: 'a' }], organizations: [{ name: 'A', roles: [{ id: 'x', slug: 'b' }] }] },
      '  organizations[0].roles[0].id is already used by roles[0].id.',
    ],
    [
      'two entries of a section',
      {
        directories: [
          { name: 'D', users: [{ id: 'x' }] },
          { name: 'E', users: [{ id: 'x' }] },
        ],
      },
      '  directories[1].users[0].id is already used by directories[0].users[0].id.',
    ],
  ])('if %s use the same id', async (_where, seed, line) => {
    expect(await refusalOf(seed)).toEqual([line]);
  });

  test('if an object contains itself', async () => {
    const attributes: Record<string, unknown> = {};
    attributes.self = attributes;

    const lines = await refusalOf({ directories: [{ name: 'D', users: [{ raw_attributes: attributes }] }] });

    expect(lines).toEqual([
      '  directories[0].users[0].raw_attributes.self must be a JSON value; found an object that contains itself.',
    ]);
  });

  test('if a field is named __proto__', async () => {
    const lines = await refusalOf(JSON.parse('{"users":[{"email":"a@a.test","metadata":{"__proto__":{"x":"y"}}}]}'));

    expect(lines).toEqual(['  users[0].metadata must be a JSON value; found a field named __proto__.']);
  });
});

describe('the seed check finds a duplicate id', () => {
  const codec = new Codec(dialects.spec);
  const description = describeSeed(seedParts);
  const top = description.whole.model!.shape;
  // Every list whose entries can have an id, and those inside its entries.
  const lists = Object.entries(top).flatMap(([section, { element }]) => [
    [section],
    ...Object.entries(element?.model?.shape ?? {}).flatMap(([name, field]) => (field.element ? [[section, name]] : [])),
  ]);
  const fieldsAt = ([section, name]: readonly string[]) => {
    const fields = top[section!]?.element?.model?.shape;
    return name === undefined ? fields : fields?.[name]?.element?.model?.shape;
  };
  const withIds = lists.filter((path) => fieldsAt(path)?.id);

  test.each(
    withIds.map((path) => [
      [...path]
        .reverse()
        .join(' of ')
        .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      path,
    ]),
  )('among the %s', (_, [section, name]) => {
    const two = [{ id: 'x' }, { id: 'x' }];
    const [wire = ''] = codec.wireNames(section!, top[section!]!);
    const [inner = ''] = name === undefined ? [] : codec.wireNames(name, top[section!]!.element!.model!.shape[name]!);
    const seed = { [wire]: inner ? [{ [inner]: two }] : two };

    const problems = [...wrongNames(codec, description, seed)].filter(({ path }) => path.at(-1) === 'id');

    expect(problems.map(({ path }) => path)).toEqual([inner ? [wire, 0, inner, 1, 'id'] : [wire, 1, 'id']]);
  });

  test('in each of the sixteen lists whose entries can have ids', () => {
    expect(withIds).toHaveLength(16);
  });
});
