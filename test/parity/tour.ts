import { TOTP } from 'otpauth';
import type { Emulator } from '../../src/emulator/index.js';
import type { Sallyport } from '../../src/index.js';
import { auditLogStops } from './tour-audit-logs.js';
import { fgaStops } from './tour-fga.js';
import { signingInStops } from './tour-signing-in.js';

/** What a stop of the tour uses. */
export interface Visit {
  readonly sallyport: Sallyport;
  readonly emulator: Emulator;
  readonly fetch: typeof fetch;
}
/** Calls one operation by its client method, after creating the objects that it needs. */
export type Stop = (visit: Visit) => Promise<unknown>;

let count = 0;
/** Returns an unused name. */
const fresh = (name: string): string => {
  count += 1;
  return `${name}-${count}`;
};
const newUser = ({ sallyport }: Visit) =>
  sallyport.userManagement.createUser({ email: `${fresh('somebody')}@harbour.test`, externalId: fresh('person') });
const newOrganization = ({ sallyport }: Visit) =>
  sallyport.organizations.createOrganization({ name: fresh('Customer'), externalId: fresh('customer') });
const newDomain = async (visit: Visit) =>
  visit.sallyport.organizationDomains.createOrganizationDomain({
    organizationId: (await newOrganization(visit)).id,
    domain: `${fresh('domain')}.test`,
  });
const newMembership = async (visit: Visit) =>
  visit.sallyport.userManagement.createOrganizationMembership({
    userId: (await newUser(visit)).id,
    organizationId: 'org_litware',
  });
const newInvitation = ({ sallyport }: Visit) =>
  sallyport.userManagement.sendInvitation({ email: `${fresh('guest')}@harbour.test` });
const newFactor = ({ sallyport }: Visit) =>
  sallyport.mfa.enrollFactor({ type: 'totp', issuer: 'Harbour', user: 'Ada' });
const newEndpoint = ({ sallyport }: Visit) =>
  sallyport.webhooks.createWebhookEndpoint({
    endpointUrl: `http://127.0.0.1:9/${fresh('hook')}`,
    events: ['connection.saml_certificate_renewed'],
  });

