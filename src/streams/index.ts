// The exports of 'sallyport/streams'.

export { objectsOf } from '../service/events/objects.js';
export type { PgClient, PostgresSql } from '../stores/postgres-query.js';
export { type Checkpoint, memoryCheckpoint, storeCheckpoint } from './checkpoint.js';
export type { DeadLetter, EventDelivery, PoisonPolicy, StreamContext, StreamEventRecord } from './delivery.js';
export { follow, type Stream, type StreamHandler } from './follow/follow.js';
export { type EventSelection, type EventsClient, latest } from './follow/latest.js';
export type { FollowOptions, StreamProblem } from './follow/options.js';
export type { StreamHealth, StreamState, StreamStatus } from './follow/status.js';
export type { ApplyOutcome, StreamApplyRecord } from './once/apply.js';
export type { SqlDialect } from './once/database.js';
export type { DeadLetterPage, FailedEvent, StoredDeadLetter } from './once/dead-letters.js';
export type { OnceDatabase, TransactionOf } from './once/drivers.js';
export { type DeadLetters, type ExactlyOnce, exactlyOnce } from './once/exactly-once.js';
export type { ExactlyOnceOptions, OnceContext } from './once/options.js';
export type { OncePostgres, PgPool, PgPoolClient } from './once/postgres.js';
export type { ReplayResult } from './once/replay.js';
export type { SqliteDatabase, SqliteStatement } from './once/sqlite.js';
export { exactlyOnceTables } from './once/tables.js';
export { type EventHandler, type EventHandlers, on } from './registry.js';
export { type FollowedRevocations, followRevocations } from './revocations/follow-revocations.js';
export type { RevocationsStatus } from './revocations/freshness.js';
export type { RevocationsOptions, RevocationsProblem } from './revocations/options.js';
export { StreamError, type StreamErrorCode } from './stream-error.js';
