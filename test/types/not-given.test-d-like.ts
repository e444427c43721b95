/**
 * What the compiler must say about arguments that are not given. Nothing here runs: `npm run typecheck` fails when a line
 * no longer means what it should, and when an `@ts-expect-error` has become unnecessary.
 */

import type { Sallyport } from '../../src/index.js';

declare const sallyport: Sallyport;
declare const perhaps: string | undefined;
declare const orNull: string | null | undefined;
const { organizations, organizationDomains, userManagement, sso, mfa, directorySync, events, auditLogs, fga } =
  sallyport;
const redirectUri = 'https://app.acme.test/callback';

// A cursor is null at the end of a list, and may be passed back unchanged.
const page = await userManagement.listUsers();
userManagement.listUsers({ after: page.listMetadata.after, before: page.listMetadata.before });
directorySync.listUsers({ directory: 'directory_01', after: page.listMetadata.after });

// A filter that is null or undefined counts as missing.
organizations.listOrganizations({ domains: null, search: orNull, limit: undefined, order: null });
userManagement.listOrganizationMemberships({ userId: orNull, organizationId: orNull });
events.listEvents({ events: undefined, organizationId: orNull, after: orNull, rangeStart: null });
events.listEvents({ rangeStart: orNull });
fga.listWarrants({ resourceType: orNull, after: orNull });
fga.query({ q: 'select report where user:ada is editor', context: null });
// @ts-expect-error both say where the list starts
events.listEvents({ after: 'event_01', rangeStart: '2026-01-01T00:00:00.000Z' });

// A URL has the same parameters as a list.
userManagement.getAuthorizationUrl({
  organizationId: 'org_01',
  provider: null,
  redirectUri,
  state: orNull,
  clientId: orNull,
});
sso.getAuthorizationUrl({ connection: 'conn_01', organization: undefined, redirectUri, loginHint: orNull });
userManagement.getLogoutUrl({ sessionId: 'session_01', returnTo: orNull });
// @ts-expect-error null chooses nothing
userManagement.getAuthorizationUrl({ provider: null, redirectUri });

// A field of a body that is undefined is omitted.
organizations.createOrganization({ name: 'Acme', externalId: perhaps, domainData: undefined });
organizations.updateOrganization({ organization: 'org_01', name: perhaps, billingCustomerId: perhaps });
userManagement.createUser({ email: 'ada@acme.test', firstName: perhaps, password: perhaps, emailVerified: undefined });
userManagement.sendInvitation({ email: 'ada@acme.test', organizationId: perhaps, expiresInDays: undefined });
userManagement.authenticateWithCode({ code: 'c', clientId: perhaps, ipAddress: perhaps, session: undefined });
mfa.challengeFactor({ authenticationFactorId: 'auth_factor_01', smsTemplate: perhaps });
auditLogs.createEvent('org_01', {
  action: 'invoice.viewed',
  occurredAt: new Date(),
  version: undefined,
  actor: { type: 'user', id: 'ada', name: perhaps, metadata: undefined },
  targets: [{ type: 'invoice', id: '7', name: perhaps }],
  context: { location: '203.0.113.7', userAgent: perhaps },
  metadata: undefined,
});
fga.createResource({ resource: { resourceType: 'report', resourceId: perhaps }, meta: undefined });
fga.check({
  op: undefined,
  debug: undefined,
  checks: [
    {
      resource: { resourceType: 'report', resourceId: '7' },
      relation: 'editor',
      subject: { resourceType: 'user', resourceId: 'ada', relation: perhaps },
      context: undefined,
    },
  ],
});

// Null is sent, so only fields that the service can empty accept it.
userManagement.updateUser({ userId: 'user_01', firstName: null, externalId: null, metadata: null });
// @ts-expect-error a name cannot be emptied
organizations.updateOrganization({ organization: 'org_01', name: null });
// @ts-expect-error an invitation has an organization or none, which is left out
userManagement.sendInvitation({ email: 'ada@acme.test', organizationId: null });
// @ts-expect-error what must be there may not be undefined
organizationDomains.createOrganizationDomain({ organizationId: perhaps, domain: 'acme.test' });
// @ts-expect-error an id of a path may not be undefined
userManagement.getUser(perhaps);

// Options of a call that are undefined count as missing.
organizations.getOrganization('org_01', {
  idempotencyKey: perhaps,
  signal: undefined,
  timeoutMs: undefined,
  deadlineMs: undefined,
  maxRetries: undefined,
  headers: undefined,
  extraBody: undefined,
  extraQuery: { trace: orNull },
});
fga.listWarrants({}, { warrantToken: perhaps });
