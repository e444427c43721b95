import type { Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../runner/requirements.js';
import { drive, installed, type Outcomes, publicService, whereabouts } from './run.js';

const expected: Readonly<Record<string, unknown>> = {
  'an organization comes, changes and goes': {
    made: ['Contoso', [['contoso.test', 'verified']], { plan: 'team' }],
    changed: ['Contoso AG', 'cus_7'],
    found: true,
    left: 0,
  },
  'lists are walked to the end': [10, 15],
  'a domain is added and asked to be verified': ['pending', 'dns', 'string', true, 'string'],
  'a user comes, changes and goes': [
    'Nell',
    null,
    null,
    'Otis',
    'de-DE',
    1,
    [{ idpId: '104857', type: 'OAuth', provider: 'GoogleOAuth' }],
  ],
  'memberships are made, changed and listed with their roles': [
    { slug: 'member' },
    'Litware',
    'active',
    { slug: 'admin' },
    ['Litware', 'Northwind Traders'],
  ],
  'an invitation is sent, found by its token and revoked': ['pending', 'string', true, 'revoked'],
  'an invitation is accepted': 'accepted',
  'roles of an organization are listed': ['admin', 'analyst', 'member', 'dock-manager'],
  'a password signs in and its session is sealed': ['user_bruno', 'org_northwind', 'string'],
  'the sealed session is read, refreshed and left': [
    true,
    'user_bruno',
    'org_northwind',
    'dock-manager',
    ['docks:plan'],
    true,
    '/user_management/sessions/logout',
  ],
  'a code by email signs in': ['user_chiara', 'org_tailspin'],
  'several organizations ask for a choice': [
    'organization_selection_required',
    ['org_northwind', 'org_tailspin'],
    'user_ada',
    'org_tailspin',
  ],
  'a second factor is enrolled and asked for': ['totp', 'string', true, [['totp', true]]],
  'a general factor is challenged': ['totp', true, false],
  'a password is reset': [true, 'res@example.test'],
  'the hosted page signs in by authorization code': ['s1', 'user_bruno', 'org_northwind'],
  'the hosted page signs in to the organization it was given': ['user_ada', 'org_tailspin'],
  'a public client signs in with PKCE': ['user_bruno', 'user_bruno'],
  'a connection brings a profile': [
    's2',
    'ada@northwind.test',
    'conn_northwind',
    'org_northwind',
    { department: 'Operations' },
    true,
  ],
  'connections are listed': [['conn_northwind', 'OktaSAML', 'active', ['northwind.test']]],
  'directories, their users and groups are listed': [
    [['directory_northwind', 'active', 'okta scim v2.0']],
    ['directory_user_ada', 'directory_user_bruno', 'directory_user_farah'],
    ['Docks', 'Operations'],
    ['Operations'],
    { cost_center: '4100' },
  ],
  'audit logs are written and exported': ['pending', 'ready', true],
  'a portal link is made': 200,
  'events are listed': [3, true, 'organization.created', 'string', ['api', 'string', 'string']],
  'a webhook is delivered and verified': ['user.created', 'hook@example.test', 'SignatureVerificationException'],
  'sessions are listed and revoked': ['active', 'password', 'revoked'],
};

const refused: Readonly<Record<string, unknown>> = {
  'what is absent is a NotFoundException': { kind: 'NotFoundException', status: 404, code: 'entity_not_found' },
  'what is invalid is an UnprocessableEntityException': {
    kind: 'UnprocessableEntityException',
    status: 422,
    code: 'invalid_request_parameters',
  },
  'a wrong key is an UnauthorizedException': { kind: 'UnauthorizedException', status: 401 },
  'a wrong password is refused': { kind: 'OauthException', status: 400 },
};

for (const outsider of ['incumbent-11', 'incumbent-10', 'incumbent-9'])
  requires('node22', installed(outsider))(`the incumbent's SDK, ${outsider.slice('incumbent-'.length)}`, () => {
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

    test('took every step that is looked at here', () => {
      expect(Object.keys(outcomes).sort()).toEqual([...Object.keys(expected), ...Object.keys(refused)].sort());
    });
  });
