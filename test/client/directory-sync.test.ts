import { expect, test } from 'vitest';
import { DirectorySync, isDirectoryActive } from '../../src/client/directory-sync.js';
import { page, recorded } from './sent.js';

const directory = {
  object: 'directory',
  id: 'directory_01',
  domain: 'acme.test',
  name: 'Acme People',
  organization_id: 'org_01',
  state: 'unlinked',
  type: 'okta scim v2.0',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
};

const directoryUser = {
  object: 'directory_user',
  id: 'directory_user_01',
  idp_id: '7',
  directory_id: 'directory_01',
  organization_id: 'org_01',
  first_name: 'Ada',
  last_name: null,
  email: 'ada@acme.test',
  emails: [{ primary: true, type: 'work', value: 'ada@acme.test' }],
  username: 'ada',
  job_title: 'Engineer',
  groups: [
    {
      id: 'directory_group_01',
      idp_id: '9',
      directory_id: 'directory_01',
      organization_id: 'org_01',
      name: 'Engineers',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      raw_attributes: { display_name: 'Engineers' },
    },
  ],
  state: 'active',
  role: { slug: 'member' },
  custom_attributes: { cost_center: { cost_code: 7 } },
  raw_attributes: { 'urn:x': { given_name: 'Ada' } },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

test('a field that only one directory provider sends keeps the wire name', async () => {
  const { transport } = recorded({ ...directory, bearer_token_set: true });

  const found = await new DirectorySync(transport).getDirectory('directory_01');

  expect(found).toMatchObject({ organizationId: 'org_01', bearer_token_set: true });
});

test("a directory's missing domain and organization are returned as null", async () => {
  const { domain: _domain, organization_id: _organization, ...short } = directory;
  const { transport } = recorded(short);

  const found = await new DirectorySync(transport).getDirectory('directory_01');

  expect(found).toMatchObject({ domain: null, organizationId: null });
});

test("the keys of a directory user's attributes are unchanged at every depth", async () => {
  const { transport, sent } = recorded(page([directoryUser]));

  const { data } = await new DirectorySync(transport).listUsers({ directory: 'directory_01', limit: 5 });

  expect(sent[0]).toMatchObject({ path: '/directory_users', query: { directory: 'directory_01', limit: '5' } });
  expect(data[0]).toMatchObject({
    firstName: 'Ada',
    lastName: null,
    customAttributes: { cost_center: { cost_code: 7 } },
    rawAttributes: { 'urn:x': { given_name: 'Ada' } },
    groups: [{ directoryId: 'directory_01', rawAttributes: { display_name: 'Engineers' } }],
  });
});

test('a directory user without an id is rejected with the path of the missing field', async () => {
  const { id: _id, ...nameless } = directoryUser;
  const { transport } = recorded(page([directoryUser, nameless]));

  const listing = new DirectorySync(transport).listUsers({ directory: 'directory_01' });

  await expect(listing).rejects.toMatchObject({ code: 'unexpected_response', path: 'data[1].id' });
});

test.each([
  [true, 'linked'],
  [true, 'active'],
  [false, 'unlinked'],
  [false, 'inactive'],
  [false, 'invalid_credentials'],
])('isDirectoryActive returns %s for the state %s', (active, state) => {
  expect(isDirectoryActive({ state })).toBe(active);
});
