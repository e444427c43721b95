import type { Event } from '../service/events.js';
import { typeOf } from '../streams/once/guard.js';
import { domainEvents, isoOf, kinds, linkOf, type Rec, type TableKind } from './kinds.js';
import { markRecord } from './marks.js';
import { deleteRecord, type Target, writeRecords } from './order.js';

type Data = Readonly<Record<string, unknown>>;

/** Apply an event to the tables. A record that the event does not contain, or that could not be read, is marked to be read again. */
export async function applyChange(target: Target, event: Event): Promise<void> {
  const type = typeOf(event);
  const data = Object(event.data) as Data;
  if (domainEvents.some((one) => one === type)) {
    const { organizationId, organization_id = organizationId } = Object(data.organizationDomain ?? data) as Data;
    return markRecord(target, 'organizations', String(organization_id));
  }
  const kind = target.kinds.find((one) => kinds[one].verbs.some((verb) => type === `${kinds[one].family}.${verb}`));
  if (!kind) return;
  // Events of one millisecond are in the order of their ids.
  const seenAt = `${isoOf(event.createdAt)} ${event.id}`;
  const record = recordOf(kind, data);
  if (/deleted$|removed$/.test(type)) await deleteRecord(target, kind, record.id, seenAt);
  else if (event.problem) await markRecord(target, kind, record.id);
  else await writeRecords(target, kind, [{ record, seenAt }]);
}

function recordOf(kind: TableKind, data: Data): Rec {
  if (kind !== 'directory_group_users') return data as Rec;
  const [group, user] = [data.group, data.user].map((one) => Object(one) as Rec);
  return linkOf(group!.id, user!);
}
