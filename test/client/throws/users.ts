import { company } from '../../stage.js';
import { bruno, type Provocations, rowsOf } from './world.js';

const userId = 'user_bruno';
const newEmail = 'bruno@harbour.test';

/** Calls with an unknown id. */
const unknown: Provocations = {
  'getUser NotFoundError entity_not_found': (world) => world.userManagement.getUser('user_none'),
  'getUserByExternalId NotFoundError entity_not_found': (world) => world.userManagement.getUserByExternalId('none'),
  'updateUser NotFoundError entity_not_found': (world) =>
    world.userManagement.updateUser({ userId: 'user_none', firstName: 'Ada' }),
  'deleteUser NotFoundError entity_not_found': (world) => world.userManagement.deleteUser('user_none'),
  'getUserIdentities NotFoundError entity_not_found': (world) => world.userManagement.getUserIdentities('user_none'),
  'sendVerificationEmail NotFoundError entity_not_found': (world) =>
    world.userManagement.sendVerificationEmail({ userId: 'user_none' }),
  'verifyEmail NotFoundError entity_not_found': (world) =>
    world.userManagement.verifyEmail({ userId: 'user_none', code: '123456' }),
  'sendEmailChange NotFoundError entity_not_found': (world) =>
    world.userManagement.sendEmailChange({ userId: 'user_none', newEmail }),
  'confirmEmailChange NotFoundError entity_not_found': (world) =>
    world.userManagement.confirmEmailChange({ userId: 'user_none', code: '123456' }),
  'listUserAuthorizedApplications NotFoundError entity_not_found': (world) =>
    world.userManagement.listUserAuthorizedApplications({ userId: 'user_none' }),
  'deleteUserAuthorizedApplication NotFoundError entity_not_found': (world) =>
    world.userManagement.deleteUserAuthorizedApplication({ userId: 'user_none', applicationId: 'conn_app_none' }),
  'listAuthFactors NotFoundError entity_not_found': (world) =>
    world.userManagement.listAuthFactors({ userId: 'user_none' }),
  'enrollAuthFactor NotFoundError entity_not_found': (world) =>
    world.userManagement.enrollAuthFactor({ userId: 'user_none', type: 'totp' }),
  'getOrganizationMembership NotFoundError entity_not_found': (world) =>
    world.userManagement.getOrganizationMembership('om_none'),
  'updateOrganizationMembership NotFoundError entity_not_found': (world) =>
    world.userManagement.updateOrganizationMembership('om_none', { roleSlug: 'admin' }),
  'deleteOrganizationMembership NotFoundError entity_not_found': (world) =>
    world.userManagement.deleteOrganizationMembership('om_none'),
  'getInvitation NotFoundError entity_not_found': (world) => world.userManagement.getInvitation('invitation_none'),
  'sendInvitation NotFoundError entity_not_found': (world) =>
    world.userManagement.sendInvitation({ email: newEmail, organizationId: 'org_none' }),
  'revokeInvitation NotFoundError entity_not_found': (world) =>
    world.userManagement.revokeInvitation('invitation_none'),
  'findInvitationByToken NotFoundError entity_not_found': (world) => world.userManagement.findInvitationByToken('none'),
  'acceptInvitation NotFoundError entity_not_found': (world) =>
    world.userManagement.acceptInvitation('invitation_none'),
  'listSessions NotFoundError entity_not_found': (world) => world.userManagement.listSessions('user_none'),
  'revokeSession NotFoundError entity_not_found': (world) =>
    world.userManagement.revokeSession({ sessionId: 'session_none' }),
};

/** Invalid arguments, which need no records. */
const wrong: Provocations = {
  'createUser InvalidArgumentError invalid_argument': (world) =>
    world.userManagement.createUser({ ...bruno, passwordHash: '{SSHA}x', passwordHashType: 'ssha' }),
  'createUser BadRequestError password_strength_error': (world) =>
    world.userManagement.createUser({ ...bruno, password: '123' }),
  'createUser UnprocessableError validation_error': (world) =>
    world.userManagement.createUser({ email: newEmail, passwordHash: '{SSHA}x' }),
  'updateUser InvalidArgumentError invalid_argument': (world) =>
    world.userManagement.updateUser({ userId, password: 'a lantern on the mole', passwordHash: 'x' }),
  'sendInvitation InvalidArgumentError invalid_argument': (world) =>
    world.userManagement.sendInvitation({ email: newEmail, expiresInDays: 31 }),
};

