import { ssoByDomain } from './addresses.js';
import { auditLogs } from './audit-logs.js';
import { userManagement } from './authentication.js';
import type { Operation } from './describe/operation.js';
import { directorySync } from './directory-sync.js';
import { events } from './events.js';
import { fga } from './fga.js';
import { invitations } from './invitations.js';
import { jwks } from './jwks.js';
import { auditTrail, scim } from './legacy.js';
import { magicAuths } from './magic-auth.js';
import { organizationMemberships } from './memberships.js';
import { mfa } from './mfa.js';
import { organizationDomains } from './organization-domains.js';
import { organizations } from './organizations.js';
import { passwordResets } from './password-reset.js';
import { passwordless } from './passwordless.js';
import { portal } from './portal.js';
import { sessions } from './sessions.js';
import { sso } from './sso.js';
import { users } from './users.js';
import { webhooks } from './webhooks.js';

/** Groups of operations, in the order of the specification. */
const rooms: readonly Readonly<Record<string, Operation>>[] = [
  organizations,
  organizationDomains,
  users,
  userManagement,
  magicAuths,
  passwordResets,
  sessions,
  jwks,
  organizationMemberships,
  invitations,
  mfa,
  sso,
  ssoByDomain,
  directorySync,
  scim,
  events,
  webhooks,
  auditLogs,
  auditTrail,
  portal,
  passwordless,
  fga,
];

/** All operations of the service by id, such as `organizations.create`, in the order of the specification. */
export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(
  rooms.flatMap((room) => Object.values(room)).map((operation) => [operation.id, operation]),
);

/** Find an operation by its id, or by the method of the client that calls it: `organizations.createOrganization`. */
export const operationNamed = (name: string): Operation | undefined =>
  Object.values(operations).find(({ id, client }) => name === id || name === client);
