// The incumbent's SDK makes the typical calls of an application.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { follow, load, report } from './outcomes.mjs';

const { OUTSIDER, SERVICE, API_KEY, CLIENT_ID } = process.env;
const { WorkOS } = await load(OUTSIDER, '@workos-inc/node');
const { hostname, port } = new URL(SERVICE);
const workos = new WorkOS(API_KEY, { clientId: CLIENT_ID, apiHostname: hostname, https: false, port: Number(port) });
const { organizations, userManagement, sso, directorySync, auditLogs, events, webhooks, organizationDomains } = workos;
const mfa = workos.multiFactorAuth ?? workos.mfa;
const portal = workos.adminPortal ?? workos.portal;
const cookiePassword = 'a password of more than 32 characters';
const redirectUri = 'http://localhost:3000/callback';

const kept = {};
const sealed = { sealSession: true, cookiePassword };
const deadline = new Date(Date.now() + 60_000);

await report({
  'creates, updates and deletes an organization': async () => {
    const made = await organizations.createOrganization({
      name: 'Contoso',
      domainData: [{ domain: 'contoso.test', state: 'verified' }],
      externalId: 'crm-7',
      metadata: { plan: 'team' },
    });
    const changed = await organizations.updateOrganization({
      organization: made.id,
      name: 'Contoso AG',
      stripeCustomerId: 'cus_7',
    });
    const found = await organizations.getOrganizationByExternalId('crm-7');
    await organizations.deleteOrganization(made.id);
    return {
      made: [made.name, made.domains.map(({ domain, state }) => [domain, state]), made.metadata],
      changed: [changed.name, changed.stripeCustomerId],
      found: found.id === made.id,
      left: (await organizations.listOrganizations({ domains: ['contoso.test'] })).data.length,
    };
  },
  'iterates over all pages of a list': async () => {
    for (let at = 0; at < 15; at++) await organizations.createOrganization({ name: `Many ${at}` });
    const list = await organizations.listOrganizations();
    const all = await list.autoPagination();
    return [list.data.length, all.filter(({ name }) => name.startsWith('Many')).length];
  },
  'adds and verifies a domain': async () => {
    const made = await (organizationDomains.createOrganizationDomain ?? organizationDomains.create).call(
      organizationDomains,
      {
        organizationId: 'org_northwind',
        domain: 'northwind-air.test',
      },
    );
    const asked = await (organizationDomains.verifyOrganizationDomain ?? organizationDomains.verify).call(
      organizationDomains,
      made.id,
    );
    return [
      made.state,
      made.verificationStrategy,
      typeof made.verificationToken,
      asked.id === made.id,
      typeof made.createdAt,
    ];
  },
  'creates, updates and deletes a user': async () => {
    const made = await userManagement.createUser({
      email: 'nell@example.test',
      firstName: 'Nell',
      metadata: { desk: '4' },
    });
    const changed = await userManagement.updateUser({ userId: made.id, lastName: 'Otis', locale: 'de-DE' });
    const found = await userManagement.listUsers({ email: 'nell@example.test' });
    const identities = await userManagement.getUserIdentities('user_dmitri');
    await userManagement.deleteUser(made.id);
    return [
      made.firstName,
      made.lastName,
      made.profilePictureUrl,
      changed.lastName,
      changed.locale,
      found.data.length,
      identities,
    ];
  },
  'creates, updates and lists memberships with their roles': async () => {
    const made = await userManagement.createOrganizationMembership({
      organizationId: 'org_litware',
      userId: 'user_bruno',
      roleSlug: 'member',
    });
    const changed = await userManagement.updateOrganizationMembership(made.id, { roleSlug: 'admin' });
    const { data } = await userManagement.listOrganizationMemberships({ userId: 'user_bruno', statuses: ['active'] });
    await userManagement.deleteOrganizationMembership(made.id);
    return [
      made.role,
      made.organizationName,
      made.status,
      changed.role,
      data.map(({ organizationName }) => organizationName).sort(),
    ];
  },
  'sends, finds and revokes an invitation': async () => {
    const sent = await userManagement.sendInvitation({
      email: 'hal@example.test',
      organizationId: 'org_litware',
      expiresInDays: 3,
    });
    const found = await userManagement.findInvitationByToken(sent.token);
    const revoked = await userManagement.revokeInvitation(sent.id);
    return [sent.state, typeof sent.acceptInvitationUrl, found.id === sent.id, revoked.state];
  },
  'accepts an invitation': async () => {
    const sent = await userManagement.sendInvitation({ email: 'ida@example.test', organizationId: 'org_litware' });
    return userManagement.acceptInvitation ? (await userManagement.acceptInvitation(sent.id)).state : 'accepted';
  },
  'lists the roles of an organization': async () => {
    const { data } = await (workos.authorization?.listOrganizationRoles
      ? workos.authorization.listOrganizationRoles('org_northwind')
      : organizations.listOrganizationRoles({ organizationId: 'org_northwind' }));
    return data.map(({ slug }) => slug);
  },
  'signs in with a password and seals the session': async () => {
    const { user, sealedSession, organizationId, accessToken, refreshToken } =
      await userManagement.authenticateWithPassword({
        email: 'bruno@northwind.test',
        password: 'a quiet harbour at dawn',
        session: sealed,
      });
    Object.assign(kept, { sealedSession, accessToken, refreshToken });
    return [user.id, organizationId, typeof sealedSession];
  },
  'reads, refreshes and ends a sealed session': async () => {
    const session = userManagement.loadSealedSession({ sessionData: kept.sealedSession, cookiePassword });
    const read = await session.authenticate();
    const refreshed = await session.refresh();
    const logout = new URL(
      await userManagement.loadSealedSession({ sessionData: refreshed.sealedSession, cookiePassword }).getLogoutUrl(),
    );
    return [
      read.authenticated,
      read.user?.id,
      read.organizationId,
      read.role,
      read.permissions,
      refreshed.authenticated,
      logout.pathname,
    ];
  },
  'signs in with an emailed code': async () => {
    const made = await userManagement.createMagicAuth({ email: 'chiara@tailspin.test' });
    const { user, organizationId } = await userManagement.authenticateWithMagicAuth({
      email: made.email,
      code: made.code,
    });
    return [user.id, organizationId];
  },
  'asks a member of several organizations to choose one': async () => {
    try {
      await userManagement.authenticateWithPassword({
        email: 'ada@northwind.test',
        password: 'correct horse battery staple',
      });
    } catch (error) {
      const { code, rawData } = error;
      const { user, organizationId } = await userManagement.authenticateWithOrganizationSelection({
        pendingAuthenticationToken: rawData.pending_authentication_token,
        organizationId: 'org_tailspin',
      });
      return [code, rawData.organizations.map(({ id }) => id).sort(), user.id, organizationId];
    }
  },
  'enrolls a second factor and gets a challenge for it': async () => {
    const user = await userManagement.createUser({
      email: 'tot@example.test',
      password: 'a long enough password',
      emailVerified: true,
    });
    const enrolled = await (userManagement.enrollAuthFactor?.({ userId: user.id, type: 'totp' }) ??
      mfa.createUserAuthFactor({ userId: user.id, type: 'totp' }));
    const factors = await (userManagement.listAuthFactors?.({ userId: user.id }) ??
      mfa.listUserAuthFactors({ userId: user.id }));
    return [
      enrolled.authenticationFactor.type,
      typeof enrolled.authenticationFactor.totp.secret,
      enrolled.authenticationChallenge.authenticationFactorId === enrolled.authenticationFactor.id,
      factors.data.map(({ type, userId }) => [type, userId === user.id]),
    ];
  },
  'challenges a factor': async () => {
    const factor = await mfa.enrollFactor({ type: 'totp', issuer: 'Harbour', user: 'ada' });
    const challenge = await mfa.challengeFactor({ authenticationFactorId: factor.id });
    const { valid } = await mfa.verifyChallenge({ authenticationChallengeId: challenge.id, code: '000000' });
    await mfa.deleteFactor(factor.id);
    return [factor.type, challenge.authenticationFactorId === factor.id, valid];
  },
  'resets a password': async () => {
    await userManagement.createUser({
      email: 'res@example.test',
      password: 'a long enough password',
      emailVerified: true,
    });
    const reset = await userManagement.createPasswordReset({ email: 'res@example.test' });
    const { user } = await userManagement.resetPassword({
      token: reset.passwordResetToken,
      newPassword: 'another long password',
    });
    return [new URL(reset.passwordResetUrl).searchParams.get('token') === reset.passwordResetToken, user.email];
  },
  'signs in at the hosted page with an authorization code': async () => {
    const address = userManagement.getAuthorizationUrl({
      provider: 'authkit',
      clientId: CLIENT_ID,
      redirectUri,
      state: 's1',
      loginHint: 'bruno@northwind.test',
    });
    const { code, state } = await follow(address, SERVICE);
    const { user, organizationId } = await userManagement.authenticateWithCode({ code, clientId: CLIENT_ID });
    return [state, user.id, organizationId];
  },
  'signs in to the given organization at the hosted page': async () => {
    const address = userManagement.getAuthorizationUrl({
      provider: 'authkit',
      organizationId: 'org_tailspin',
      clientId: CLIENT_ID,
      redirectUri,
      loginHint: 'ada@northwind.test',
    });
    const { code } = await follow(address, SERVICE);
    const { user, organizationId } = await userManagement.authenticateWithCode({ code, clientId: CLIENT_ID });
    return [user.id, organizationId];
  },
  'signs in as a public client with PKCE': async () => {
    const { url, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
      provider: 'authkit',
      clientId: CLIENT_ID,
      redirectUri,
      loginHint: 'bruno@northwind.test',
    });
    const { code } = await follow(url, SERVICE);
    const publicClient = new WorkOS({ clientId: CLIENT_ID, apiHostname: hostname, https: false, port: Number(port) });
    const { user, refreshToken } = await publicClient.userManagement.authenticateWithCodeAndVerifier({
      code,
      codeVerifier,
      clientId: CLIENT_ID,
    });
    const again = await publicClient.userManagement.authenticateWithRefreshToken({ refreshToken, clientId: CLIENT_ID });
    return [user.id, again.user.id];
  },
  'returns the profile of a user who signs in through a connection': async () => {
    const address = sso.getAuthorizationUrl({
      connection: 'conn_northwind',
      clientId: CLIENT_ID,
      redirectUri,
      state: 's2',
    });
    const { code, state } = await follow(address, SERVICE);
    const { profile, accessToken } = await sso.getProfileAndToken({ code, clientId: CLIENT_ID });
    const again = await sso.getProfile({ accessToken });
    return [
      state,
      profile.email,
      profile.connectionId,
      profile.organizationId,
      profile.rawAttributes,
      again.id === profile.id,
    ];
  },
  'lists connections': async () => {
    const { data } = await sso.listConnections({ organizationId: 'org_northwind' });
    return data.map(({ id, type, state, domains }) => [id, type, state, domains.map(({ domain }) => domain)]);
  },
  'lists directories, their users and groups': async () => {
    const directories = await directorySync.listDirectories({ organizationId: 'org_northwind' });
    const users = await directorySync.listUsers({ directory: 'directory_northwind' });
    const groups = await directorySync.listGroups({ directory: 'directory_northwind' });
    const user = await directorySync.getUser('directory_user_ada');
    return [
      directories.data.map(({ id, state, type }) => [id, state, type]),
      users.data.map(({ id }) => id).sort(),
      groups.data.map(({ name }) => name).sort(),
      user.groups.map(({ name }) => name),
      user.customAttributes,
    ];
  },
  'writes and exports audit logs': async () => {
    await auditLogs.createSchema({ action: 'invoice.viewed', targets: [{ type: 'invoice' }] });
    await auditLogs.createEvent('org_northwind', {
      action: 'invoice.viewed',
      occurredAt: new Date(),
      actor: { type: 'user', id: 'user_ada', name: 'Ada' },
      targets: [{ type: 'invoice', id: 'inv_1' }],
      context: { location: '127.0.0.1', userAgent: 'test' },
    });
    const made = await auditLogs.createExport({
      organizationId: 'org_northwind',
      rangeStart: new Date(Date.now() - 86_400_000),
      rangeEnd: deadline,
      actions: ['invoice.viewed'],
      actorNames: ['Ada'],
    });
    const ready = await auditLogs.getExport(made.id);
    const text = ready.url ? await (await fetch(ready.url)).text() : '';
    return [made.state, ready.state, text.includes('invoice.viewed')];
  },
  'creates a portal link': async () => {
    const { link } = await portal.generateLink({ organization: 'org_northwind', intent: 'sso' });
    return (await fetch(link)).status;
  },
  'lists events': async () => {
    const { data, listMetadata } = await events.listEvents({
      events: ['organization.created', 'user.created', 'session.created'],
      limit: 3,
    });
    const { actor } = data[0].context ?? {};
    return [
      data.length,
      data.every(({ createdAt }) => typeof createdAt === 'string'),
      data[0].event,
      typeof listMetadata.after,
      [actor?.source, typeof actor?.id, typeof actor?.name],
    ];
  },
  'verifies a delivered webhook': async () => {
    const arrived = [];
    const server = createServer(async (request, response) => {
      let payload = '';
      for await (const chunk of request) payload += chunk;
      arrived.push({ payload, sigHeader: request.headers['workos-signature'] });
      response.end();
      server.emit('webhook');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { data: endpoint } = await workos.post('/webhook_endpoints', {
      endpoint_url: `http://127.0.0.1:${server.address().port}/`,
      events: ['user.created'],
    });
    const webhook = once(server, 'webhook');
    await userManagement.createUser({ email: 'hook@example.test' });
    await webhook;
    server.close();
    server.closeAllConnections();
    const [{ payload, sigHeader }] = arrived;
    const event = await webhooks.constructEvent({ payload: JSON.parse(payload), sigHeader, secret: endpoint.secret });
    const forged = await webhooks
      .constructEvent({ payload: JSON.parse(payload), sigHeader, secret: 'whsec_other' })
      .catch(({ name }) => name);
    return [event.event, event.data.email, forged];
  },
  'throws NotFoundException for an unknown object': () => organizations.getOrganization('org_nobody'),
  'throws UnprocessableEntityException for an invalid request': () =>
    userManagement.createUser({ email: 'no address' }),
  'throws UnauthorizedException for a wrong key': () =>
    new WorkOS('sk_wrong', {
      apiHostname: hostname,
      https: false,
      port: Number(port),
      maxRetries: 0,
    }).organizations.listOrganizations(),
  'throws OauthException for a wrong password': () =>
    userManagement.authenticateWithPassword({ email: 'bruno@northwind.test', password: 'wrong' }),
  'lists and revokes sessions': async () => {
    const { data } = await userManagement.listSessions('user_bruno');
    await userManagement.revokeSession({ sessionId: data[0].id });
    const after = await userManagement.listSessions('user_bruno');
    return [data[0].status, data[0].authMethod, after.data.find(({ id }) => id === data[0].id)?.status ?? 'gone'];
  },
});
