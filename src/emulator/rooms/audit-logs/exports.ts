import { type AuditLogExport, type AuditLogExportCreate, auditLogExportCreate } from '../../../service/audit-logs.js';
import { type Fields, nullable, oneOf, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { limits } from '../../../service/rates/limits.js';
import { badRequest, EmulatorRefusal, unprocessableField } from '../../store/refusal.js';
import type { Stored, View } from '../../store/view.js';
import { collection, type Memory, table } from '../../world/memory.js';
import { organizations } from '../organizations/records.js';
import { csvOf } from './csv.js';
import { type AuditEventRecord, auditEventsOf } from './events.js';

const auditExportRecord = part({
  id: string,
  organizationId: string,
  state: oneOf('pending', 'ready', 'error'),
  /** Time the file is written. The file contains the events received by then. */
  readyAt: timestamp,
  /** The requested events. */
  selection: ref<AuditLogExportCreate>(auditLogExportCreate),
  /** Contents of the file; null until it is written. */
  csv: nullable(string),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** An export as the emulator stores it. */
interface AuditExportRecord extends Stored<typeof auditExportRecord> {}

/** The exports of all organizations. */
export const auditExports = collection<AuditExportRecord>({
  object: 'audit log export',
  prefix: 'audit_log_export',
  belongsTo: { organizationId: 'organization' },
  record: ref(auditExportRecord),
});

/** Download links of exported files, by token. */
const link = part({ exportId: string, expiresAt: timestamp });
const links = table<Readonly<Fields<typeof link>>>('audit log export link', ref(link), undefined, 'id');

const linkLifetimeMs = limits.auditExportUrlLifetimeMinutes * 60_000;

/** Path of the download links. */
export const auditExportFilePath = '/audit_logs/files/:token';

/** Request an export. @throws {EmulatorRefusal} 404 for an unknown organization, 422 for a range that ends before it starts. */
export function requestAuditExport(memory: Memory, body: AuditLogExportCreate): AuditExportRecord {
  memory.of(organizations).get(body.organizationId);
  if (Date.parse(body.rangeEnd) < Date.parse(body.rangeStart))
    throw unprocessableField('range_end', 'invalid_range', 'must not be before range_start');
  return memory.of(auditExports).insert({
    organizationId: body.organizationId,
    state: 'pending',
    readyAt: memory.fromNow(memory.settings.auditExportAfterMs),
    selection: body,
    csv: null,
  });
}

/** Build the filter of an export. An empty list matches everything. Both ends of the range are inclusive. */
function matcherOf({ rangeStart, rangeEnd, ...filters }: AuditLogExportCreate): (event: AuditEventRecord) => boolean {
  const [start, end] = [Date.parse(rangeStart), Date.parse(rangeEnd)];
  const setOf = (list: readonly string[] | undefined) => (list?.length ? new Set(list) : undefined);
  const actions = setOf(filters.actions);
  const actors = setOf(filters.actors);
  const actorIds = setOf(filters.actorIds);
  const targets = setOf(filters.targets);
  return ({ action, occurredAt, actor, targets: objects }) => {
    const at = Date.parse(occurredAt);
    if (at < start || at > end) return false;
    if (actions && !actions.has(action)) return false;
    if (actorIds && !actorIds.has(actor.id)) return false;
    if (actors && !(actor.name !== undefined && actors.has(actor.name))) return false;
    return !targets || objects.some(({ type }) => targets.has(type));
  };
}

/** Get an export. Writes the file first if it is due. @throws {EmulatorRefusal} 404. */
export async function auditExportNow(memory: Memory, id: string): Promise<AuditExportRecord> {
  const exports = memory.of(auditExports);
  const pending = exports.get(id);
  if (pending.state !== 'pending' || !memory.isPast(pending.readyAt)) return pending;
  const matches = matcherOf(pending.selection);
  const events = auditEventsOf(memory, pending.organizationId)
    .filter((event) => event.receivedAt <= pending.readyAt && matches(event))
    .sort((one, other) => (one.occurredAt < other.occurredAt ? -1 : one.occurredAt > other.occurredAt ? 1 : 0));
  const csv = await csvOf(events);
  // Meanwhile another request may have written the file, failed the export or deleted the organization.
  const now = exports.get(id);
  return now.state === 'pending' ? exports.update(id, { state: 'ready', csv, updatedAt: pending.readyAt }) : now;
}

/** Convert an export to the API format. A ready export gets a new download link. */
export function auditExportView(memory: Memory, { id, state, createdAt, updatedAt }: AuditExportRecord) {
  const view: View<AuditLogExport> = { id, state, createdAt, updatedAt };
  if (state !== 'ready') return view;
  const token = memory.ids.token(32);
  const all = memory.of(links);
  // The oldest links come first.
  for (let { first } = all; first && memory.isPast(first[1].expiresAt); { first } = all) all.delete(first[0]);
  all.set(token, { exportId: id, expiresAt: memory.fromNow(linkLifetimeMs) });
  return { ...view, url: memory.url(auditExportFilePath.replace(':token', token)) };
}

/** Find the export that a download link belongs to. @throws {EmulatorRefusal} 404 for an unknown link, 410 for an expired one. */
export function auditExportOfLink(memory: Memory, token: string): AuditExportRecord & { readonly csv: string } {
  const link = memory.of(links).get(token);
  if (!link)
    throw new EmulatorRefusal(
      404,
      'not_found',
      'This is not a link to an audit log export. Fetch the export to get one',
    );
  const record = memory.of(auditExports).find(link.exportId);
  if (!record || record.csv === null || memory.isPast(link.expiresAt))
    throw new EmulatorRefusal(
      410,
      'link_expired',
      `Links to audit log exports work for ${limits.auditExportUrlLifetimeMinutes} minutes. Fetch the export again to get a new one`,
    );
  return { ...record, csv: record.csv };
}

/** Set the state of a pending export to `error`. @throws {EmulatorRefusal} 404; 400 if the export is ready. */
export function failAuditExport(memory: Memory, id: string): AuditExportRecord {
  const { state } = memory.of(auditExports).get(id);
  if (state === 'ready')
    throw badRequest('export_already_ready', `The audit log export ${id} is ready; only a pending one can fail`);
  return memory.of(auditExports).update(id, { state: 'error' });
}
