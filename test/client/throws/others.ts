import { Sallyport } from 'sallyport';
import { clientWith } from '../../servers/server.js';
import { rowsOf, type World } from './world.js';

const trailEvent = {
  group: 'acme',
  location: '203.0.113.7',
  action: 'user.login_succeeded',
  actionType: 'R',
  actorName: 'Ada',
  actorId: 'ada',
  targetName: 'Ada',
  targetId: 'ada',
  occurredAt: '2026-01-01T00:00:00.000Z',
} as const;
const email = 'ada@northwind.test';
const endpoint = { endpointUrl: 'https://app.acme.test/webhooks', events: ['user.created' as const] };

/** A text message with a code, and the challenge it answers. */
const challenged = async (world: World) => {
  const { id: authenticationFactorId } = await world.mfa.enrollFactor({ type: 'sms', phoneNumber: '+15005550006' });
  const { id: authenticationChallengeId } = await world.mfa.challengeFactor({ authenticationFactorId });
  return { authenticationChallengeId, code: world.mailed('+15005550006') };
};

export const otherRows = [
  ...rowsOf('Sallyport', {
    'constructor ConfigurationError invalid_base_url': () => {
      new Sallyport({ apiKey: 'sk_test_0123456789abcdef', baseUrl: 'localhost:4100' });
    },
    'with ConfigurationError invalid_option': () => clientWith(fetch).with({ apiKey: 'sk_test_other' } as object),
    'request InvalidArgumentError invalid_argument': () => clientWith(fetch).request('GET', '/users/..'),
    'request ConfigurationError missing_api_key': () =>
      clientWith(fetch, { apiKey: undefined }).request('GET', '/users'),
    'list InvalidArgumentError invalid_argument': () => clientWith(fetch).list('/users?limit=1'),
    'list ConfigurationError missing_api_key': () => clientWith(fetch, { apiKey: undefined }).list('/users'),
  }),
  ...rowsOf('directorySync', {
    'getDirectory NotFoundError entity_not_found': (world) => world.directorySync.getDirectory('directory_none'),
    'deleteDirectory NotFoundError entity_not_found': (world) => world.directorySync.deleteDirectory('directory_none'),
    'listUsers NotFoundError entity_not_found': (world) =>
      world.directorySync.listUsers({ directory: 'directory_none' }),
    'listUsers UnprocessableError validation_error': (world) => world.directorySync.listUsers({}),
    'getUser NotFoundError entity_not_found': (world) => world.directorySync.getUser('directory_user_none'),
    'listGroups NotFoundError entity_not_found': (world) =>
      world.directorySync.listGroups({ directory: 'directory_none' }),
    'listGroups UnprocessableError validation_error': (world) => world.directorySync.listGroups({}),
    'getGroup NotFoundError entity_not_found': (world) => world.directorySync.getGroup('directory_group_none'),
  }),
  ...rowsOf('events', {
    'listEvents InvalidArgumentError invalid_argument': (world) =>
      // The types forbid it.
      world.events.listEvents({ after: 'event_none', rangeStart: '2026-01-01T00:00:00.000Z' } as object),
    'listEvents UnprocessableError invalid_cursor': (world) => world.events.listEvents({ after: 'event_none' }),
  }),
  ...rowsOf('legacy.scim', {
    'listUsers NotFoundError entity_not_found': (world) => world.legacy.scim.listUsers('directory_none'),
    'listGroups NotFoundError entity_not_found': (world) => world.legacy.scim.listGroups('directory_none'),
    'getUser NotFoundError entity_not_found': (world) => world.legacy.scim.getUser('directory_none', 'scim_usr_none'),
    'listUserGroups NotFoundError entity_not_found': (world) =>
      world.legacy.scim.listUserGroups('directory_none', 'scim_usr_none'),
  }),
  ...rowsOf('legacy.auditTrail', {
    'createEvent InvalidArgumentError invalid_argument': (world) =>
      world.legacy.auditTrail.createEvent({ ...trailEvent, metadata: { note: 'n'.repeat(501) } }),
    'createEvent UnprocessableError validation_error': (world) =>
      world.legacy.auditTrail.createEvent({ ...trailEvent, occurredAt: 'yesterday' }),
  }),
  ...rowsOf('mfa', {
    'enrollFactor UnprocessableError invalid_phone_number': (world) =>
      world.mfa.enrollFactor({ type: 'sms', phoneNumber: '12' }),
    'enrollFactor UnprocessableError validation_error': (world) =>
      world.mfa.enrollFactor({ type: 'totp', issuer: '', user: 'Ada' }),
    'challengeFactor NotFoundError entity_not_found': (world) =>
      world.mfa.challengeFactor({ authenticationFactorId: 'auth_factor_none' }),
    'challengeFactor UnprocessableError invalid_format': async (world) => {
      const { id } = await world.mfa.enrollFactor({ type: 'sms', phoneNumber: '+15005550006' });
      return world.mfa.challengeFactor({ authenticationFactorId: id, smsTemplate: 'Good morning' });
    },
    'verifyChallenge NotFoundError entity_not_found': (world) =>
      world.mfa.verifyChallenge({ authenticationChallengeId: 'auth_challenge_none', code: '123456' }),
    'verifyChallenge UnprocessableError invalid_format': async (world) =>
      world.mfa.verifyChallenge({ ...(await challenged(world)), code: '12345' }),
    'verifyChallenge BadRequestError one_time_code_too_many_attempts': async (world) => {
      const answer = await challenged(world);
      for (let count = 0; count < 5; count += 1) await world.mfa.verifyChallenge({ ...answer, code: '000000' });
      return world.mfa.verifyChallenge(answer);
    },
    'getFactor NotFoundError entity_not_found': (world) => world.mfa.getFactor('auth_factor_none'),
    'deleteFactor NotFoundError entity_not_found': (world) => world.mfa.deleteFactor('auth_factor_none'),
  }),
  ...rowsOf('webhooks', {
    'createWebhookEndpoint ConflictError duplicate_endpoint': async (world) => {
      await world.webhooks.createWebhookEndpoint(endpoint);
      return world.webhooks.createWebhookEndpoint(endpoint);
    },
    'createWebhookEndpoint UnprocessableError validation_error': (world) =>
      world.webhooks.createWebhookEndpoint({ ...endpoint, endpointUrl: 'ftp://app.acme.test' }),
    'updateWebhookEndpoint NotFoundError entity_not_found': (world) =>
      world.webhooks.updateWebhookEndpoint({ id: 'we_none', status: 'disabled' }),
    'updateWebhookEndpoint ConflictError duplicate_endpoint': async (world) => {
      await world.webhooks.createWebhookEndpoint(endpoint);
      const other = { ...endpoint, endpointUrl: 'https://app.acme.test/others' };
      const { id } = await world.webhooks.createWebhookEndpoint(other);
      return world.webhooks.updateWebhookEndpoint({ id, endpointUrl: endpoint.endpointUrl });
    },
    'updateWebhookEndpoint UnprocessableError validation_error': async (world) => {
      const { id } = await world.webhooks.createWebhookEndpoint(endpoint);
      return world.webhooks.updateWebhookEndpoint({ id, endpointUrl: 'ftp://app.acme.test' });
    },
    'deleteWebhookEndpoint NotFoundError entity_not_found': (world) =>
      world.webhooks.deleteWebhookEndpoint({ id: 'we_none' }),
    'constructEvent WebhookVerificationError webhook_verification_failed': (world) =>
      world.webhooks.constructEvent({ payload: '{}', sigHeader: 't=1, v1=00', secret: 'whsec_0123456789' }),
    'parseEvent WebhookVerificationError webhook_verification_failed': (world) => world.webhooks.parseEvent('{}'),
  }),
  ...rowsOf('passwordless', {
    'createSession InvalidArgumentError invalid_argument': (world) =>
      world.passwordless.createSession({ email, type: 'MagicLink', expiresIn: 86_401 }),
    'createSession UnprocessableError redirect_uri_not_registered': (world) =>
      world.passwordless.createSession({ email, type: 'MagicLink', redirectURI: 'https://app.bolt.test/callback' }),
    'sendSession NotFoundError entity_not_found': (world) =>
      world.passwordless.sendSession('passwordless_session_none'),
    'sendSession BadRequestError passwordless_session_expired': async (world) => {
      const { id } = await world.passwordless.createSession({ email, type: 'MagicLink', expiresIn: 900 });
      await world.emulator.clock.advance('16m');
      return world.passwordless.sendSession(id);
    },
  }),
];
