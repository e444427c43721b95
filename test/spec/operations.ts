/**
 * Every operation of the service, in the order of its specification: a transcription kept by hand, never generated from
 * `src/service`.
 */

import type { SpecifiedOperation } from './format.js';
import { auditLogs } from './operations/audit-logs.js';
import { authentication } from './operations/authentication.js';
import { directorySync } from './operations/directory-sync.js';
import { events } from './operations/events.js';
import { fga } from './operations/fga.js';
import { invitations } from './operations/invitations.js';
import { memberships } from './operations/memberships.js';
import { mfa } from './operations/mfa.js';
import { organizationDomains } from './operations/organization-domains.js';
import { organizations } from './operations/organizations.js';
import { passwordless } from './operations/passwordless.js';
import { portal } from './operations/portal.js';
import { sso } from './operations/sso.js';
import { users } from './operations/users.js';

export const specifiedOperations: readonly SpecifiedOperation[] = [
  ...organizations,
  ...organizationDomains,
  ...users,
  ...authentication,
  ...memberships,
  ...invitations,
  ...mfa,
  ...sso,
  ...directorySync,
  ...events,
  ...auditLogs,
  ...portal,
  ...passwordless,
  ...fga,
];

/**
 * Query parameters that the specification does not name and the project may offer as well, by operation. A row's own
 * `query` holds the ones it must offer.
 */
export const decidedQuery: Readonly<Record<string, readonly string[]>> = {
  'organizations.list': ['search'], // D-69
  // D-32
  'userManagement.authorize': [
    'screen_hint',
    'prompt',
    'max_age',
    'invitation_token',
    'provider_scopes',
    'provider_query_params',
  ],
  'sso.authorize': ['provider_scopes', 'provider_query_params', 'nonce'], // D-32
  'directorySync.listUsers': ['idp_id', 'email'], // D-68
  'directorySync.listGroups': ['idp_id'], // D-68
  'events.list': ['order'], // D-124
  'organizationMemberships.list': ['statuses'], // D-141
};
