import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { refusalOf, seedFolder } from './file.js';

const fileOf = seedFolder();

describe('a seed', () => {
  test.each([
    [
      'a value outside the enum',
      'organizations:\n  - name: A\n  - name: B\n    domain_data:\n      - { domain: b.test, state: verifed }\n',
      ['  seed:5:34: organizations[1].domain_data[0].state must be one of pending, verified; did you mean verified?'],
    ],
    [
      'a value of the wrong type',
      'users:\n  - email: a@a.test\n    first_name: 12\n    email_verified: yes\n    metadata: [a]\n',
      [
        '  seed:3:17: users[0].first_name must be a string; found a number',
        '  seed:4:21: users[0].email_verified must be a boolean; found a string',
        '  seed:5:15: users[0].metadata must be an object; found an array.',
      ],
    ],
    ['a missing field', 'organizations:\n  - id: org_a\n', ['  seed:2:5: organizations[0].name is required.']],
    [
      'an unknown field',
      'organizations:\n  - name: A\n    externalId: x\n',
      ['  seed:3:5: organizations[0].externalId is not a known field; did you mean external_id?'],
    ],
    [
      'an unknown field that resembles no known field',
      'redirect_uris: []\napi_keys:\n  - value: sk_a\n    zzzzzz: x\n',
      ['  seed:4:5: api_keys[0].zzzzzz is not a known field; known are value, name, deny.'],
    ],
    [
      'an unknown section',
      'organisations: []\n',
      ['  seed:1:1: organisations is not a known section; did you mean organizations?'],
    ],
    [
      'a list instead of sections',
      '- organizations\n',
      ['  seed:1:1: This is not a seed: it must be an object with sections such as users, but it is an array.'],
    ],
    [
      'a reference to a missing object',
      'users:\n  - { id: user_ada, email: a@a.test }\norganizations:\n  - { id: org_a, name: A }\nmemberships:\n  - user_id: user_adda\n    organization_id: org_a\n',
      ['  seed:6:14: memberships[0].user_id does not match any user in this seed; did you mean user_ada?'],
    ],
    [
      'a reference to a group of another directory',
      'directories:\n  - { name: D, groups: [{ id: g, name: G }] }\n  - { name: E, users: [{ groups: [g] }] }\n',
      [
        '  seed:3:35: directories[1].users[0].groups[0] does not match any group of this directory in this seed; none of them has an id.',
      ],
    ],
    [
      'an id that is used twice',
      'users:\n  - { id: user_a, email: a@a.test }\n  - { id: user_a, email: b@a.test }\n',
      ['  seed:3:11: users[1].id is already used by users[0].id.'],
    ],
    [
      'an id that contains a slash',
      'users:\n  - { id: user/a, email: a@a.test }\n',
      ['  seed:2:11: users[0].id must be made of letters, digits, _, -, . and ~.'],
    ],
    [
      'a repeated API key',
      'api_keys:\n  - value: sk_abcdefghijkl\n  - value: sk_abcdefghijkl\n',
      ['  seed:3:12: api_keys[1].value is already used by api_keys[0].value.'],
    ],
    [
      'an API key denial without a path',
      'api_keys:\n  - { value: sk_a, deny: [DELETE] }\n',
      ['  seed:2:27: api_keys[0].deny[0] must be a method and a path, such as PUT /organizations/*.'],
    ],
    [
      'a redirect URI that is not an absolute URL',
      'redirect_uris:\n  - localhost:3000/callback\n',
      ['  seed:2:5: redirect_uris[0] must be an absolute URL such as https://app.example.com/callback (not_absolute).'],
    ],
    [
      'a domain that belongs to two organizations',
      'organizations:\n  - name: A\n    domain_data: [{ domain: a.test, state: verified }]\n  - name: B\n    domain_data:\n      - domain: A.test\n        state: pending\n',
      ['  seed:6:9: organizations[1].domain_data[0]: The domain a.test already belongs to an organization.'],
    ],
    [
      'a consumer mail domain',
      'organizations:\n  - { name: A, domain_data: [{ domain: gmail.com, state: verified }] }\n',
      [
        '  seed:2:40: organizations[0].domain_data[0].domain gmail.com is a consumer mail domain; no organization can own it.',
      ],
    ],
    [
      'an unknown role',
      'users: [{ id: u, email: a@a.test }]\norganizations: [{ id: o, name: O }]\nmemberships:\n  - { user_id: u, organization_id: o, role_slug: boss }\n',
      ['  seed:4:50: memberships[0].role_slug must be the slug of a role of the environment or of this organization.'],
    ],
    [
      'a repeated role',
      'roles:\n  - slug: admin\n  - slug: admin\n',
      ['  seed:3:11: roles[1].slug is already used by another role: "…".'],
    ],
    [
      'a weak password',
      'users:\n  - { email: a@a.test, password: hunter2 }\n',
      ['  seed:2:34: users[0].password must have at least 8 characters.'],
    ],
    [
      'an email address that belongs to two users',
      'users:\n  - { email: a@a.test }\n  - { email: A@a.test }\n',
      ['  seed:3:14: users[1].email belongs to another user.'],
    ],
    [
      'an unknown relation',
      'resource_types:\n  - { type: user, relations: {} }\n  - { type: report, relations: { owner: {} } }\nwarrants:\n  - resource_type: report\n    resource_id: q3\n    relation: ownr\n    subject: { resource_type: user, resource_id: ada }\n',
      ['  seed:7:15: warrants[0].relation must be a relation of report (owner), not "…".'],
    ],
    [
      'an invalid JSON schema',
      'audit_log_actions:\n  - name: a.b\n    schema:\n      targets: []\n      metadata: { type: nothing }\n',
      [expect.stringMatching(/^ {2}seed:5:17: audit_log_actions\[0\]\.schema\.metadata /)],
    ],
    [
      'a wrong value repeated by a YAML alias',
      'users:\n  - &ada { email: 5 }\n  - *ada\n',
      [
        '  seed:2:19: users[0].email must be a string; found a number',
        '  seed:2:19: users[1].email must be a string; found a number.',
      ],
    ],
    ['a repeated section', 'users: []\nusers: []\n', ['  seed:2:1: This name is repeated; keep only one.']],
    [
      'several YAML documents',
      'users: []\n---\nusers: []\n',
      ['  seed:2:1: A second document starts here; a seed must be a single document.'],
    ],
    ['a YAML tag', 'users: !!seq []\n', ['  seed:1:14: YAML tags are not supported in seeds; remove this one.']],
    [
      'a YAML alias without an anchor',
      'users: *nobody\n',
      [
        '  seed:1:8: Text that starts with * refers to an anchor, but there is no such anchor before it; quote the text.',
      ],
    ],
    [
      'a tab as indentation',
      'users:\n\t- email: a@a.test\n',
      ['  seed:2:1: Lines are indented with a tab; YAML requires spaces.'],
    ],
    [
      'text that is not YAML',
      'users: "secret" words\n',
      ['  seed:1:17: This is not valid YAML: Unexpected scalar at node end.'],
    ],
    [
      'an infinite number',
      'users: [{ email: .inf }]\n',
      ['  seed:1:18: users[0].email must be a JSON value; found Infinity.'],
    ],
  ])('with %s is rejected, and the error names the file, line and column', async (_what, text, lines) => {
    expect(await refusalOf(fileOf(text))).toEqual(lines);
  });

  test('with a repeated section in JSON is rejected, and the error names the file, line and column', async () => {
    expect(await refusalOf(fileOf('{\n  "users": [],\n  "users": []\n}', 'json'))).toEqual([
      '  seed:3:3: This name is repeated; keep only one.',
    ]);
  });

  test('with a wrong value in JSON is rejected, and the error names the file, line, column and field', async () => {
    expect(await refusalOf(fileOf('{\n  "users": [\n    { "email": 5 }\n  ]\n}', 'json'))).toEqual([
      '  seed:3:16: users[0].email must be a string; found a number.',
    ]);
  });

  test('with a large list repeated by thousands of aliases is rejected, and the error names the file', async () => {
    const organization = `{ name: Acme, domains: [${Array(3_000).fill('a.test').join(', ')}] }`;
    const aliases = Array(9_000).fill('  - *acme\n').join('');

    const lines = await refusalOf(fileOf(`organizations:\n  - &acme ${organization}\n${aliases}`));

    expect(lines).toEqual(['  seed:1:1: it must have at most 20000000 values.']);
  });

  test('with too many YAML aliases is rejected, and the error names the file', async () => {
    const levels = 'bcdefghi'.split('').map((name, at) => {
      const below = `*${'abcdefgh'[at]}`;
      return `${name}: &${name} [${Array(9).fill(below).join(', ')}]\n`;
    });

    const lines = await refusalOf(fileOf(`a: &a [x]\n${levels.join('')}`));

    expect(lines).toEqual(['  seed:1:1: Excessive alias count indicates a resource exhaustion attack.']);
  });
});

