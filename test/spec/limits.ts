/**
 * Published limits and rate limits: a transcription of the service's specification ("Limits"), kept by hand, never
 * generated from `src/service`.
 */

export const specifiedLimits = {
  listPageSize: { min: 1, max: 100, default: 10 },
  idempotencyKeyLifetimeHours: 24,
  eventsRetrievableDays: 30,
  magicAuthCodeLifetimeMinutes: 10,
  invitationValidityDays: { min: 1, max: 30, default: 7 },
  auditExportUrlLifetimeMinutes: 10,
  auditLogRetentionDays: [30, 365],
  passwordlessSessionLifetimeSeconds: { min: 900, max: 86_400 },
  portalLinkLifetimeMinutes: 5,
  auditMetadata: { keys: 50, keyCharacters: 40, valueCharacters: 500 },
  resourceBatch: 100,
} as const;

export interface SpecifiedRateLimit {
  /** The counted requests, in the words of the specification. */
  readonly scope: string;
  readonly requests: number;
  readonly seconds: number;
  /** The owner of one allowance, or null if the specification names none. */
  readonly per: string | null;
}

/** More requests than these answer 429. */
export const specifiedRateLimits: readonly SpecifiedRateLimit[] = [
  { scope: 'All requests', requests: 6000, seconds: 60, per: 'IP address' },
  { scope: '/sso/authorize', requests: 1000, seconds: 60, per: 'connection' },
  { scope: '/directory_users', requests: 4, seconds: 1, per: 'directory' },
  { scope: 'Delete organization (/organizations/*)', requests: 50, seconds: 60, per: 'API key' },
  { scope: '/user_management/* reads', requests: 1000, seconds: 10, per: 'account' },
  { scope: '/user_management/* writes', requests: 500, seconds: 10, per: 'account' },
  { scope: '/user_management/authenticate', requests: 10, seconds: 60, per: 'email or challenge id' },
  { scope: '/user_management/magic_auth/send', requests: 3, seconds: 60, per: 'email' },
  // The operation's path has /users before the id: D-08.
  { scope: '/user_management/:id/email_verification/send', requests: 3, seconds: 60, per: 'user' },
  { scope: '/user_management/password_reset/send', requests: 3, seconds: 60, per: 'email' },
  { scope: 'Hosted sign-in reads', requests: 1000, seconds: 10, per: null },
  { scope: 'Hosted sign-in writes', requests: 500, seconds: 10, per: null },
  { scope: 'SSO sign-ins', requests: 3, seconds: 60, per: 'IP address' },
  { scope: 'Email sign-ins', requests: 10, seconds: 60, per: 'email and IP address' },
  { scope: 'Magic auth sign-ins', requests: 10, seconds: 60, per: 'IP address and challenge id' },
  { scope: 'Magic auth code requests', requests: 3, seconds: 60, per: 'IP address and email' },
];
