/** Invitations: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

export const invitations: readonly SpecifiedOperation[] = [
  {
    id: 'invitations.get',
    method: 'GET',
    path: '/user_management/invitations/:id',
    client: 'userManagement.getInvitation',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'invitation' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'invitations.list',
    method: 'GET',
    path: '/user_management/invitations',
    client: 'userManagement.listInvitations',
    list: true,
    query: ['email', 'organization_id'],
    body: null,
    returns: { kind: 'list', resource: 'invitation' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'invitations.send',
    method: 'POST',
    path: '/user_management/invitations',
    client: 'userManagement.sendInvitation',
    list: false,
    query: [],
    body: ['email', 'organization_id', 'expires_in_days', 'inviter_user_id', 'role_slug'], // the last three names: D-71
    returns: { kind: 'one', resource: 'invitation' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
  {
    id: 'invitations.revoke',
    method: 'POST',
    path: '/user_management/invitations/:id/revoke',
    client: 'userManagement.revokeInvitation',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'invitation' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
];
