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
export const orderCases: readonly (readonly [sentence: string, reports: readonly Report[], row: string | null])[] = [
  ['a first record is written', [{ updated: 10, seen: '10 a' }], '10, 10 a'],
  [
    'a later record is written',
    [
      { updated: 10, seen: '10 a' },
      { updated: 20, seen: '20 b' },
    ],
    '20, 20 b',
  ],
  [
    'an earlier record is not written',
    [
      { updated: 20, seen: '20 b' },
      { updated: 10, seen: '10 a' },
    ],
    '20, 20 b',
  ],
  [
    'a record with the same time that was seen later is written',
    [
      { updated: 10, seen: '10 a' },
      { updated: 10, seen: '30' },
    ],
    '10, 30',
  ],
  [
    'a record with the same time that was seen earlier is not written',
    [
      { updated: 10, seen: '30' },
      { updated: 10, seen: '10 a' },
    ],
    '10, 30',
  ],
  [
    'an earlier record that was seen later, from a late replica, is not written',
    [
      { updated: 20, seen: '20 b' },
      { updated: 10, seen: '30' },
    ],
    '20, 20 b',
  ],
  [
    'a later record that was seen earlier is written',
    [
      { updated: 10, seen: '30' },
      { updated: 20, seen: '25 b' },
    ],
    '20, 25 b',
  ],
  [
    'of two events of one millisecond the one with the later id is written',
    [
      { updated: 10, seen: '10 b' },
      { updated: 10, seen: '10 a' },
    ],
    '10, 10 b',
  ],
  [
    'an event counts as later than a response of the same millisecond',
    [
      { updated: 10, seen: '10 a' },
      { updated: 10, seen: '10' },
    ],
    '10, 10 a',
  ],
  [
    'the same event changes nothing',
    [
      { updated: 10, seen: '10 a' },
      { updated: 10, seen: '10 a' },
    ],
    '10, 10 a',
  ],
  ['a deletion ends a record', [{ updated: 10, seen: '10 a' }, { deleted: '20 b' }], null],
  ['a record from before its deletion is not written', [{ deleted: '20 b' }, { updated: 10, seen: '10 a' }], null],
  [
    'a response from before a deletion that arrives after it is not written',
    [{ deleted: '20 b' }, { updated: 10, seen: '19' }],
    null,
  ],
  [
    'a record with a later time than its deletion comes back',
    [{ deleted: '20 b' }, { updated: 30, seen: '30 c' }],
    '30, 30 c',
  ],
  [
    'a deletion from before a record that came back does not end it',
    [{ updated: 30, seen: '30 c' }, { deleted: '20 b' }],
    '30, 30 c',
  ],
  [
    'a deletion is later than a record that was seen before it, whatever its time',
    [{ updated: 25, seen: '15' }, { deleted: '20 b' }],
    null,
  ],
  [
    'a record is deleted by a deletion in the millisecond in which it was written',
    [{ updated: 10, seen: '10 a' }, { deleted: '10 b' }],
    null,
  ],
  [
    'the deletion of a user ends a membership that arrives after it',
    [
      { deleted: '20 b', of: 'user' },
      { updated: 10, seen: '10 a' },
    ],
    null,
  ],
  [
    'the deletion of an organization ends its membership',
    [
      { updated: 10, seen: '10 a' },
      { deleted: '20 b', of: 'organization' },
    ],
    null,
  ],
  [
    'a list without the record ends a row that was seen before',
    [{ updated: 10, seen: '10 a' }, { missing: '20' }],
    null,
  ],
  [
    'a list without the record does not end a row that was seen later',
    [{ updated: 10, seen: '10 a' }, { missing: '10' }],
    '10, 10 a',
  ],
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
