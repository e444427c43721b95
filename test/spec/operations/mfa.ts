/** Multi-factor: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

export const mfa: readonly SpecifiedOperation[] = [
  {
    id: 'mfa.enrollFactor',
    method: 'POST',
    path: '/auth/factors/enroll',
    client: 'mfa.enrollFactor',
    list: false,
    query: [],
    body: ['type', 'totp_issuer', 'totp_user', 'phone_number'], // the name phone_number: D-88
    returns: { kind: 'one', resource: 'authentication_factor' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
  {
    id: 'mfa.challengeFactor',
    method: 'POST',
    path: '/auth/factors/:id/challenge',
    client: 'mfa.challengeFactor',
    list: false,
    query: [],
    body: ['sms_template'], // the name: D-88
    returns: { kind: 'one', resource: 'authentication_challenge' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
  {
    id: 'mfa.verifyChallenge',
    method: 'POST',
    path: '/auth/challenges/:id/verify',
    client: 'mfa.verifyChallenge',
    list: false,
    query: [],
    body: ['code'],
    returns: { kind: 'one', resource: 'challenge_verification_response' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
  {
    id: 'mfa.getFactor',
    method: 'GET',
    path: '/auth/factors/:id',
    client: 'mfa.getFactor',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'one', resource: 'authentication_factor' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'mfa.deleteFactor',
    method: 'DELETE',
    path: '/auth/factors/:id',
    client: 'mfa.deleteFactor',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'empty' },
    auth: 'api_key',
    status: { spec: 200, public: 204 },
  },
];