/** Refusals that need the company. */
const refused: Provocations = {
  'createUser BadRequestError external_id_already_used': (world) =>
    world.userManagement.createUser({ email: newEmail, externalId: 'staff-1' }),
  'updateUser BadRequestError password_strength_error': (world) =>
    world.userManagement.updateUser({ userId, password: '123' }),
  'updateUser BadRequestError external_id_already_used': (world) =>
    world.userManagement.updateUser({ userId, externalId: 'staff-1' }),
  'updateUser UnprocessableError validation_error': (world) =>
    world.userManagement.updateUser({ userId, passwordHash: '{SSHA}x' }),
  'sendVerificationEmail BadRequestError email_already_verified': (world) =>
    world.userManagement.sendVerificationEmail({ userId }),
  'verifyEmail BadRequestError invalid_one_time_code': async (world) => {
    await world.userManagement.sendVerificationEmail({ userId: 'user_dmitri' });
    return world.userManagement.verifyEmail({ userId: 'user_dmitri', code: '000000' });
  },
  'sendEmailChange ConflictError email_not_available': (world) =>
    world.userManagement.sendEmailChange({ userId, newEmail: 'ada@northwind.test' }),
  'sendEmailChange UnprocessableError email_unchanged': (world) =>
    world.userManagement.sendEmailChange({ userId, newEmail: bruno.email }),
  'confirmEmailChange BadRequestError invalid_one_time_code': async (world) => {
    await world.userManagement.sendEmailChange({ userId, newEmail });
    return world.userManagement.confirmEmailChange({ userId, code: '000000' });
  },
  'confirmEmailChange ConflictError email_not_available': async (world) => {
    await world.userManagement.sendEmailChange({ userId, newEmail });
    await world.userManagement.createUser({ email: newEmail });
    return world.userManagement.confirmEmailChange({ userId, code: world.mailed(newEmail) });
  },
  'enrollAuthFactor UnprocessableError validation_error': (world) =>
    world.userManagement.enrollAuthFactor({ userId, type: 'totp', totpIssuer: ' ' }),

  'createOrganizationMembership NotFoundError entity_not_found': (world) =>
    world.userManagement.createOrganizationMembership({ userId, organizationId: 'org_none' }),
  'createOrganizationMembership BadRequestError user_already_organization_member': (world) =>
    world.userManagement.createOrganizationMembership({ userId, organizationId: 'org_northwind' }),
  'createOrganizationMembership UnprocessableError role_not_found': (world) =>
    world.userManagement.createOrganizationMembership({ userId, organizationId: 'org_litware', roleSlug: 'pilot' }),
  'updateOrganizationMembership UnprocessableError role_not_found': async (world) => {
    const [membership] = (await world.userManagement.listOrganizationMemberships({ userId })).data;
    return world.userManagement.updateOrganizationMembership(membership?.id ?? '', { roleSlug: 'pilot' });
  },

  'sendInvitation BadRequestError user_already_organization_member': (world) =>
    world.userManagement.sendInvitation({ email: bruno.email, organizationId: 'org_northwind' }),
  'sendInvitation UnprocessableError role_not_found': (world) =>
    world.userManagement.sendInvitation({ email: newEmail, organizationId: 'org_litware', roleSlug: 'pilot' }),
  'revokeInvitation BadRequestError invite_not_pending': async (world) => {
    const { id } = await world.userManagement.sendInvitation({ email: newEmail });
    await world.userManagement.revokeInvitation(id);
    return world.userManagement.revokeInvitation(id);
  },
  'acceptInvitation BadRequestError invite_not_pending': async (world) => {
    const { id } = await world.userManagement.sendInvitation({ email: newEmail });
    await world.userManagement.revokeInvitation(id);
    return world.userManagement.acceptInvitation(id);
  },
};

export const userRows = [
  ...rowsOf('userManagement', { ...unknown, ...wrong }),
  ...rowsOf('userManagement', refused, { seed: company }),
  ...rowsOf(
    'userManagement',
    {
      'listOrganizationMemberships BadRequestError missing_user_id_or_organization_id': (world) =>
        world.userManagement.listOrganizationMemberships(),
    },
    { dialect: 'workos' },
  ),
];
