import { Sallyport } from 'sallyport';
import { email, rowsOf, type World } from './world.js';

const client = rowsOf('Sallyport');
const directorySync = rowsOf('directorySync');
const events = rowsOf('events');
const scim = rowsOf('legacy.scim');
const auditTrail = rowsOf('legacy.auditTrail');
const mfa = rowsOf('mfa');
const webhooks = rowsOf('webhooks');
const passwordless = rowsOf('passwordless');

const trailEvent = {
  group: 'acme',
  location: '203.0.113.7',
  action: 'user.login_succeeded',
  actionType: 'R',
  actorName: 'Ada',
  actorId: 'ada',
  targetName: 'Ada',
  targetId: 'ada',
  occurredAt: '2026-05-04T08:00:00.000Z',
} as const;
const endpoint = { endpointUrl: 'https://app.acme.test/webhooks', events: ['user.created' as const] };

/** A text message with a code, and the challenge it answers. */
const challenged = async (world: World) => {
  const { id: authenticationFactorId } = await world.mfa.enrollFactor({ type: 'sms', phoneNumber: '+15005550006' });
  const { id: authenticationChallengeId } = await world.mfa.challengeFactor({ authenticationFactorId });
  return { authenticationChallengeId, code: world.mailed('+15005550006') };
};

/** A directory of Acme's. */
const directoryOf = async (world: World): Promise<string> => {
  const { id: organizationId } = await world.owner();
  return (await world.emulator.createDirectory({ organizationId, name: 'Acme people', type: 'okta scim v2.0' })).id;
};

