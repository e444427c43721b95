import type { Operation } from './describe/operation.js';

const signIn = 'Endpoints > Authorization URL and sign-in flows';
const events = 'Endpoints > Events and webhook endpoints';

// By the id of an operation or of its room. Apart from the operations, so that no program carries it along.
const sections: Readonly<Record<string, string>> = {
  auditLogs: 'Endpoints > Audit logs',
  directorySync: 'Endpoints > Directory sync',
  events,
  fga: 'Endpoints > Fine-grained authorization',
  invitations: 'Endpoints > Invitations',
  jwks: signIn,
  'legacy.auditTrail': 'Endpoints > Audit trail (earlier interface)',
  'legacy.scim': 'Endpoints > Directory sync',
  magicAuth: signIn,
  mfa: 'Endpoints > Multi-factor (general)',
  organizationDomains: 'Endpoints > Organization domains',
  organizationMemberships: 'Endpoints > Organization memberships',
  organizations: 'Endpoints > Organizations',
  passwordReset: signIn,
  passwordless: 'Endpoints > Deprecated passwordless sessions',
  portal: 'Endpoints > Admin portal',
  sessions: signIn,
  sso: 'Endpoints > Single sign-on',
  'sso.authorize': signIn,
  userManagement: signIn,
  users: 'Endpoints > Users',
  webhooks: events,
};

/** Where the specification describes an operation. */
export const sectionOf = ({ id }: Pick<Operation, 'id'>): string | undefined =>
  sections[id] ?? sections[id.slice(0, id.lastIndexOf('.'))];
