// Audit logs: create a schema, write events that match it, and export them as CSV.
//
//   npx tsx examples/audit-logs.ts

import { isSallyportError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'workos', clock: '2026-03-01T09:00:00.000Z' });
const { auditLogs, organizations } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const acme = await organizations.createOrganization({ name: 'Acme' });

await auditLogs.createSchema({
  action: 'report.exported',
  targets: [{ type: 'report', metadata: { type: 'object', properties: { format: { enum: ['csv', 'pdf'] } } } }],
});

const event = {
  action: 'report.exported',
  occurredAt: new Date(emulator.clock.now()),
  actor: { type: 'user', id: 'user_ada', name: 'Ada' },
  targets: [{ type: 'report', id: 'q3', metadata: { format: 'pdf' } }],
  context: { location: '192.0.2.7', userAgent: 'Firefox' },
};
// If the service honors the idempotency key, the second call returns the first response and writes nothing.
await auditLogs.createEvent(acme.id, event, { idempotencyKey: 'export-of-q3' });
await auditLogs.createEvent(acme.id, event, { idempotencyKey: 'export-of-q3' });

try {
  await auditLogs.createEvent(acme.id, {
    ...event,
    targets: [{ type: 'report', id: 'q3', metadata: { format: 'xls' } }],
  });
} catch (error) {
  if (!isSallyportError(error) || error.code !== 'bad_request') throw error;
  console.log(error.message);
}

/** Wait until an export is ready, and download its CSV file. */
async function download(exportId: string, maxWaitMs = 60_000): Promise<string> {
  for (const end = Date.now() + maxWaitMs; Date.now() < end; ) {
    const { state, url } = await auditLogs.getExport(exportId);
    // The URL works for ten minutes. Each getExport returns a new one. In production, use the global fetch.
    if (state === 'ready' && url) return (await emulator.fetch(url)).text();
    if (state !== 'pending') throw new Error(`The export ended in the state ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error('The export takes too long');
}

const { id } = await auditLogs.createExport({
  organizationId: acme.id,
  rangeStart: new Date('2026-03-01T00:00:00.000Z'),
  rangeEnd: new Date('2026-03-02T00:00:00.000Z'),
});
console.log(await download(id));

await organizations.updateAuditLogsRetention(acme.id, { retentionPeriodInDays: 365 });
const retention = await organizations.getAuditLogsRetention(acme.id);
console.log('events are kept for', retention.retentionPeriodInDays, 'days');

await emulator.close();