describe('the error for a rejected seed explains that', () => {
  const messageOf = (seed: string | object) =>
    createEmulator({ seed }).then(
      () => 'no error',
      (error: Error) => error.message,
    );

  test.each([
    [
      'the file does not exist',
      () => 'no-such-seed.yaml',
      'The seed no-such-seed.yaml cannot be read. The file does not exist.',
    ],
    ['the path is a folder', () => dirname(fileOf('')), 'cannot be read. It is a folder.'],
    ['the string contains a seed instead of a path', () => 'users: []\n', 'The seed is a string, but not a file path.'],
    ['a blank string is not a path', () => ' ', 'The seed is a string, but not a file path.'],
    [
      'a seed cannot be read from a web address',
      () => 'https://seeds.test/company.yaml',
      'Seeds are read from files, never over the network.',
    ],
    [
      'a seed cannot be read from an HTTP URL object',
      () => new URL('http://seeds.test/'),
      'Seeds are read from files, never over the network.',
    ],
  ])('%s', async (_what, seed, message) => {
    expect(await messageOf(seed())).toContain(message);
  });

  test('the file is not valid UTF-8', async () => {
    const file = fileOf(Uint8Array.of(0x75, 0xff, 0xfe));

    expect(await messageOf(file)).toContain('cannot be read. It is not valid UTF-8.');
  });
});
