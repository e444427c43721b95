/** Single sign-on: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

const section = 'Endpoints > Single sign-on';

export const sso: readonly SpecifiedOperation[] = [
  {
    id: 'sso.getProfileAndToken',
    section,
    method: 'POST',
    path: '/sso/token',
    client: 'sso.getProfileAndToken',
    list: false,
    query: [],
    body: ['client_id', 'client_secret', 'grant_type', 'code', 'code_verifier'], // code_verifier: D-31
    returns: { kind: 'one', resource: 'profile_and_token_response' },
    auth: 'client_secret',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'sso.getProfile',
    section,
    method: 'GET',
    path: '/sso/profile',
    client: 'sso.getProfile',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'profile' },
    auth: 'access_token',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'sso.listConnections',
    section,
    method: 'GET',
    path: '/connections',
    client: 'sso.listConnections',
    list: true,
    query: ['connection_type', 'domain', 'organization_id', 'search'], // D-65
    body: null,
    returns: { kind: 'list', resource: 'connection' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'sso.getConnection',
    section,
    method: 'GET',
    path: '/connections/:id',
    client: 'sso.getConnection',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'connection' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'sso.deleteConnection',
    section,
    method: 'DELETE',
    path: '/connections/:id',
    client: 'sso.deleteConnection',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'empty' },
    auth: 'api_key',
    status: { spec: 200, public: 204 },
  },
  {
    id: 'sso.authorizeByDomain',
    section,
    method: 'GET',
    path: '/sso/authorize',
    client: 'legacy.sso.getAuthorizationUrl',
    list: false,
    // The sentence on the earlier form leaves response_type out; the path has it.
    query: ['response_type', 'client_id', 'redirect_uri', 'state', 'domain', 'provider'],
    body: null,
    returns: { kind: 'url' },
    auth: 'none',
    status: { spec: 200, public: 200 },
    deprecated: true,
    earlier: true,
  },
];
