import { expect } from 'vitest';
import { claimsOf } from '../../emulator/sign-in/signing-in.js';
import { eventsOf, type Place, type Row } from './row.js';

const client = { client_id: 'client_sallyport_emulator', client_secret: 'sk_test_sallyport_emulator' };
const signIn = ({ send }: Place, email = 'ada@acme.test') =>
  send('POST /user_management/authenticate', {
    ...client,
    grant_type: 'password',
    email,
    password: 'correct horse battery',
  });
const sessionOf = async (place: Place) => {
  await signIn(place);
  return (await place.send('GET /user_management/users/user_ada/sessions')).body.data[0].id;
};
/** Returns the target of an authorization URL with this redirect URI. */
const authorize = async ({ emulator }: Place, redirectUri: string) => {
  const query = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    provider: 'authkit',
    login_hint: 'ada@acme.test',
    redirect_uri: redirectUri,
  });
  return emulator.fetch(`${emulator.url}/user_management/authorize?${query}`, { redirect: 'manual' });
};

/** Returns a claim of the next access token. */
const claim = (name: string) => async (place: Place) => claimsOf((await signIn(place)).body.access_token)[name];

/** Controls of sign-in: impersonation, policies, claims, sessions, keys, planned failures and redirect URIs. */
export const signInRows: Readonly<Record<string, Row>> = {
  impersonate: {
    inProcess: (emulator) => emulator.impersonate({ userId: 'user_ada', email: 'staff@vendor.test', reason: 'help' }),
    request: ['POST /_emulator/impersonations', { user_id: 'user_ada', email: 'staff@vendor.test', reason: 'help' }],
    answer: { code: expect.any(String) },
    shows: async ({ emulator, send }) => {
      const { code } = await emulator.impersonate({ userId: 'user_ada', email: 'staff@vendor.test' });
      const grant = { ...client, grant_type: 'authorization_code', code };
      return (await send('POST /user_management/authenticate', grant)).body.impersonator.email;
    },
    then: 'staff@vendor.test',
    refused: {
      inProcess: (emulator) => emulator.impersonate({ userId: 'user_gone', email: 'staff@vendor.test' }),
      request: ['POST /_emulator/impersonations', { user_id: 'user_gone', email: 'staff@vendor.test' }],
      status: 404,
      code: 'entity_not_found',
    },
  },
  signInAs: {
    inProcess: (emulator) => emulator.signInAs('user_ada', { organizationId: 'org_acme', userAgent: 'Lynx/2.9' }),
    request: ['POST /_emulator/users/user_ada/sign_in', { organization_id: 'org_acme', user_agent: 'Lynx/2.9' }],
    answer: {
      user: { object: 'user', id: 'user_ada', email: 'ada@acme.test', last_sign_in_at: '2026-01-01T00:00:00.000Z' },
      organization_id: 'org_acme',
      access_token: expect.stringMatching(/^ey/),
      refresh_token: expect.any(String),
      session_id: expect.stringMatching(/^session_/),
    },
    shows: async (place) => [
      (await place.send('GET /user_management/users/user_ada/sessions')).body.data.map(
        (session: Readonly<Record<string, unknown>>) => [session.user_agent, session.auth_method, session.status],
      ),
      await eventsOf(place, 'authentication.password_succeeded', 'session.created'),
    ],
    then: [[['Lynx/2.9', 'password', 'active']], ['authentication.password_succeeded', 'session.created']],
    refused: {
      inProcess: (emulator) => emulator.signInAs('user_gone'),
      request: ['POST /_emulator/users/user_gone/sign_in'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  setAuthenticationPolicy: {
    before: async ({ emulator, send }) => {
      const { body } = await send('GET /organizations/org_acme');
      await emulator.verifyDomain(body.domains[0].id);
    },
    inProcess: (emulator) => emulator.setAuthenticationPolicy('org_acme', { authMethods: { magicAuth: true } }),
    request: ['PUT /_emulator/organizations/org_acme/authentication_policy', { auth_methods: { magic_auth: true } }],
    answer: { sso_required: false, mfa_required: false, auth_methods: { password: false, magic_auth: true } },
    shows: async (place) => (await signIn(place)).body.code,
    then: 'organization_authentication_methods_required',
    refused: {
      inProcess: (emulator) => emulator.setAuthenticationPolicy('org_acme', { ssoRequired: 'yes' as never }),
      request: ['PUT /_emulator/organizations/org_acme/authentication_policy', { sso_required: 'yes' }],
      status: 422,
      code: 'validation_error',
      fields: ['sso_required'],
    },
  },
  setEntitlements: {
    inProcess: (emulator) => emulator.setEntitlements('org_acme', ['audit-logs']),
    request: ['PUT /_emulator/organizations/org_acme/entitlements', { entitlements: ['audit-logs'] }],
    shows: claim('entitlements'),
    then: ['audit-logs'],
    refused: {
      inProcess: (emulator) => emulator.setEntitlements('org_gone', ['audit-logs']),
      request: ['PUT /_emulator/organizations/org_gone/entitlements', { entitlements: ['audit-logs'] }],
      status: 404,
      code: 'entity_not_found',
    },
  },
  setOrganizationFeatureFlags: {
    inProcess: (emulator) => emulator.setOrganizationFeatureFlags('org_acme', ['new-dashboard']),
    request: ['PUT /_emulator/organizations/org_acme/feature_flags', { feature_flags: ['new-dashboard'] }],
    shows: claim('feature_flags'),
    then: ['new-dashboard'],
    refused: {
      inProcess: (emulator) => emulator.setOrganizationFeatureFlags('org_gone', ['new-dashboard']),
      request: ['PUT /_emulator/organizations/org_gone/feature_flags', { feature_flags: ['new-dashboard'] }],
      status: 404,
      code: 'entity_not_found',
    },
  },
  setUserFeatureFlags: {
    inProcess: (emulator) => emulator.setUserFeatureFlags('user_ada', ['beta-search']),
    request: ['PUT /_emulator/users/user_ada/feature_flags', { feature_flags: ['beta-search'] }],
    shows: claim('feature_flags'),
    then: ['beta-search'],
    refused: {
      inProcess: (emulator) => emulator.setUserFeatureFlags('user_ada', 'beta-search' as never),
      request: ['PUT /_emulator/users/user_ada/feature_flags', { feature_flags: 'beta-search' }],
      status: 422,
      code: 'validation_error',
      fields: ['feature_flags'],
    },
  },
  setCustomClaims: {
    inProcess: (emulator) => emulator.setCustomClaims({ 'urn:acme:email': '{{ user.email }}' }),
    request: ['PUT /_emulator/custom_claims', { claims: { 'urn:acme:email': '{{ user.email }}' } }],
    shows: claim('urn:acme:email'),
    then: 'ada@acme.test',
    refused: {
      inProcess: (emulator) => emulator.setCustomClaims({ sub: 'user_else' }),
      request: ['PUT /_emulator/custom_claims', { claims: { sub: 'user_else' } }],
      status: 422,
      code: 'reserved_claim',
      fields: ['claims.sub'],
    },
  },
  endSession: {
    find: sessionOf,
    inProcess: (emulator, id) => emulator.endSession(id),
    request: ['POST /_emulator/sessions/{id}/end'],
    answer: { object: 'session', user_id: 'user_ada', status: 'revoked', ended_at: '2026-01-01T00:00:00.000Z' },
    shows: async ({ send }) =>
      (await send('GET /user_management/users/user_ada/sessions')).body.data.map(
        ({ status }: { readonly status: string }) => status,
      ),
    then: ['revoked'],
    refused: {
      inProcess: (emulator) => emulator.endSession('session_gone'),
      request: ['POST /_emulator/sessions/session_gone/end'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  expireSession: {
    find: sessionOf,
    inProcess: (emulator, id) => emulator.expireSession(id),
    request: ['POST /_emulator/sessions/{id}/expire'],
    answer: { object: 'session', user_id: 'user_ada', status: 'expired', ended_at: '2026-01-01T00:00:00.000Z' },
    shows: async ({ send }) =>
      (await send('GET /user_management/users/user_ada/sessions')).body.data.map(
        ({ status }: { readonly status: string }) => status,
      ),
    then: ['expired'],
    refused: {
      inProcess: (emulator) => emulator.expireSession('session_gone'),
      request: ['POST /_emulator/sessions/session_gone/expire'],
      status: 404,
      code: 'entity_not_found',
    },
  },
  'keys.rotate': {
    inProcess: (emulator) => emulator.keys.rotate({ retire: true }),
    request: ['POST /_emulator/keys/rotate', { retire: true }],
    answer: { kid: expect.stringMatching(/^[\w-]{43}$/) },
    shows: async ({ send }) => (await send(`GET /sso/jwks/${client.client_id}`)).body.keys.length,
    then: 1,
    refused: {
      inProcess: (emulator) => emulator.keys.rotate({ retire: 'yes' as unknown as boolean }),
      request: ['POST /_emulator/keys/rotate', { retire: 'yes' }],
      status: 422,
      code: 'validation_error',
      fields: ['retire'],
    },
  },
  failNextAuthorization: {
    inProcess: (emulator) => emulator.failNextAuthorization('access_denied', 'Ada said no.'),
    request: ['POST /_emulator/authorization_failures', { error: 'access_denied', description: 'Ada said no.' }],
    shows: async (place) => {
      const answer = await authorize(place, 'http://localhost:3000/callback');
      const { searchParams } = new URL(answer.headers.get('location')!);
      return [searchParams.get('error'), searchParams.get('error_description')];
    },
    then: ['access_denied', 'Ada said no.'],
    refused: {
      inProcess: (emulator) => emulator.failNextAuthorization('bad_luck' as 'access_denied'),
      request: ['POST /_emulator/authorization_failures', { error: 'bad_luck' }],
      status: 422,
      code: 'validation_error',
      fields: ['error'],
    },
  },
  addRedirectUri: {
    inProcess: (emulator) => emulator.addRedirectUri('https://app.acme.test/callback'),
    request: ['POST /_emulator/redirect_uris', { uri: 'https://app.acme.test/callback' }],
    shows: async (place) => [
      (await authorize(place, 'https://app.acme.test/callback')).status,
      (await authorize(place, 'http://localhost:3000/callback')).status,
    ],
    then: [302, 400],
    refused: {
      inProcess: (emulator) => emulator.addRedirectUri(undefined as unknown as string),
      request: ['POST /_emulator/redirect_uris', {}],
      status: 422,
      code: 'validation_error',
      fields: ['uri'],
    },
  },
};
