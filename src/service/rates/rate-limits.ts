/** The owner of an allowance, in the specification's words. */
export type RateLimitOwner =
  | 'IP address'
  | 'connection'
  | 'directory'
  | 'API key'
  | 'account'
  | 'email or challenge id'
  | 'email'
  | 'user'
  | 'email and IP address'
  | 'IP address and challenge id'
  | 'IP address and email';

/** The name of a rate limit. */
export type RateLimitName =
  | 'all_requests'
  | 'sso_authorize'
  | 'directory_users'
  | 'organization_deletions'
  | 'user_management_reads'
  | 'user_management_writes'
  | 'authenticate'
  | 'magic_auth_send'
  | 'email_verification_send'
  | 'password_reset_send'
  | LimitedActivity;

/** Activities on hosted pages that have a separate rate limit. */
export type LimitedActivity =
  | 'hosted_sign_in_read'
  | 'hosted_sign_in_write'
  | 'sso_sign_in'
  | 'email_sign_in'
  | 'magic_auth_sign_in'
  | 'magic_auth_code_request';

/** Requests that count towards a rate limit. */
export interface LimitedRequests {
  /** Path of an operation; a `*` at the end matches any suffix. */
  readonly path: string;
  /** Methods that count; default: all. */
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
}

/** A published rate limit. Requests above it get status 429. */
export interface RateLimit {
  /** Name of the limit. */
  readonly name: RateLimitName;
  /** Scope of the limit, in the specification's words. */
  readonly scope: string;
  /** Requests allowed in a window of `windowMs` milliseconds. */
  readonly requests: number;
  readonly windowMs: number;
  /** Owner of an allowance; null if the specification defines none. */
  readonly per: RateLimitOwner | null;
  /** Requests that count, or an activity on hosted pages. */
  readonly counts: LimitedRequests | LimitedActivity;
}

const writes = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

const limit = (
  name: RateLimitName,
  scope: string,
  requests: number,
  seconds: number,
  per: RateLimitOwner | null,
  counts: RateLimit['counts'],
): RateLimit => ({ name, scope, requests, windowMs: seconds * 1_000, per, counts });

/** The published rate limits, in the order of the specification. */
export const rateLimits: readonly RateLimit[] = [
  limit('all_requests', 'All requests', 6000, 60, 'IP address', { path: '*' }),
  limit('sso_authorize', '/sso/authorize', 1000, 60, 'connection', { path: '/sso/authorize' }),
  limit('directory_users', '/directory_users', 4, 1, 'directory', { path: '/directory_users' }),
  limit('organization_deletions', 'Delete organization (/organizations/*)', 50, 60, 'API key', {
    path: '/organizations/*',
    methods: ['DELETE'],
  }),
  limit('user_management_reads', '/user_management/* reads', 1000, 10, 'account', {
    path: '/user_management/*',
    methods: ['GET'],
  }),
  limit('user_management_writes', '/user_management/* writes', 500, 10, 'account', {
    path: '/user_management/*',
    methods: writes,
  }),
  limit('authenticate', '/user_management/authenticate', 10, 60, 'email or challenge id', {
    path: '/user_management/authenticate',
  }),
  limit('magic_auth_send', '/user_management/magic_auth/send', 3, 60, 'email', {
    path: '/user_management/magic_auth/send',
  }),
  // The specification's table omits `/users` from this path, unlike the operation.
  limit('email_verification_send', '/user_management/:id/email_verification/send', 3, 60, 'user', {
    path: '/user_management/users/:id/email_verification/send',
  }),
  limit('password_reset_send', '/user_management/password_reset/send', 3, 60, 'email', {
    path: '/user_management/password_reset/send',
  }),
  limit('hosted_sign_in_read', 'Hosted sign-in reads', 1000, 10, null, 'hosted_sign_in_read'),
  limit('hosted_sign_in_write', 'Hosted sign-in writes', 500, 10, null, 'hosted_sign_in_write'),
  limit('sso_sign_in', 'SSO sign-ins', 3, 60, 'IP address', 'sso_sign_in'),
  limit('email_sign_in', 'Email sign-ins', 10, 60, 'email and IP address', 'email_sign_in'),
  limit('magic_auth_sign_in', 'Magic auth sign-ins', 10, 60, 'IP address and challenge id', 'magic_auth_sign_in'),
  limit(
    'magic_auth_code_request',
    'Magic auth code requests',
    3,
    60,
    'IP address and email',
    'magic_auth_code_request',
  ),
];
