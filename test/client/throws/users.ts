import { email, not, password, rowsOf } from './world.js';

const users = rowsOf('userManagement');

export const userRows = [
  users('getUser', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.getUser('user_none'),
  ),
  users('getUserByExternalId', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.getUserByExternalId('none'),
  ),
  users('createUser', 'InvalidArgumentError', 'a password and a hash', 'invalid_argument', (world) =>
    world.userManagement.createUser({ email, password, passwordHash: '{SSHA}x', passwordHashType: 'ssha' }),
  ),
  users('createUser', 'BadRequestError', 'an address that is taken', 'email_not_available', async (world) => {
    await world.user();
    return world.userManagement.createUser({ email });
  }),
  users('createUser', 'BadRequestError', 'a weak password', 'password_strength_error', (world) =>
    world.userManagement.createUser({ email, password: '123' }),
  ),
  users('createUser', 'BadRequestError', 'an external id that is taken', 'external_id_already_used', async (world) => {
    await world.user({ externalId: '7' });
    return world.userManagement.createUser({ email: 'eve@acme.test', externalId: '7' });
  }),
  users('createUser', 'UnprocessableError', 'an invalid address', 'validation_error', (world) =>
    world.userManagement.createUser({ email: 'ada at acme' }),
  ),
  users('createUser', 'UnprocessableError', 'a hash without its type', 'validation_error', (world) =>
    world.userManagement.createUser({ email, passwordHash: '{SSHA}x' }),
  ),
  users('updateUser', 'InvalidArgumentError', 'a password and a hash', 'invalid_argument', (world) =>
    world.userManagement.updateUser({ userId: 'user_none', password, passwordHash: 'x' }),
  ),
  users('updateUser', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.updateUser({ userId: 'user_none', firstName: 'Ada' }),
  ),
  users('updateUser', 'BadRequestError', 'a weak password', 'password_strength_error', async (world) => {
    const { id: userId } = await world.user();
    return world.userManagement.updateUser({ userId, password: '123' });
  }),
  users('updateUser', 'BadRequestError', 'an external id that is taken', 'external_id_already_used', async (world) => {
    const { id: userId } = await world.user();
    await world.userManagement.createUser({ email: 'eve@acme.test', externalId: '7' });
    return world.userManagement.updateUser({ userId, externalId: '7' });
  }),
  users('updateUser', 'UnprocessableError', 'a hash without its type', 'validation_error', async (world) => {
    const { id: userId } = await world.user();
    return world.userManagement.updateUser({ userId, passwordHash: '{SSHA}x' });
  }),
  users('deleteUser', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.deleteUser('user_none'),
  ),
  users('getUserIdentities', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.getUserIdentities('user_none'),
  ),
  users('sendVerificationEmail', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.sendVerificationEmail({ userId: 'user_none' }),
  ),
  users('sendVerificationEmail', 'BadRequestError', 'a verified address', 'email_already_verified', async (world) => {
    const { id: userId } = await world.user();
    return world.userManagement.sendVerificationEmail({ userId });
  }),
  users('verifyEmail', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.verifyEmail({ userId: 'user_none', code: '123456' }),
  ),
  users('verifyEmail', 'BadRequestError', 'a wrong code', 'invalid_one_time_code', async (world) => {
    const { id: userId } = await world.user({ emailVerified: false });
    await world.userManagement.sendVerificationEmail({ userId });
    return world.userManagement.verifyEmail({ userId, code: not(world.mailed()) });
  }),
  users('verifyEmail', 'BadRequestError', 'a code that is too old', 'one_time_code_expired', async (world) => {
    const { id: userId } = await world.user({ emailVerified: false });
    await world.userManagement.sendVerificationEmail({ userId });
    await world.emulator.clock.advance('11m');
    return world.userManagement.verifyEmail({ userId, code: world.mailed() });
  }),
  users(
    'verifyEmail',
    'BadRequestError',
    'the right code after five wrong ones',
    'one_time_code_too_many_attempts',
    async (world) => {
      const { id: userId } = await world.user({ emailVerified: false });
      await world.userManagement.sendVerificationEmail({ userId });
      const code = world.mailed();
      for (let count = 0; count < 5; count += 1)
        await world.userManagement.verifyEmail({ userId, code: not(code) }).then(undefined, () => undefined);
      return world.userManagement.verifyEmail({ userId, code });
    },
  ),
  users('sendEmailChange', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.sendEmailChange({ userId: 'user_none', newEmail: 'ada@bolt.test' }),
  ),
  users('sendEmailChange', 'ConflictError', 'an address that is taken', 'email_not_available', async (world) => {
    const { id: userId } = await world.user();
    await world.user({ email: 'eve@acme.test' });
    return world.userManagement.sendEmailChange({ userId, newEmail: 'eve@acme.test' });
  }),
  users('sendEmailChange', 'UnprocessableError', 'the present address', 'email_unchanged', async (world) => {
    const { id: userId } = await world.user();
    return world.userManagement.sendEmailChange({ userId, newEmail: email });
  }),
  users('confirmEmailChange', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.confirmEmailChange({ userId: 'user_none', code: '123456' }),
  ),
  users('confirmEmailChange', 'BadRequestError', 'a wrong code', 'invalid_one_time_code', async (world) => {
    const { id: userId } = await world.user();
    await world.userManagement.sendEmailChange({ userId, newEmail: 'ada@bolt.test' });
    return world.userManagement.confirmEmailChange({ userId, code: not(world.mailed('ada@bolt.test')) });
  }),
  users('confirmEmailChange', 'ConflictError', 'an address taken meanwhile', 'email_not_available', async (world) => {
    const { id: userId } = await world.user();
    await world.userManagement.sendEmailChange({ userId, newEmail: 'ada@bolt.test' });
    await world.user({ email: 'ada@bolt.test' });
    return world.userManagement.confirmEmailChange({ userId, code: world.mailed('ada@bolt.test') });
  }),
  users('listUserAuthorizedApplications', 'NotFoundError', 'an unknown user', 'entity_not_found', (world) =>
    world.userManagement.listUserAuthorizedApplications({ userId: 'user_none' }),
  ),
  users('deleteUserAuthorizedApplication', 'NotFoundError', 'an unknown user', 'entity_not_found', (world) =>
    world.userManagement.deleteUserAuthorizedApplication({ userId: 'user_none', applicationId: 'conn_app_none' }),
  ),
  users(
    'deleteUserAuthorizedApplication',
    'NotFoundError',
    'an application without access',
    'entity_not_found',
    async (world) => {
      const { id: userId } = await world.user();
      const { id: applicationId } = await world.emulator.createConnectApplication({ name: 'Reports' });
      return world.userManagement.deleteUserAuthorizedApplication({ userId, applicationId });
    },
  ),
  users('listAuthFactors', 'NotFoundError', 'an unknown user', 'entity_not_found', (world) =>
    world.userManagement.listAuthFactors({ userId: 'user_none' }),
  ),
  users('enrollAuthFactor', 'NotFoundError', 'an unknown user', 'entity_not_found', (world) =>
    world.userManagement.enrollAuthFactor({ userId: 'user_none', type: 'totp' }),
  ),
  users('enrollAuthFactor', 'UnprocessableError', 'a blank issuer', 'validation_error', async (world) => {
    const { id: userId } = await world.user();
    return world.userManagement.enrollAuthFactor({ userId, type: 'totp', totpIssuer: ' ' });
  }),

  users('getOrganizationMembership', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.getOrganizationMembership('om_none'),
  ),
  users(
    'listOrganizationMemberships',
    'BadRequestError',
    'no filter, where the service asks for one',
    'missing_user_id_or_organization_id',
    (world) => world.userManagement.listOrganizationMemberships(),
    { dialect: 'workos' },
  ),
  users('createOrganizationMembership', 'NotFoundError', 'an unknown user', 'entity_not_found', async (world) => {
    const { id: organizationId } = await world.owner();
    return world.userManagement.createOrganizationMembership({ userId: 'user_none', organizationId });
  }),
  users(
    'createOrganizationMembership',
    'NotFoundError',
    'an unknown organization',
    'entity_not_found',
    async (world) => {
      const { id: userId } = await world.user();
      return world.userManagement.createOrganizationMembership({ userId, organizationId: 'org_none' });
    },
  ),
  users(
    'createOrganizationMembership',
    'BadRequestError',
    'a user who is already a member',
    'user_already_organization_member',
    async (world) => {
      const [{ id: userId }, { id: organizationId }] = [await world.user(), await world.owner()];
      await world.userManagement.createOrganizationMembership({ userId, organizationId });
      return world.userManagement.createOrganizationMembership({ userId, organizationId });
    },
  ),
  users('createOrganizationMembership', 'UnprocessableError', 'an unknown role', 'role_not_found', async (world) => {
    const [{ id: userId }, { id: organizationId }] = [await world.user(), await world.owner()];
    return world.userManagement.createOrganizationMembership({ userId, organizationId, roleSlug: 'pilot' });
  }),
  users('updateOrganizationMembership', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.updateOrganizationMembership('om_none', { roleSlug: 'admin' }),
  ),
  users('updateOrganizationMembership', 'UnprocessableError', 'an unknown role', 'role_not_found', async (world) => {
    const [{ id: userId }, { id: organizationId }] = [await world.user(), await world.owner()];
    const { id } = await world.userManagement.createOrganizationMembership({ userId, organizationId });
    return world.userManagement.updateOrganizationMembership(id, { roleSlug: 'pilot' });
  }),
  users('deleteOrganizationMembership', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.deleteOrganizationMembership('om_none'),
  ),

  users('getInvitation', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.getInvitation('invitation_none'),
  ),
  users('sendInvitation', 'InvalidArgumentError', '31 days', 'invalid_argument', (world) =>
    world.userManagement.sendInvitation({ email, expiresInDays: 31 }),
  ),
  users(
    'sendInvitation',
    'BadRequestError',
    'an address that is already invited',
    'email_already_invited',
    async (world) => {
      await world.userManagement.sendInvitation({ email });
      return world.userManagement.sendInvitation({ email });
    },
  ),
  users(
    'sendInvitation',
    'BadRequestError',
    'a user who is already a member',
    'user_already_organization_member',
    async (world) => {
      const [{ id: userId }, { id: organizationId }] = [await world.user(), await world.owner()];
      await world.userManagement.createOrganizationMembership({ userId, organizationId });
      return world.userManagement.sendInvitation({ email, organizationId });
    },
  ),
  users('sendInvitation', 'NotFoundError', 'an unknown organization', 'entity_not_found', (world) =>
    world.userManagement.sendInvitation({ email, organizationId: 'org_none' }),
  ),
  users('sendInvitation', 'NotFoundError', 'an unknown inviter', 'entity_not_found', (world) =>
    world.userManagement.sendInvitation({ email, inviterUserId: 'user_none' }),
  ),
  users('sendInvitation', 'UnprocessableError', 'an unknown role', 'role_not_found', async (world) => {
    const { id: organizationId } = await world.owner();
    return world.userManagement.sendInvitation({ email, organizationId, roleSlug: 'pilot' });
  }),
  users('revokeInvitation', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.revokeInvitation('invitation_none'),
  ),
  users('revokeInvitation', 'BadRequestError', 'a revoked one', 'invite_not_pending', async (world) => {
    const { id } = await world.userManagement.sendInvitation({ email });
    await world.userManagement.revokeInvitation(id);
    return world.userManagement.revokeInvitation(id);
  }),
  users('findInvitationByToken', 'NotFoundError', 'an unknown token', 'entity_not_found', (world) =>
    world.userManagement.findInvitationByToken('none'),
  ),
  users('acceptInvitation', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.acceptInvitation('invitation_none'),
  ),
  users('acceptInvitation', 'BadRequestError', 'a revoked one', 'invite_not_pending', async (world) => {
    const { id } = await world.userManagement.sendInvitation({ email });
    await world.userManagement.revokeInvitation(id);
    return world.userManagement.acceptInvitation(id);
  }),

  users('listSessions', 'NotFoundError', 'an unknown user', 'entity_not_found', (world) =>
    world.userManagement.listSessions('user_none'),
  ),
  users('revokeSession', 'NotFoundError', 'an unknown id', 'entity_not_found', (world) =>
    world.userManagement.revokeSession({ sessionId: 'session_none' }),
  ),
];
