import type { Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes, publicService, whereabouts } from './run.js';

const expected: Readonly<Record<string, unknown>> = {
  'creates, updates and deletes an organization': {
    made: ['Contoso', [['contoso.test', 'verified']], { plan: 'team' }],
    changed: ['Contoso AG', 'cus_7'],
    found: true,
    left: 0,
  },
  'iterates over all pages of a list': [10, 15],
  'adds and verifies a domain': ['pending', 'dns', 'string', true, 'string'],
  'creates, updates and deletes a user': [
    'Nell',
    null,
    null,
    'Otis',
    'de-DE',
    1,
    [{ idpId: '104857', type: 'OAuth', provider: 'GoogleOAuth' }],
  ],
  'creates, updates and lists memberships with their roles': [
    { slug: 'member' },
    'Litware',
    'active',
    { slug: 'admin' },
    ['Litware', 'Northwind Traders'],
  ],
  'sends, finds and revokes an invitation': ['pending', 'string', true, 'revoked'],
  'accepts an invitation': 'accepted',
  'lists the roles of an organization': ['admin', 'analyst', 'member', 'dock-manager'],
  'signs in with a password and seals the session': ['user_bruno', 'org_northwind', 'string'],
  'reads, refreshes and ends a sealed session': [
    true,
    'user_bruno',
    'org_northwind',
    'dock-manager',
    ['docks:plan'],
    true,
    '/user_management/sessions/logout',
  ],
  'signs in with an emailed code': ['user_chiara', 'org_tailspin'],
  'asks a member of several organizations to choose one': [
    'organization_selection_required',
    ['org_northwind', 'org_tailspin'],
    'user_ada',
    'org_tailspin',
  ],
  'enrolls a second factor and gets a challenge for it': ['totp', 'string', true, [['totp', true]]],
  'challenges a factor': ['totp', true, false],
  'resets a password': [true, 'res@example.test'],
  'signs in at the hosted page with an authorization code': ['s1', 'user_bruno', 'org_northwind'],
  'signs in to the given organization at the hosted page': ['user_ada', 'org_tailspin'],
  'signs in as a public client with PKCE': ['user_bruno', 'user_bruno'],
  'returns the profile of a user who signs in through a connection': [
    's2',
    'ada@northwind.test',
    'conn_northwind',
    'org_northwind',
    { department: 'Operations' },
    true,
  ],
  'lists connections': [['conn_northwind', 'OktaSAML', 'active', ['northwind.test']]],
  'lists directories, their users and groups': [
    [['directory_northwind', 'active', 'okta scim v2.0']],
    ['directory_user_ada', 'directory_user_bruno', 'directory_user_farah'],
    ['Docks', 'Operations'],
    ['Operations'],
    { cost_center: '4100' },
  ],
  'writes and exports audit logs': ['pending', 'ready', true],
  'creates a portal link': 200,
  'lists events': [3, true, 'organization.created', 'string', ['api', 'string', 'string']],
  'verifies a delivered webhook': ['user.created', 'hook@example.test', 'SignatureVerificationException'],
  'lists and revokes sessions': ['active', 'password', 'revoked'],
};

const refused: Readonly<Record<string, unknown>> = {
  'throws NotFoundException for an unknown object': {
    kind: 'NotFoundException',
    status: 404,
    code: 'entity_not_found',
  },
  'throws UnprocessableEntityException for an invalid request': {
    kind: 'UnprocessableEntityException',
    status: 422,
    code: 'invalid_request_parameters',
  },
  'throws UnauthorizedException for a wrong key': { kind: 'UnauthorizedException', status: 401 },
  'throws OauthException for a wrong password': { kind: 'OauthException', status: 400 },
};

for (const outsider of ['incumbent-11', 'incumbent-10', 'incumbent-9'])
  requires('node22', installed(outsider))(
    `version ${outsider.slice('incumbent-'.length)} of the WorkOS SDK with the emulator`,
    () => {
      let emulator: Emulator;
      let outcomes: Outcomes;

      beforeAll(async () => {
        emulator = await publicService('examples/company.yaml');
        outcomes = await drive('incumbent.mjs', outsider, whereabouts(emulator));
      });
      afterAll(() => emulator?.close());

      test.each(Object.entries(expected))('%s', (step, value) => {
        expect(outcomes[step]).toEqual({ value });
      });

      test.each(Object.entries(refused))('%s', (step, error) => {
        expect(outcomes[step]).toEqual({ error: expect.objectContaining(error as object) });
      });

      test('runs exactly the steps that have an expected result', () => {
        expect(Object.keys(outcomes).sort()).toEqual([...Object.keys(expected), ...Object.keys(refused)].sort());
      });
    },
  );
