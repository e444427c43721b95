import type { StreamStatus } from '../streams/follow/status.js';
import type { TableKind } from './kinds.js';

/** What this process does for the mirror. */
export type MirrorState =
  /** Not started. */
  | 'new'
  /** Another process writes. */
  | 'standby'
  /** Copying the lists of the service. */
  | 'copying'
  /** Following the events. */
  | 'following'
  /** The service or the database is failing, and the mirror keeps retrying. */
  | 'outage'
  /** Closed by `close` or its signal. */
  | 'closed'
  /** Ended with an error. */
  | 'failed';

/** Status of a mirror. */
export interface MirrorStatus {
  /** What this process does. */
  readonly state: MirrorState;
  /** Lag behind the service, in milliseconds; undefined before the first copy has ended. */
  readonly lagMs: number | undefined;
  /** Number of records by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Pages and records that the current or last copy has read, and the kind that it reads now. */
  readonly copy: { readonly kind: TableKind | undefined; readonly pages: number; readonly records: number };
  /** The last event that this process has applied. */
  readonly lastEvent: StreamStatus['lastEvent'];
}