/** One stop for each operation of the specification. */
export const tour: Readonly<Record<string, Stop>> = {
  'organizations.list': ({ sallyport }) => sallyport.organizations.listOrganizations().toArray({ max: 10 }),
  'organizations.get': ({ sallyport }) => sallyport.organizations.getOrganization('org_northwind'),
  'organizations.getByExternalId': ({ sallyport }) => sallyport.organizations.getOrganizationByExternalId('crm-1001'),
  'organizations.create': newOrganization,
  'organizations.update': ({ sallyport }) =>
    sallyport.organizations.updateOrganization({ organization: 'org_litware', name: 'Litware Ltd' }),
  'organizations.delete': async (visit) =>
    visit.sallyport.organizations.deleteOrganization((await newOrganization(visit)).id),
  'organizations.listRoles': ({ sallyport }) =>
    sallyport.organizations.listOrganizationRoles({ organizationId: 'org_northwind' }),
  'organizations.getAuditLogsRetention': ({ sallyport }) =>
    sallyport.organizations.getAuditLogsRetention('org_northwind'),
  'organizations.updateAuditLogsRetention': ({ sallyport }) =>
    sallyport.organizations.updateAuditLogsRetention('org_litware', { retentionPeriodInDays: 30 }),

  'organizationDomains.get': async (visit) =>
    visit.sallyport.organizationDomains.getOrganizationDomain((await newDomain(visit)).id),
  'organizationDomains.create': newDomain,
  'organizationDomains.verify': async (visit) =>
    visit.sallyport.organizationDomains.verifyOrganizationDomain((await newDomain(visit)).id),

  'users.list': ({ sallyport }) => sallyport.userManagement.listUsers().toArray({ max: 10 }),
  'users.get': ({ sallyport }) => sallyport.userManagement.getUser('user_ada'),
  'users.getByExternalId': ({ sallyport }) => sallyport.userManagement.getUserByExternalId('staff-1'),
  'users.create': newUser,
  'users.update': ({ sallyport }) => sallyport.userManagement.updateUser({ userId: 'user_bruno', locale: 'en-US' }),
  'users.delete': async (visit) => visit.sallyport.userManagement.deleteUser((await newUser(visit)).id),
  'users.listIdentities': ({ sallyport }) => sallyport.userManagement.getUserIdentities('user_dmitri'),
  'users.sendVerificationEmail': ({ sallyport }) =>
    sallyport.userManagement.sendVerificationEmail({ userId: 'user_dmitri' }),
  'users.verifyEmail': async (visit) => {
    const { id, email } = await newUser(visit);
    await visit.sallyport.userManagement.sendVerificationEmail({ userId: id });
    const code = visit.emulator.inbox.latest(email)?.code ?? '';
    return visit.sallyport.userManagement.verifyEmail({ userId: id, code });
  },
  'users.sendEmailChange': ({ sallyport }) =>
    sallyport.userManagement.sendEmailChange({ userId: 'user_bruno', newEmail: `${fresh('bruno')}@northwind.test` }),
  'users.confirmEmailChange': async (visit) => {
    const { id } = await newUser(visit);
    const newEmail = `${fresh('moved')}@harbour.test`;
    await visit.sallyport.userManagement.sendEmailChange({ userId: id, newEmail });
    const code = visit.emulator.inbox.latest(newEmail)?.code ?? '';
    return visit.sallyport.userManagement.confirmEmailChange({ userId: id, code });
  },
  'users.listAuthorizedApplications': ({ sallyport }) =>
    sallyport.userManagement.listUserAuthorizedApplications({ userId: 'user_ada' }).toArray({ max: 10 }),
  'users.deleteAuthorizedApplication': async ({ sallyport, emulator }) => {
    const application = await emulator.createConnectApplication({ name: fresh('Reports') });
    await emulator.authorizeApplication({
      userId: 'user_ada',
      applicationId: application.id,
      grantedScopes: ['openid'],
    });
    const [authorized] = await sallyport.userManagement
      .listUserAuthorizedApplications({ userId: 'user_ada' })
      .toArray({ max: 1 });
    return sallyport.userManagement.deleteUserAuthorizedApplication({
      userId: 'user_ada',
      applicationId: authorized?.application.id ?? 'none',
    });
  },
  'users.listAuthFactors': ({ sallyport }) =>
    sallyport.userManagement.listAuthFactors({ userId: 'user_ada' }).toArray({ max: 10 }),
  'users.enrollAuthFactor': ({ sallyport }) =>
    sallyport.userManagement.enrollAuthFactor({ userId: 'user_ada', type: 'totp' }),

  'userManagement.sendMagicAuth': ({ sallyport }) =>
    sallyport.userManagement.sendMagicAuthCode({ email: 'ada@northwind.test' }),
  'userManagement.sendPasswordReset': ({ sallyport }) =>
    sallyport.userManagement.sendPasswordResetEmail({
      email: 'ada@northwind.test',
      passwordResetUrl: 'https://app.harbour.test/reset',
    }),
  'userManagement.confirmPasswordReset': async ({ sallyport, emulator }) => {
    await sallyport.userManagement.sendPasswordResetEmail({
      email: 'chiara@tailspin.test',
      passwordResetUrl: 'https://app.harbour.test/reset',
    });
    const token = emulator.inbox.latest('chiara@tailspin.test')?.token ?? '';
    return sallyport.userManagement.resetPassword({ token, newPassword: 'eight wooden aeroplanes' });
  },

  'organizationMemberships.get': async (visit) =>
    visit.sallyport.userManagement.getOrganizationMembership((await newMembership(visit)).id),
  'organizationMemberships.list': ({ sallyport }) =>
    sallyport.userManagement.listOrganizationMemberships({ userId: 'user_ada' }).toArray({ max: 10 }),
  'organizationMemberships.create': newMembership,
  'organizationMemberships.update': async (visit) =>
    visit.sallyport.userManagement.updateOrganizationMembership((await newMembership(visit)).id, {
      roleSlug: 'analyst',
    }),
  'organizationMemberships.delete': async (visit) =>
    visit.sallyport.userManagement.deleteOrganizationMembership((await newMembership(visit)).id),

  'invitations.get': async (visit) => visit.sallyport.userManagement.getInvitation((await newInvitation(visit)).id),
  'invitations.list': ({ sallyport }) => sallyport.userManagement.listInvitations().toArray({ max: 10 }),
  'invitations.send': newInvitation,
  'invitations.revoke': async (visit) =>
    visit.sallyport.userManagement.revokeInvitation((await newInvitation(visit)).id),

  'mfa.enrollFactor': newFactor,
  'mfa.challengeFactor': async (visit) =>
    visit.sallyport.mfa.challengeFactor({ authenticationFactorId: (await newFactor(visit)).id }),
  'mfa.verifyChallenge': async (visit) => {
    const factor = await newFactor(visit);
    const challenge = await visit.sallyport.mfa.challengeFactor({ authenticationFactorId: factor.id });
    const app = new TOTP({ secret: factor.totp?.secret ?? '' });
    const code = app.generate({ timestamp: visit.emulator.clock.now() });
    const { valid } = await visit.sallyport.mfa.verifyChallenge({ authenticationChallengeId: challenge.id, code });
    if (!valid) throw new Error('the right code is not valid');
  },
  'mfa.getFactor': async (visit) => visit.sallyport.mfa.getFactor((await newFactor(visit)).id),
  'mfa.deleteFactor': async (visit) => visit.sallyport.mfa.deleteFactor((await newFactor(visit)).id),

  'sso.listConnections': ({ sallyport }) => sallyport.sso.listConnections().toArray({ max: 10 }),
  'sso.getConnection': ({ sallyport }) => sallyport.sso.getConnection('conn_northwind'),
  'sso.deleteConnection': ({ sallyport }) => sallyport.sso.deleteConnection('conn_northwind'),

  'directorySync.listDirectories': ({ sallyport }) => sallyport.directorySync.listDirectories().toArray({ max: 10 }),
  'directorySync.getDirectory': ({ sallyport }) => sallyport.directorySync.getDirectory('directory_northwind'),
  'directorySync.deleteDirectory': async ({ sallyport, emulator }) => {
    const { id } = await emulator.createDirectory({
      organizationId: 'org_litware',
      name: 'Litware',
      type: 'gsuite directory',
    });
    return sallyport.directorySync.deleteDirectory(id);
  },
  'directorySync.listUsers': ({ sallyport }) =>
    sallyport.directorySync.listUsers({ directory: 'directory_northwind' }).toArray({ max: 10 }),
  'directorySync.getUser': ({ sallyport }) => sallyport.directorySync.getUser('directory_user_ada'),
  'directorySync.listGroups': ({ sallyport }) =>
    sallyport.directorySync.listGroups({ directory: 'directory_northwind' }).toArray({ max: 10 }),
  'directorySync.getGroup': ({ sallyport }) => sallyport.directorySync.getGroup('directory_group_docks'),
  'legacy.scim.listUsers': ({ sallyport }) =>
    sallyport.legacy.scim.listUsers('directory_northwind').toArray({ max: 10 }),
  'legacy.scim.listGroups': ({ sallyport }) =>
    sallyport.legacy.scim.listGroups('directory_northwind').toArray({ max: 10 }),
  'legacy.scim.getUser': async ({ sallyport }) => {
    const [user] = await sallyport.legacy.scim.listUsers('directory_northwind').toArray({ max: 1 });
    return sallyport.legacy.scim.getUser('directory_northwind', user?.id ?? 'none');
  },
  'legacy.scim.listUserGroups': async ({ sallyport }) => {
    const [user] = await sallyport.legacy.scim.listUsers('directory_northwind').toArray({ max: 1 });
    return sallyport.legacy.scim.listUserGroups('directory_northwind', user?.id ?? 'none');
  },

  'events.list': ({ sallyport }) => sallyport.events.listEvents().toArray({ max: 10 }),
  'webhooks.listEndpoints': ({ sallyport }) => sallyport.webhooks.listWebhookEndpoints().toArray({ max: 10 }),
  'webhooks.createEndpoint': newEndpoint,
  'webhooks.updateEndpoint': async (visit) =>
    visit.sallyport.webhooks.updateWebhookEndpoint({ id: (await newEndpoint(visit)).id, status: 'disabled' }),
  'webhooks.deleteEndpoint': async (visit) =>
    visit.sallyport.webhooks.deleteWebhookEndpoint({ id: (await newEndpoint(visit)).id }),

  'portal.generateLink': ({ sallyport }) =>
    sallyport.portal.generateLink({ organization: 'org_northwind', intent: 'sso' }),
  'passwordless.createSession': ({ sallyport }) =>
    sallyport.passwordless.createSession({ email: 'ada@northwind.test', type: 'MagicLink' }),
  'passwordless.sendSession': async ({ sallyport }) => {
    const { id } = await sallyport.passwordless.createSession({ email: 'ada@northwind.test', type: 'MagicLink' });
    return sallyport.passwordless.sendSession(id);
  },
  ...signingInStops,
  ...auditLogStops,
  ...fgaStops,
};
