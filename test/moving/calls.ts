/**
 * Typical calls of an application, written for @workos-inc/node 11. Only the import differs: test/outsiders/moving.test.ts replaces
 * it and compiles the file with that package. exceptions.ts has the calls that need more than another import.
 */
import { Sallyport as WorkOS } from 'sallyport';

/** The needs of the calls besides the client. */
export interface Surroundings {
  /** Opens a URL in a browser, and returns the query of the last page. */
  readonly follow: (address: string) => Promise<Readonly<Record<string, string | undefined>>>;
  /** Returns the code in the latest email to an address. */
  readonly codeFor: (email: string) => string;
  /** A webhook as received. */
  readonly delivery: { readonly payload: string; readonly sigHeader: string; readonly secret: string };
}

const redirectUri = 'http://localhost:3000/callback';
const cookiePassword = 'a password of more than 32 characters';
const sealed = { sealSession: true as const, cookiePassword };
const bruno = { email: 'bruno@northwind.test', password: 'a quiet harbour at dawn' };

const statusOf = (error: unknown): unknown => error instanceof Error && 'status' in error && error.status;

/** The calls, in order: later ones use objects from earlier ones. */
export function callsOf({ follow, codeFor, delivery }: Surroundings) {
  const workos = new WorkOS();
  const { auditLogs, directorySync, events, organizationDomains, organizations } = workos;
  const { passwordless, sso, userManagement, webhooks } = workos;
  const clientId = process.env.WORKOS_CLIENT_ID ?? '';
  const ids = { organization: '', domain: '', user: '', membership: '', invitation: '', factor: '', endpoint: '' };
  const saved = { after: '', session: '', refreshToken: '', code: '', token: '', link: '' };

  return {
    'organizations.createOrganization': async () => {
      const { id, name, metadata } = await organizations.createOrganization({
        name: 'Contoso',
        externalId: 'crm-7',
        metadata: { plan: 'team' },
      });
      ids.organization = id;
      return [name, metadata];
    },
    'organizations.createOrganization with an idempotency key': async () => {
      const create = () => organizations.createOrganization({ name: 'Once' }, { idempotencyKey: 'create-once' });
      const [first, second] = [await create(), await create()];
      return first.id === second.id;
    },
    'organizations.getOrganization': async () => (await organizations.getOrganization(ids.organization)).name,
    'organizations.getOrganizationByExternalId': async () =>
      (await organizations.getOrganizationByExternalId('crm-7')).name,
    'organizations.updateOrganization': async () => {
      const { name, metadata } = await organizations.updateOrganization({
        organization: ids.organization,
        name: 'Contoso AG',
        metadata: { region: 'eu' },
      });
      return [name, metadata];
    },
    'organizations.listOrganizations': async () => {
      const { data, listMetadata } = await organizations.listOrganizations({ limit: 2, order: 'asc' });
      saved.after = listMetadata.after ?? '';
      return data.map(({ name }) => name);
    },
    'organizations.listOrganizations after a cursor': async () => {
      const { data } = await organizations.listOrganizations({ limit: 2, order: 'asc', after: saved.after });
      return data.map(({ name }) => name);
    },
    'organizations.listOrganizations by domain': async () =>
      (await organizations.listOrganizations({ domains: ['northwind.test'] })).data.length,
    'organizationDomains.createOrganizationDomain': async () => {
      const { id, domain, state } = await organizationDomains.createOrganizationDomain({
        organizationId: ids.organization,
        domain: 'contoso-air.test',
      });
      ids.domain = id;
      return [domain, state];
    },
    'organizationDomains.getOrganizationDomain': async () =>
      (await organizationDomains.getOrganizationDomain(ids.domain)).domain,
    'organizationDomains.verifyOrganizationDomain': async () =>
      (await organizationDomains.verifyOrganizationDomain(ids.domain)).state,
    'organizationDomains.deleteOrganizationDomain': () => organizationDomains.deleteOrganizationDomain(ids.domain),

    'userManagement.createUser': async () => {
      const { id, email, firstName, lastName, emailVerified, metadata } = await userManagement.createUser({
        email: 'nell@example.test',
        password: 'a long enough password',
        firstName: 'Nell',
        externalId: 'staff-9',
        metadata: { desk: '4' },
      });
      ids.user = id;
      return [email, firstName, lastName, emailVerified, metadata];
    },
    'userManagement.getUser': async () => (await userManagement.getUser(ids.user)).email,
    'userManagement.getUserByExternalId': async () => (await userManagement.getUserByExternalId('staff-9')).email,
    'userManagement.updateUser': async () => {
      const { lastName, locale } = await userManagement.updateUser({
        userId: ids.user,
        lastName: 'Otis',
        locale: 'de-DE',
      });
      return [lastName, locale];
    },
    'userManagement.listUsers by email': async () =>
      (await userManagement.listUsers({ email: 'nell@example.test' })).data.map(({ lastName }) => lastName),
    'userManagement.listUsers before a cursor': async () => {
      const first = await userManagement.listUsers({ organizationId: 'org_northwind', limit: 1, order: 'desc' });
      const { after } = first.listMetadata;
      const second = await userManagement.listUsers({
        organizationId: 'org_northwind',
        limit: 1,
        order: 'desc',
        after,
      });
      const { before } = second.listMetadata;
      const again = await userManagement.listUsers({
        organizationId: 'org_northwind',
        limit: 1,
        order: 'desc',
        before,
      });
      return [first, second, again].map(({ data }) => data.map(({ email }) => email));
    },
    'userManagement.getUserIdentities': async () => userManagement.getUserIdentities('user_dmitri'),
    'userManagement.sendVerificationEmail': async () =>
      (await userManagement.sendVerificationEmail({ userId: ids.user })).user.emailVerified,
    'userManagement.verifyEmail': async () => {
      const code = codeFor('nell@example.test');
      return (await userManagement.verifyEmail({ code, userId: ids.user })).user.emailVerified;
    },

    'userManagement.createOrganizationMembership': async () => {
      const { id, role, status } = await userManagement.createOrganizationMembership({
        organizationId: ids.organization,
        userId: ids.user,
        roleSlug: 'member',
      });
      ids.membership = id;
      return [role, status];
    },
    'userManagement.getOrganizationMembership': async () =>
      (await userManagement.getOrganizationMembership(ids.membership)).organizationName,
    'userManagement.updateOrganizationMembership': async () =>
      (await userManagement.updateOrganizationMembership(ids.membership, { roleSlug: 'admin' })).role,
    'userManagement.listOrganizationMemberships': async () => {
      const { data } = await userManagement.listOrganizationMemberships({ userId: 'user_ada', limit: 10 });
      return data.map(({ organizationName }) => organizationName).sort();
    },
    'userManagement.deleteOrganizationMembership': () => userManagement.deleteOrganizationMembership(ids.membership),

    'userManagement.sendInvitation': async () => {
      const { id, token, state } = await userManagement.sendInvitation({
        email: 'hal@example.test',
        organizationId: 'org_litware',
        expiresInDays: 3,
        inviterUserId: 'user_dmitri',
        roleSlug: 'member',
      });
      Object.assign(ids, { invitation: id });
      saved.token = token;
      return state;
    },
    'userManagement.getInvitation': async () => (await userManagement.getInvitation(ids.invitation)).email,
    'userManagement.findInvitationByToken': async () => (await userManagement.findInvitationByToken(saved.token)).email,
    'userManagement.listInvitations': async () =>
      (await userManagement.listInvitations({ organizationId: 'org_litware' })).data.map(({ email }) => email),
    'userManagement.revokeInvitation': async () => (await userManagement.revokeInvitation(ids.invitation)).state,

    'userManagement.getAuthorizationUrl': async () => {
      const address = userManagement.getAuthorizationUrl({
        provider: 'authkit',
        clientId,
        redirectUri,
        state: 's1',
        loginHint: 'bruno@northwind.test',
        screenHint: 'sign-in',
      });
      const { code = '', state } = await follow(address);
      saved.code = code;
      return state;
    },
    'userManagement.authenticateWithCode': async () => {
      const { user, organizationId, oauthTokens } = await userManagement.authenticateWithCode({
        clientId,
        code: saved.code,
        ipAddress: '203.0.113.7',
        userAgent: 'a browser',
      });
      return [user.id, organizationId, oauthTokens?.expiresAt];
    },
    'userManagement.getAuthorizationUrlWithPKCE': async () => {
      const { url, state, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
        provider: 'authkit',
        clientId,
        redirectUri,
        loginHint: 'bruno@northwind.test',
      });
      const answer = await follow(url);
      const { user } = await userManagement.authenticateWithCode({ clientId, code: answer.code ?? '', codeVerifier });
      return [answer.state === state, user.id];
    },
    'userManagement.authenticateWithPassword, sealed': async () => {
      const { user, sealedSession, refreshToken } = await userManagement.authenticateWithPassword({
        clientId,
        ...bruno,
        ipAddress: '203.0.113.7',
        userAgent: 'a browser',
        session: sealed,
      });
      saved.session = sealedSession ?? '';
      saved.refreshToken = refreshToken;
      return user.firstName;
    },
    'userManagement.loadSealedSession, authenticate': async () => {
      const session = userManagement.loadSealedSession({ sessionData: saved.session, cookiePassword });
      const result = await session.authenticate();
      if (!result.authenticated) return result.reason;
      return [result.user.id, result.organizationId, result.role, result.permissions, typeof result.sessionId];
    },
    'userManagement.loadSealedSession, without a cookie': async () => {
      const result = await userManagement.loadSealedSession({ sessionData: '', cookiePassword }).authenticate();
      return result.authenticated ? 'authenticated' : result.reason;
    },
    'userManagement.loadSealedSession, not sealed': async () => {
      const result = await userManagement.loadSealedSession({ sessionData: 'x', cookiePassword }).authenticate();
      return result.authenticated ? 'authenticated' : result.reason;
    },
    'userManagement.loadSealedSession, refresh': async () => {
      const session = userManagement.loadSealedSession({ sessionData: saved.session, cookiePassword });
      const result = await session.refresh({ cookiePassword });
      if (!result.authenticated) return result.reason;
      saved.session = result.sealedSession ?? '';
      return result.user?.id;
    },
    'userManagement.loadSealedSession, getLogoutUrl': async () => {
      const session = userManagement.loadSealedSession({ sessionData: saved.session, cookiePassword });
      return new URL(await session.getLogoutUrl()).pathname;
    },
    'userManagement.authenticateWithRefreshToken': async () => {
      const signedIn = await userManagement.authenticateWithPassword({ clientId, ...bruno });
      const { refreshToken } = signedIn;
      const { accessToken } = await userManagement.authenticateWithRefreshToken({ clientId, refreshToken });
      return typeof accessToken;
    },
    'userManagement.authenticateWithPassword, wrong': async () => {
      const wrong = { clientId, email: 'bruno@northwind.test', password: 'wrong' };
      return userManagement.authenticateWithPassword(wrong).catch(statusOf);
    },
    'userManagement.createMagicAuth': async () => {
      const { email, code } = await userManagement.createMagicAuth({ email: 'chiara@tailspin.test' });
      saved.code = code;
      return email;
    },
    'userManagement.authenticateWithMagicAuth': async () => {
      const email = 'chiara@tailspin.test';
      const { user } = await userManagement.authenticateWithMagicAuth({ clientId, email, code: saved.code });
      return user.id;
    },
    'userManagement.createPasswordReset': async () => {
      const reset = await userManagement.createPasswordReset({ email: 'nell@example.test' });
      saved.token = reset.passwordResetToken;
      return reset.email;
    },
    'userManagement.resetPassword': async () => {
      const token = saved.token;
      return (await userManagement.resetPassword({ token, newPassword: 'another long password' })).user.email;
    },
    'userManagement.listSessions': async () => {
      const { data } = await userManagement.listSessions('user_chiara', { limit: 1 });
      return data.map(({ status, authMethod }) => [status, authMethod]);
    },
    'userManagement.revokeSession': async () => {
      const [session] = (await userManagement.listSessions('user_chiara')).data;
      return userManagement.revokeSession({ sessionId: session?.id ?? '' });
    },
    'userManagement.getLogoutUrl': async () => {
      const address = userManagement.getLogoutUrl({ sessionId: 'session_01', returnTo: 'https://app.harbour.test/' });
      return [...new URL(address).searchParams];
    },
    'userManagement.getJwksUrl': async () => new URL(userManagement.getJwksUrl(clientId)).pathname.split('/').length,
    'userManagement.deleteUser': () => userManagement.deleteUser(ids.user),

    'sso.getAuthorizationUrl': async () => {
      const address = sso.getAuthorizationUrl({ connection: 'conn_northwind', clientId, redirectUri, state: 's2' });
      const { code = '', state } = await follow(address);
      saved.code = code;
      return state;
    },
    'sso.getProfileAndToken': async () => {
      const { profile, accessToken } = await sso.getProfileAndToken({ code: saved.code, clientId });
      saved.token = accessToken;
      return [profile.email, profile.connectionId, profile.organizationId, profile.rawAttributes];
    },
    'sso.getProfile': async () => (await sso.getProfile({ accessToken: saved.token })).idpId,
    'sso.listConnections': async () => {
      const { data } = await sso.listConnections({ organizationId: 'org_northwind' });
      return data.map(({ id, state }) => [id, state]);
    },
    'sso.getConnection': async () => (await sso.getConnection('conn_northwind')).name,

    'directorySync.listDirectories': async () => {
      const { data } = await directorySync.listDirectories({ organizationId: 'org_northwind' });
      return data.map(({ id, type }) => [id, type]);
    },
    'directorySync.getDirectory': async () => (await directorySync.getDirectory('directory_northwind')).name,
    'directorySync.listUsers': async () => {
      const { data } = await directorySync.listUsers({ directory: 'directory_northwind', limit: 2, order: 'asc' });
      return data.map(({ id }) => id);
    },
    'directorySync.getUser': async () => {
      const { email, groups, customAttributes } = await directorySync.getUser('directory_user_ada');
      return [email, groups?.map(({ name }) => name), customAttributes];
    },
    'directorySync.listGroups': async () =>
      (await directorySync.listGroups({ directory: 'directory_northwind' })).data.map(({ name }) => name).sort(),
    'directorySync.getGroup': async () => (await directorySync.getGroup('directory_group_docks')).name,

    'auditLogs.createSchema': async () => {
      const schema = await auditLogs.createSchema({ action: 'invoice.viewed', targets: [{ type: 'invoice' }] });
      return schema.version;
    },
    'auditLogs.createEvent': () =>
      auditLogs.createEvent('org_northwind', {
        action: 'invoice.viewed',
        occurredAt: new Date(),
        actor: { type: 'user', id: 'user_ada', name: 'Ada' },
        targets: [{ type: 'invoice', id: 'inv_1' }],
        context: { location: '203.0.113.7', userAgent: 'a browser' },
        metadata: { pages: 3 },
      }),
    'auditLogs.createExport': async () => {
      const { id, state } = await auditLogs.createExport({
        organizationId: 'org_northwind',
        rangeStart: new Date(Date.now() - 86_400_000),
        rangeEnd: new Date(Date.now() + 60_000),
        actions: ['invoice.viewed'],
      });
      saved.token = id;
      return state;
    },
    'auditLogs.getExport': async () => (await auditLogs.getExport(saved.token)).state,

    'passwordless.createSession': async () => {
      const session = await passwordless.createSession({ type: 'MagicLink', email: 'ada@northwind.test' });
      saved.link = session.id;
      return session.email;
    },
    'passwordless.sendSession': async () => (await passwordless.sendSession(saved.link)).success,

    'events.listEvents': async () => {
      const { data, listMetadata } = await events.listEvents({ events: ['user.created', 'user.updated'], limit: 2 });
      return [data.map(({ event }) => event), typeof listMetadata.after];
    },
    'webhooks.createWebhookEndpoint': async () => {
      const { id, events: subscribed } = await webhooks.createWebhookEndpoint({
        endpointUrl: 'https://app.harbour.test/webhooks',
        events: ['user.created'],
      });
      ids.endpoint = id;
      return subscribed;
    },
    'webhooks.listWebhookEndpoints': async () =>
      (await webhooks.listWebhookEndpoints()).data.map(({ endpointUrl }) => endpointUrl),
    'webhooks.updateWebhookEndpoint': async () => {
      const endpointUrl = 'https://app.harbour.test/hooks';
      return (await webhooks.updateWebhookEndpoint({ id: ids.endpoint, endpointUrl })).endpointUrl;
    },
    'webhooks.deleteWebhookEndpoint': () => webhooks.deleteWebhookEndpoint({ id: ids.endpoint }),
    'webhooks.constructEvent': async () => {
      const { payload, sigHeader, secret } = delivery;
      const event = await webhooks.constructEvent({ payload, sigHeader, secret, tolerance: 180_000 });
      return event.event === 'user.created' ? event.data.email : event.event;
    },
    'webhooks.constructEvent, forged': async () => {
      const { payload, sigHeader } = delivery;
      return webhooks.constructEvent({ payload, sigHeader, secret: 'whsec_other' }).catch(() => 'refused');
    },

    'an organization that does not exist': () => organizations.getOrganization('org_nobody').catch(statusOf),
    'a field that is not valid': () => userManagement.createUser({ email: 'no address' }).catch(statusOf),
    'organizations.deleteOrganization': () => organizations.deleteOrganization(ids.organization),
  };
}
