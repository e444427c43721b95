// The exports of 'sallyport/stores'.

export { createStore } from './create-store.js';
export { type MemoryStoreOptions, memoryStore } from './memory.js';
export { type PostgresStore, type PostgresStoreOptions, postgresStore, postgresStoreTable } from './postgres.js';
export type { PgClient, PostgresAnswer, PostgresQueryable, PostgresSql } from './postgres-query.js';
export { type RedisClient, type RedisCommand, type RedisStoreOptions, redisStore } from './redis.js';
export type { Store, StoreOperationRecord, StoreOperations } from './store.js';
