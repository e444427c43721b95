// Copied next to the installed package and run there, with `import` or `require` as its argument: uses every library that
// is inlined into the emulator, and prints the results.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const load = process.argv[2] === 'require' ? require : (entry) => import(entry);
const { Sallyport } = await load('sallyport');
const { createEmulator } = await load('sallyport/emulator');

const emulator = await createEmulator({ seed: 'seed.yaml', clock: '2026-03-01T09:00:00.000Z' });
await emulator.listen(0);
const sallyport = new Sallyport({ ...emulator.credentials, baseUrl: emulator.url });

const { data } = await sallyport.organizations.listOrganizations();
const factor = await sallyport.mfa.enrollFactor({ type: 'totp', issuer: 'Harbour', user: 'ada@northwind.test' });
const judged = (metadata) =>
  sallyport.auditLogs.createSchema({ action: 'report.exported', targets: [{ type: 'report', metadata }] }).then(
    () => 'accepted',
    (error) => error.code,
  );
const draft7 = 'http://json-schema.org/draft-07/schema#';
const judgements = [
  await judged({ type: 'object', properties: { format: { type: 'nonsense' } } }),
  await judged({ $schema: draft7, type: 'object', properties: { format: { type: 'nonsense' } } }),
  await judged({ $schema: draft7, type: 'object', properties: { format: { type: 'string' } } }),
];
let exported = await sallyport.auditLogs.createExport({
  organizationId: data[0].id,
  rangeStart: new Date('2026-03-01T00:00:00.000Z'),
  rangeEnd: new Date('2026-03-02T00:00:00.000Z'),
});
for (let tries = 0; exported.state === 'pending' && tries < 60; tries += 1) {
  await emulator.clock.advance('1s');
  exported = await sallyport.auditLogs.getExport(exported.id);
}
const csv = await (await fetch(exported.url)).text();
await emulator.close();

process.stdout.write(
  JSON.stringify({
    yaml: data.map(({ name }) => name),
    qrcode: factor.totp.qrCode.slice(0, 22),
    jsonSchema: judgements,
    csv: csv.split(/\r?\n/)[0].split(',').length > 5,
  }),
);
