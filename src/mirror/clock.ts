import type { SqlDialect } from '../streams/once/database.js';

/** The time of the database, as ISO 8601 in UTC with milliseconds; a placeholder for seconds is subtracted. */
export const nowSql = (dialect: SqlDialect, seconds = '0'): string =>
  dialect === 'postgres'
    ? `to_char((clock_timestamp() - ${seconds}::float8 * interval '1 second') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || ${seconds} || ' seconds')`;
