import { expect, test } from 'vitest';
import { Legacy } from '../../src/client/legacy.js';
import { Transport } from '../../src/transport/transport.js';
import { recorded } from './sent.js';

const scimUser = {
  id: 'scim_usr_01',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  emails: [{ primary: true, type: 'work', value: 'ada@acme.test' }],
  raw_attributes: { nickName: 'A', preferred_language: 'en' },
};

test('the cursors of a SCIM list are read from listMetadata', async () => {
  const { transport, sent } = recorded({ data: [scimUser], listMetadata: { before: null, after: 'scim_usr_01' } });

  const { data, listMetadata } = await new Legacy(transport).scim.listUsers('scim_endpoint_01', { limit: 1 });

  expect(sent[0]).toMatchObject({ path: '/directories/scim_endpoint_01/users', query: { limit: '1' } });
  expect(listMetadata.after).toBe('scim_usr_01');
  expect(data[0]).toEqual({
    id: 'scim_usr_01',
    firstName: 'Ada',
    lastName: 'Lovelace',
    username: 'ada',
    emails: [{ primary: true, type: 'work', value: 'ada@acme.test' }],
    rawAttributes: { nickName: 'A', preferred_language: 'en' },
  });
});

test("a SCIM user's groups are returned as a plain array", async () => {
  const { transport, sent } = recorded([{ id: 'scim_grp_01', name: 'Engineers' }]);

  const groups = await new Legacy(transport).scim.listUserGroups('scim_endpoint_01', 'scim_usr_01');

  expect(sent[0]!.path).toBe('/directories/scim_endpoint_01/users/scim_usr_01/groups');
  expect(groups).toEqual([{ id: 'scim_grp_01', name: 'Engineers' }]);
});

test('scim.getUser throws an error that names the argument if the user id is missing', async () => {
  const { transport, sent } = recorded(scimUser);

  // @ts-expect-error the id is missing
  const call = new Legacy(transport).scim.getUser('scim_endpoint_01');

  await expect(call).rejects.toMatchObject({ code: 'invalid_argument', argument: 'userId' });
  expect(sent).toEqual([]);
});

const login = {
  group: 'acme.test',
  location: '203.0.113.7',
  action: 'user.login_succeeded',
  actionType: 'C',
  actorName: 'Ada',
  actorId: 'user_01',
  targetName: 'Ada',
  targetId: 'user_01',
  occurredAt: '2026-01-01T00:00:00.000Z',
} as const;

test('an audit trail event is sent with an idempotency key', async () => {
  const { transport, sent } = recorded({ success: true });

  const answer = await new Legacy(transport).auditTrail.createEvent(login, { idempotencyKey: 'login-1' });

  expect(answer).toEqual({ success: true });
  expect(sent[0]).toMatchObject({ method: 'POST', path: '/events' });
  expect(sent[0]!.headers.get('idempotency-key')).toBe('login-1');
  expect(sent[0]!.body).toEqual({
    group: 'acme.test',
    location: '203.0.113.7',
    action: 'user.login_succeeded',
    action_type: 'C',
    actor_name: 'Ada',
    actor_id: 'user_01',
    target_name: 'Ada',
    target_id: 'user_01',
    occurred_at: '2026-01-01T00:00:00.000Z',
  });
});

test('an audit trail event with an unknown action type is rejected before any request', async () => {
  const { transport, sent } = recorded({ success: true });

  // @ts-expect-error only C, R, U and D exist
  const call = new Legacy(transport).auditTrail.createEvent({ ...login, actionType: 'X' });

  await expect(call).rejects.toMatchObject({ code: 'invalid_argument', argument: 'actionType' });
  expect(sent).toEqual([]);
});

test('the legacy sign-in URL contains the domain and the client id', () => {
  const { transport } = recorded();

  const url = new Legacy(transport).sso.getAuthorizationUrl({
    domain: 'acme.test',
    redirectUri: 'https://app.acme.test/callback',
    state: 'a b',
  });

  expect(url).toBe(
    'https://service.test/sso/authorize?response_type=code&client_id=client_01&redirect_uri=https%3A%2F%2Fapp.acme.test%2Fcallback&state=a%20b&domain=acme.test',
  );
});

test('the legacy sign-in URL accepts a domain and a provider together', () => {
  const { transport } = recorded();
  const { sso } = new Legacy(transport);

  const url = sso.getAuthorizationUrl({
    domain: 'acme.test',
    provider: 'GoogleOAuth',
    redirectUri: 'https://app.acme.test/callback',
  });

  expect(url).toBe(
    'https://service.test/sso/authorize?response_type=code&client_id=client_01&redirect_uri=https%3A%2F%2Fapp.acme.test%2Fcallback&domain=acme.test&provider=GoogleOAuth',
  );
});

test('the legacy sign-in URL requires a client id', () => {
  const transport = new Transport({ apiKey: 'sk_test_0123456789abcdef', baseUrl: 'https://service.test' });

  const build = () =>
    new Legacy(transport).sso.getAuthorizationUrl({
      domain: 'acme.test',
      redirectUri: 'https://app.acme.test/callback',
    });

  expect(build).toThrow(expect.objectContaining({ code: 'missing_client_id' }));
});
