import { deleteRecord, endMissing, type Target, writeRecords } from '../../src/mirror/order.js';
import type { OnceDatabase } from '../../src/streams/once/drivers.js';
import { tablesIn } from './databases.js';

/**
 * What the service reports about one membership: a record with its `updated_at`, a deletion, or a list without it. Times are seconds.
 * `seen` is the time of the event or the response; events have the letter of their id after it.
 */
type Report =
  | { readonly updated: number; readonly seen: string }
  | { readonly deleted: string; readonly of?: 'user' | 'organization' }
  | { readonly missing: string };

const at = (time: string): string => {
  const [seconds = '', id] = time.split(' ');
  return `2026-05-04T08:00:${seconds.padStart(2, '0')}.000Z${id ? ` ${id}` : ''}`;
};

/** The order of the reports, and the `updated_at` and `seen_at` of the row afterwards; null if it does not exist. */
export const orderCases: readonly (readonly [predicate: string, reports: readonly Report[], row: string | null])[] = [
  ['writes a first record', [{ updated: 10, seen: '10 a' }], '10, 10 a'],
  [
    'writes a newer version of a record',
    [
      { updated: 10, seen: '10 a' },
      { updated: 20, seen: '20 b' },
    ],
    '20, 20 b',
  ],
  [
    'ignores an older version of a record',
    [
      { updated: 20, seen: '20 b' },
      { updated: 10, seen: '10 a' },
    ],
    '20, 20 b',
  ],
  [
    'writes a version with an unchanged updated_at if the version was read later',
    [
      { updated: 10, seen: '10 a' },
      { updated: 10, seen: '30' },
    ],
    '10, 30',
  ],
  [
    'ignores a version with an unchanged updated_at if the version was read earlier',
    [
      { updated: 10, seen: '30' },
      { updated: 10, seen: '10 a' },
    ],
    '10, 30',
  ],
  [
    'ignores an older version of a record even if the version was read later',
    [
      { updated: 20, seen: '20 b' },
      { updated: 10, seen: '30' },
    ],
    '20, 20 b',
  ],
  [
    'writes a newer version of a record even if the version was read earlier',
    [
      { updated: 10, seen: '30' },
      { updated: 20, seen: '25 b' },
    ],
    '20, 25 b',
  ],
  [
    'keeps the event with the later id if two events have the same timestamp',
    [
      { updated: 10, seen: '10 b' },
      { updated: 10, seen: '10 a' },
    ],
    '10, 10 b',
  ],
  [
    'prefers an event to a response with the same timestamp',
    [
      { updated: 10, seen: '10 a' },
      { updated: 10, seen: '10' },
    ],
    '10, 10 a',
  ],
  [
    'changes nothing if an event arrives twice',
    [
      { updated: 10, seen: '10 a' },
      { updated: 10, seen: '10 a' },
    ],
    '10, 10 a',
  ],
  ['removes a record after a deletion event', [{ updated: 10, seen: '10 a' }, { deleted: '20 b' }], null],
  ['ignores a record that is older than the deletion', [{ deleted: '20 b' }, { updated: 10, seen: '10 a' }], null],
  ['ignores a response that was read before the deletion', [{ deleted: '20 b' }, { updated: 10, seen: '19' }], null],
  [
    'restores a deleted record that is newer than the deletion',
    [{ deleted: '20 b' }, { updated: 30, seen: '30 c' }],
    '30, 30 c',
  ],
  [
    'ignores a deletion that is older than the record',
    [{ updated: 30, seen: '30 c' }, { deleted: '20 b' }],
    '30, 30 c',
  ],
  [
    'removes a record that was read before the deletion, even if updated_at is later',
    [{ updated: 25, seen: '15' }, { deleted: '20 b' }],
    null,
  ],
  [
    'removes a record if the deletion has the same timestamp as the record',
    [{ updated: 10, seen: '10 a' }, { deleted: '10 b' }],
    null,
  ],
  [
    'ignores a membership that arrives after the deletion of the user',
    [
      { deleted: '20 b', of: 'user' },
      { updated: 10, seen: '10 a' },
    ],
    null,
  ],
  [
    'removes the membership of a deleted organization',
    [
      { updated: 10, seen: '10 a' },
      { deleted: '20 b', of: 'organization' },
    ],
    null,
  ],
  ['removes a record that is missing from a newer list', [{ updated: 10, seen: '10 a' }, { missing: '20' }], null],
  ['keeps a record that is missing from an older list', [{ updated: 10, seen: '10 a' }, { missing: '10' }], '10, 10 a'],
];

/** Apply reports to an empty table, and return the row. */
export async function rowAfter(target: Target, reports: readonly Report[]): Promise<string | null> {
  for (const table of ['memberships', 'tombstones']) await target.query(`DELETE FROM sallyport_${table}`);
  for (const report of reports) {
    if ('updated' in report) {
      const record = { id: 'om_1', userId: 'user_1', organizationId: 'org_1', updatedAt: at(String(report.updated)) };
      await writeRecords(target, 'memberships', [{ record, seenAt: at(report.seen) }]);
    } else if ('missing' in report) await endMissing(target, 'memberships', 'om_1', at(report.missing));
    else if (report.of === 'user') await deleteRecord(target, 'users', 'user_1', at(report.deleted));
    else if (report.of) await deleteRecord(target, 'organizations', 'org_1', at(report.deleted));
    else await deleteRecord(target, 'memberships', 'om_1', at(report.deleted));
  }
  const [row] = await target.query('SELECT updated_at, seen_at FROM sallyport_memberships');
  const short = (time: unknown): string => String(time).replace('2026-05-04T08:00:', '').replace('.000Z', '');
  return row ? `${short(row.updated_at)}, ${short(row.seen_at)}` : null;
}

/** The links of a group after these events, each with its time, in this order. */
export async function linksAfter(
  handle: OnceDatabase,
  events: readonly (readonly ['added' | 'removed', string])[],
): Promise<number> {
  const target = await tablesIn(handle);
  for (const table of ['directory_group_users', 'tombstones']) await target.query(`DELETE FROM sallyport_${table}`);
  const record = { id: 'group_1 user_1', groupId: 'group_1', userId: 'user_1', directoryId: 'directory_1' };
  for (const [event, time] of events)
    if (event === 'added') await writeRecords(target, 'directory_group_users', [{ record, seenAt: at(time) }]);
    else await deleteRecord(target, 'directory_group_users', record.id, at(time));
  return (await target.query('SELECT id FROM sallyport_directory_group_users')).length;
}
