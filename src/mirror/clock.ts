import type { SqlDialect } from '../streams/once/database.js';

/** The time of the database some seconds ago, as ISO 8601 in UTC with milliseconds. */
export const nowSql = (dialect: SqlDialect, secondsAgo = 0): string =>
  dialect === 'postgres'
    ? `to_char((clock_timestamp() - interval '${secondsAgo} seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${secondsAgo} seconds')`;
