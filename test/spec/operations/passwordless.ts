/** Passwordless sessions, deprecated: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

export const passwordless: readonly SpecifiedOperation[] = [
  {
    id: 'passwordless.createSession',
    method: 'POST',
    path: '/passwordless/sessions',
    client: 'passwordless.createSession',
    list: false,
    query: [],
    body: ['email', 'type', 'redirect_uri', 'expires_in', 'state'],
    returns: { kind: 'one', resource: 'passwordless_session' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
    deprecated: true,
  },
  {
    id: 'passwordless.sendSession',
    method: 'POST',
    path: '/passwordless/sessions/:id/send',
    client: 'passwordless.sendSession',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'success' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
    deprecated: true,
  },
];
