/** Metadata of audit events, of their actors and of their targets: keys, characters of a key, characters of a value. */
export const auditMetadataBounds = { keys: 50, keyLength: 40, valueLength: 500 } as const;
/** Resources in one batch. */
export const resourceBatchLimit = 100;

/** The published limits. */
export const limits = {
  /** Items on a page of a list. */
  listPageSize: { min: 1, max: 100, default: 10 },
  /** How long the service remembers an idempotency key. */
  idempotencyKeyLifetimeHours: 24,
  /** How far back events can be listed. */
  eventsRetrievableDays: 30,
  /** How long a one-time sign-in code works. */
  magicAuthCodeLifetimeMinutes: 10,
  /** How long an invitation works. */
  invitationValidityDays: { min: 1, max: 30, default: 7 },
  /** How long the address of an audit export works. */
  auditExportUrlLifetimeMinutes: 10,
  /** How long audit events may be kept. */
  auditLogRetentionDays: [30, 365],
  /** How long a magic link works. */
  passwordlessSessionLifetimeSeconds: { min: 900, max: 86_400 },
  /** How long a portal link works. */
  portalLinkLifetimeMinutes: 5,
  /** Metadata of audit events, of their actors and of their targets: keys, characters of a key, characters of a value. */
  auditMetadata: auditMetadataBounds,
  /** Resources in one batch. */
  resourceBatch: resourceBatchLimit,
} as const;