export const otherRows = [
  client('constructor', 'ConfigurationError', 'an address without its protocol', 'invalid_base_url', () => {
    new Sallyport({ apiKey: 'sk_test_0123456789abcdef', baseUrl: 'localhost:4100' });
  }),

  directorySync('getDirectory', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.directorySync.getDirectory('directory_none'),
  ),
  directorySync('deleteDirectory', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.directorySync.deleteDirectory('directory_none'),
  ),
  directorySync('listUsers', 'NotFoundError', 'an unknown directory', 'entity_not_found', (world) =>
    world.directorySync.listUsers({ directory: 'directory_none' }),
  ),
  directorySync('listUsers', 'UnprocessableError', 'neither a directory nor a group', 'validation_error', (world) =>
    world.directorySync.listUsers({}),
  ),
  directorySync('getUser', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.directorySync.getUser('directory_user_none'),
  ),
  directorySync('listGroups', 'NotFoundError', 'an unknown directory', 'entity_not_found', (world) =>
    world.directorySync.listGroups({ directory: 'directory_none' }),
  ),
  directorySync('listGroups', 'UnprocessableError', 'neither a directory nor a user', 'validation_error', (world) =>
    world.directorySync.listGroups({}),
  ),
  directorySync('getGroup', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.directorySync.getGroup('directory_group_none'),
  ),

  events('listEvents', 'InvalidArgumentError', 'two places to start', 'invalid_argument', (world) =>
    // The types refuse it.
    world.events.listEvents({ after: 'event_none', rangeStart: '2026-05-01T00:00:00.000Z' } as object),
  ),
  events('listEvents', 'UnprocessableError', 'an unknown event', 'invalid_cursor', (world) =>
    world.events.listEvents({ after: 'event_none' }),
  ),

  scim('listUsers', 'NotFoundError', 'an unknown endpoint', 'entity_not_found', (world) =>
    world.legacy.scim.listUsers('directory_none'),
  ),
  scim('listGroups', 'NotFoundError', 'an unknown endpoint', 'entity_not_found', (world) =>
    world.legacy.scim.listGroups('directory_none'),
  ),
  scim('getUser', 'NotFoundError', 'an unknown endpoint', 'entity_not_found', (world) =>
    world.legacy.scim.getUser('directory_none', 'scim_usr_none'),
  ),
  scim('getUser', 'NotFoundError', 'an unknown user', 'entity_not_found', async (world) =>
    world.legacy.scim.getUser(await directoryOf(world), 'scim_usr_none'),
  ),
  scim('listUserGroups', 'NotFoundError', 'an unknown user', 'entity_not_found', async (world) =>
    world.legacy.scim.listUserGroups(await directoryOf(world), 'scim_usr_none'),
  ),

  auditTrail('createEvent', 'InvalidArgumentError', 'a value of 501 characters', 'invalid_argument', (world) =>
    world.legacy.auditTrail.createEvent({ ...trailEvent, metadata: { note: 'n'.repeat(501) } }),
  ),
  auditTrail('createEvent', 'UnprocessableError', 'an invalid time', 'validation_error', (world) =>
    world.legacy.auditTrail.createEvent({ ...trailEvent, occurredAt: 'yesterday' }),
  ),

  mfa('enrollFactor', 'UnprocessableError', 'an invalid telephone number', 'invalid_phone_number', (world) =>
    world.mfa.enrollFactor({ type: 'sms', phoneNumber: '12' }),
  ),
  mfa('enrollFactor', 'UnprocessableError', 'a blank issuer', 'validation_error', (world) =>
    world.mfa.enrollFactor({ type: 'totp', issuer: '', user: 'Ada' }),
  ),
  mfa('challengeFactor', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.mfa.challengeFactor({ authenticationFactorId: 'auth_factor_none' }),
  ),
  mfa('challengeFactor', 'UnprocessableError', 'a text without the code', 'invalid_format', async (world) => {
    const { id } = await world.mfa.enrollFactor({ type: 'sms', phoneNumber: '+15005550006' });
    return world.mfa.challengeFactor({ authenticationFactorId: id, smsTemplate: 'Good morning' });
  }),
  mfa('verifyChallenge', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.mfa.verifyChallenge({ authenticationChallengeId: 'auth_challenge_none', code: '123456' }),
  ),
  mfa(
    'verifyChallenge',
    'UnprocessableError',
    'a challenge that was answered',
    'authentication_challenge_previously_verified',
    async (world) => {
      const answer = await challenged(world);
      await world.mfa.verifyChallenge(answer);
      return world.mfa.verifyChallenge(answer);
    },
  ),
  mfa(
    'verifyChallenge',
    'UnprocessableError',
    'a challenge that is too old',
    'authentication_challenge_expired',
    async (world) => {
      const answer = await challenged(world);
      await world.emulator.clock.advance('11m');
      return world.mfa.verifyChallenge(answer);
    },
  ),
  mfa('verifyChallenge', 'UnprocessableError', 'five digits', 'invalid_format', async (world) =>
    world.mfa.verifyChallenge({ ...(await challenged(world)), code: '12345' }),
  ),
  mfa(
    'verifyChallenge',
    'BadRequestError',
    'the right code after five wrong ones',
    'one_time_code_too_many_attempts',
    async (world) => {
      const answer = await challenged(world);
      const code = answer.code === '000000' ? '111111' : '000000';
      for (let count = 0; count < 5; count += 1) await world.mfa.verifyChallenge({ ...answer, code });
      return world.mfa.verifyChallenge(answer);
    },
  ),
  mfa('getFactor', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.mfa.getFactor('auth_factor_none'),
  ),
  mfa('deleteFactor', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.mfa.deleteFactor('auth_factor_none'),
  ),

  webhooks(
    'createWebhookEndpoint',
    'ConflictError',
    'an address that is taken',
    'duplicate_endpoint',
    async (world) => {
      await world.webhooks.createWebhookEndpoint(endpoint);
      return world.webhooks.createWebhookEndpoint(endpoint);
    },
  ),
  webhooks('createWebhookEndpoint', 'UnprocessableError', 'an ftp address', 'validation_error', (world) =>
    world.webhooks.createWebhookEndpoint({ ...endpoint, endpointUrl: 'ftp://app.acme.test' }),
  ),
  webhooks('createWebhookEndpoint', 'UnprocessableError', 'an invalid event type', 'validation_error', (world) =>
    // What a service may add later is not refused by the types.
    world.webhooks.createWebhookEndpoint({ ...endpoint, events: ['User created' as 'user.created'] }),
  ),
  webhooks('updateWebhookEndpoint', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.webhooks.updateWebhookEndpoint({ id: 'we_none', status: 'disabled' }),
  ),
  webhooks(
    'updateWebhookEndpoint',
    'ConflictError',
    'an address that is taken',
    'duplicate_endpoint',
    async (world) => {
      await world.webhooks.createWebhookEndpoint(endpoint);
      const other = { ...endpoint, endpointUrl: 'https://app.acme.test/others' };
      const { id } = await world.webhooks.createWebhookEndpoint(other);
      return world.webhooks.updateWebhookEndpoint({ id, endpointUrl: endpoint.endpointUrl });
    },
  ),
  webhooks('updateWebhookEndpoint', 'UnprocessableError', 'an ftp address', 'validation_error', async (world) => {
    const { id } = await world.webhooks.createWebhookEndpoint(endpoint);
    return world.webhooks.updateWebhookEndpoint({ id, endpointUrl: 'ftp://app.acme.test' });
  }),
  webhooks('deleteWebhookEndpoint', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.webhooks.deleteWebhookEndpoint({ id: 'we_none' }),
  ),
  webhooks('constructEvent', 'WebhookVerificationError', 'a wrong signature', 'webhook_verification_failed', (world) =>
    world.webhooks.constructEvent({ payload: '{}', sigHeader: 't=1, v1=00', secret: 'whsec_0123456789' }),
  ),
  webhooks('parseEvent', 'WebhookVerificationError', 'no event', 'webhook_verification_failed', (world) =>
    world.webhooks.parseEvent('{}'),
  ),

  passwordless('createSession', 'InvalidArgumentError', 'a link for a day and a second', 'invalid_argument', (world) =>
    world.passwordless.createSession({ email, type: 'MagicLink', expiresIn: 86_401 }),
  ),
  passwordless(
    'createSession',
    'UnprocessableError',
    'an unknown redirect URI',
    'redirect_uri_not_registered',
    (world) =>
      world.passwordless.createSession({ email, type: 'MagicLink', redirectURI: 'https://app.bolt.test/callback' }),
  ),
  passwordless('sendSession', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.passwordless.sendSession('passwordless_session_none'),
  ),
  passwordless('sendSession', 'BadRequestError', 'a link too old', 'passwordless_session_expired', async (world) => {
    const { id } = await world.passwordless.createSession({ email, type: 'MagicLink', expiresIn: 900 });
    await world.emulator.clock.advance('16m');
    return world.passwordless.sendSession(id);
  }),
];
