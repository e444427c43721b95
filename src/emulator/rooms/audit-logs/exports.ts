import { type AuditLogExport, type AuditLogExportCreate, auditLogExportCreate } from '../../../service/audit-logs.js';
import { type Fields, nullable, oneOf, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { limits } from '../../../service/limits.js';
import { badRequest, Refusal, unprocessableField } from '../../world/refusal.js';
import type { View } from '../../world/view.js';
import { collection, table, type World } from '../../world/world.js';
import { organizations } from '../organizations/records.js';
import { csvOf } from './csv.js';
import { type AuditEventRecord, auditEventsOf } from './events.js';

/** An export as the emulator stores it. */
export interface AuditExportRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly state: 'pending' | 'ready' | 'error';
  /** When the file is made; it holds what had arrived by then. */
  readonly readyAt: string;
  /** Which events it holds. */
  readonly selection: AuditLogExportCreate;
  /** The file; null until there is one. */
  readonly csv: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The exports of all organizations. */
export const auditExports = collection<AuditExportRecord>({
  object: 'audit log export',
  prefix: 'audit_log_export',
  index: ['organizationId'],
  record: ref<AuditExportRecord>(
    part({
      id: string,
      organizationId: string,
      state: oneOf('pending', 'ready', 'error'),
      readyAt: timestamp,
      selection: ref<AuditLogExportCreate>(auditLogExportCreate),
      csv: nullable(string),
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

/** Where the links to exported files lead, by their tokens. */
const link = part({ exportId: string, expiresAt: timestamp });
const links = table<Readonly<Fields<typeof link>>>('audit log export link', ref(link));

const linkLifetimeMs = limits.auditExportUrlLifetimeMinutes * 60_000;

/** Path of the links to exported files. */
export const auditExportFilePath = '/audit_logs/files/:token';

/** Ask for an export. @throws {Refusal} 404 for an unknown organization, 422 for a range that ends before it starts. */
export function requestAuditExport(world: World, body: AuditLogExportCreate): AuditExportRecord {
  world.of(organizations).get(body.organizationId);
  if (Date.parse(body.rangeEnd) < Date.parse(body.rangeStart))
    throw unprocessableField('range_end', 'invalid_range', 'must not lie before range_start');
  const { now } = world;
  return world.of(auditExports).insert({
    organizationId: body.organizationId,
    state: 'pending',
    readyAt: world.fromNow(world.settings.auditExportAfterMs),
    selection: body,
    csv: null,
    createdAt: now,
    updatedAt: now,
  });
}

/** What an export asks for; a list that is empty restricts nothing. Both ends of the range belong to it. */
function matcherOf({ rangeStart, rangeEnd, ...only }: AuditLogExportCreate): (event: AuditEventRecord) => boolean {
  const [start, end] = [Date.parse(rangeStart), Date.parse(rangeEnd)];
  const [actions, actors, targets] = [only.actions, only.actors, only.targets].map((list) =>
    list?.length ? new Set(list) : undefined,
  );
  return ({ action, occurredAt, actor, targets: objects }) => {
    const at = Date.parse(occurredAt);
    if (at < start || at > end) return false;
    if (actions && !actions.has(action)) return false;
    if (actors && !(actor.name !== undefined && actors.has(actor.name))) return false;
    return !targets || objects.some(({ type }) => targets.has(type));
  };
}

/** An export as it stands by now: the file of one that has become ready is made here. @throws {Refusal} 404. */
export async function auditExportNow(world: World, id: string): Promise<AuditExportRecord> {
  const exports = world.of(auditExports);
  const pending = exports.get(id);
  if (pending.state !== 'pending' || !world.isPast(pending.readyAt)) return pending;
  const matches = matcherOf(pending.selection);
  const events = auditEventsOf(world, pending.organizationId)
    .filter((event) => event.receivedAt <= pending.readyAt && matches(event))
    .sort((one, other) => (one.occurredAt < other.occurredAt ? -1 : one.occurredAt > other.occurredAt ? 1 : 0));
  const csv = await csvOf(events);
  // Somebody may have asked at the same time, let it fail, or deleted the organization.
  const now = exports.get(id);
  return now.state === 'pending' ? exports.update(id, { state: 'ready', csv, updatedAt: pending.readyAt }) : now;
}

/** An export as it is shown, with a fresh link when its file is there. */
export function auditExportView(world: World, { id, state, createdAt, updatedAt }: AuditExportRecord) {
  const view: View<AuditLogExport> = { id, state, createdAt, updatedAt };
  if (state !== 'ready') return view;
  const token = world.ids.token(32);
  const all = world.of(links);
  // Links that have run out stand first.
  for (let { first } = all; first && world.isPast(first[1].expiresAt); { first } = all) all.delete(first[0]);
  all.set(token, { exportId: id, expiresAt: world.fromNow(linkLifetimeMs) });
  return { ...view, url: world.url(auditExportFilePath.replace(':token', token)) };
}

/** The export behind a link. @throws {Refusal} 404 for a link nobody was given, 410 for one that is too old. */
export function auditExportBehind(world: World, token: string): AuditExportRecord & { readonly csv: string } {
  const link = world.of(links).get(token);
  if (!link)
    throw new Refusal(404, 'not_found', 'This is not a link to an audit log export. Fetch the export to get one');
  const record = world.of(auditExports).find(link.exportId);
  if (!record || record.csv === null || world.isPast(link.expiresAt))
    throw new Refusal(
      410,
      'link_expired',
      `Links to audit log exports work for ${limits.auditExportUrlLifetimeMinutes} minutes. Fetch the export again to get a fresh one`,
    );
  return { ...record, csv: record.csv };
}

/** End an export in an error, as when the service fails to make the file. @throws {Refusal} 404, 400. */
export function failAuditExport(world: World, id: string): AuditExportRecord {
  const { state } = world.of(auditExports).get(id);
  if (state === 'ready')
    throw badRequest('export_already_ready', `The audit log export ${id} is ready; only a pending one can fail`);
  return world.of(auditExports).update(id, { state: 'error', updatedAt: world.now });
}
