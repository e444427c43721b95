import { fieldOf } from '../errors/problem.js';
import { SallyportError } from '../errors/sallyport-error.js';

/**
 * PostgreSQL: no connection (08, 28, 3D000), insufficient resources (53), shutdown or timeout (57, 25P03, 25P04), disk failure
 * (58), read-only server after a failover (25006), and conflicting transactions (40001, 40P01, 55P03).
 */
const sqlState = /^(?:(?:08|28|53|57|58)\w{3}|3D000|25006|25P0[34]|40001|40P01|55P03)$/;

/** SQLite: another connection holds the lock, or the disk failed. */
const sqliteCode = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|CANTOPEN|PROTOCOL)/;

const codes: ReadonlySet<unknown> = new Set([
  // Node.js
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // fetch of Node.js
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  // postgres
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  // Prisma
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2034',
]);

/** Messages of errors without a code, by the version of the driver that they were read from. */
const messages = [
  // pg 8.23.1, pg-pool 3.14.0
  /^Connection terminated/,
  /^timeout (?:expired|exceeded when trying to connect)/,
  /^Query read timeout/,
  /^Client has encountered a connection error/,
  // SQLite of node-sqlite3-wasm 0.8.60
  /\bdatabase (?:table )?is locked\b/,
  /\bdatabase or disk is full\b/,
  // ioredis 6.0.0, iovalkey 0.4.0
  /^Connection is closed/,
  /^Command timed out/,
  /^Stream isn't writeable/,
  /^Reached the max retries per request limit/,
  // redis 6.3.1
  /^Connection timeout/,
  /^Socket (?:closed unexpectedly|timeout)/,
  /^The client is (?:closed|offline)/,
  // Replies of a Redis server that is starting, failing over or full
  /^(?:LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|READONLY|OOM) /,
];

/** Whether an error of PostgreSQL or SQLite means that a table does not exist, because `setUp()` did not run yet. */
export const isTableMissing = (error: unknown): boolean =>
  fieldOf(error, 'code') === '42P01' || /no such table/.test(String(fieldOf(error, 'message')));

/** Limit for chains of causes, which may be circular. */
const maxDepth = 10;

/**
 * Whether an error means that something the handler needs, such as a database, a store or the network, is unavailable or busy.
 * The event is not the cause, so the same call may succeed later.
 */
export function isInfrastructureFailure(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < maxDepth && Object(current) === current; depth++) {
    if (isUnavailable(current)) return true;
    current = fieldOf(current, 'cause');
  }
  return false;
}

/** Whether an error is an outage by the rule above, or by the rule of the caller, which is asked second. */
export const outageRule =
  (isOutage: ((error: unknown) => boolean) | undefined) =>
  (error: unknown): boolean => {
    if (isInfrastructureFailure(error)) return true;
    try {
      return isOutage?.(error) === true;
    } catch {
      // The error of the handler matters more than that of the rule.
      return false;
    }
  };

function isUnavailable(error: unknown): boolean {
  const [code, name, message, status] = ['code', 'name', 'message', 'status'].map((field) => fieldOf(error, field));
  if (isOurs(error))
    return code === 'connection_failed' || code === 'timeout' || status === 429 || Number(status) >= 500;
  if (typeof code === 'string' && (codes.has(code) || sqlState.test(code) || sqliteCode.test(code))) return true;
  return name === 'TimeoutError' || (typeof message === 'string' && messages.some((pattern) => pattern.test(message)));
}

/** Whether it is an error of this package. Values that throw when they are inspected are not. */
function isOurs(error: unknown): boolean {
  try {
    return error instanceof SallyportError;
  } catch {
    return false;
  }
}
