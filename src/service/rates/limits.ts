/** Limits for the metadata of audit events, their actors and their targets: number of keys, length of keys, length of values. */
export const auditMetadataBounds = { keys: 50, keyLength: 40, valueLength: 500 } as const;
/** Maximum number of resources in a batch. */
export const resourceBatchLimit = 100;

/** The published limits of the service. */
export const limits = {
  /** Items per page of a list. */
  listPageSize: { min: 1, max: 100, default: 10 },
  /** Lifetime of an idempotency key, in hours. */
  idempotencyKeyLifetimeHours: 24,
  /** Maximum age of listed events, in days. */
  eventsRetrievableDays: 30,
  /** Lifetime of a one-time sign-in code, in minutes. */
  magicAuthCodeLifetimeMinutes: 10,
  /** Lifetime of an invitation, in days. */
  invitationValidityDays: { min: 1, max: 30, default: 7 },
  /** Lifetime of an audit export URL, in minutes. */
  auditExportUrlLifetimeMinutes: 10,
  /** Allowed retention periods of audit events, in days. */
  auditLogRetentionDays: [30, 365],
  /** Lifetime of a magic link, in seconds. */
  passwordlessSessionLifetimeSeconds: { min: 900, max: 86_400 },
  /** Lifetime of a portal link, in minutes. */
  portalLinkLifetimeMinutes: 5,
  /**
   * Limits for the metadata of audit events, their actors and their targets: number of keys, length of keys, length of
   * values.
   */
  auditMetadata: auditMetadataBounds,
  /** Maximum number of resources in a batch. */
  resourceBatch: resourceBatchLimit,
} as const;
