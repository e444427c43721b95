// Fine-grained authorization: a schema, who relates to what, and the questions to ask of it.
//
//   npx tsx examples/fga.ts

import { isAuthorized, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator();
const { fga } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

await fga.applyResourceTypes([
  { type: 'user', relations: {} },
  { type: 'team', relations: { member: {} } },
  { type: 'report', relations: { editor: {}, viewer: { inherit_if: 'editor' } } },
]);
const report = { resourceType: 'report', resourceId: 'q3' };
const ada = { resourceType: 'user', resourceId: 'ada' };
await fga.createResource({ resource: report, meta: { title: 'Third quarter' } });

// Everybody in the team may edit; Ada is in the team.
const { warrantToken } = await fga.batchWriteWarrants([
  {
    resource: report,
    relation: 'editor',
    subject: { resourceType: 'team', resourceId: 'finance', relation: 'member' },
  },
  { resource: { resourceType: 'team', resourceId: 'finance' }, relation: 'member', subject: ada },
]);

// The token makes the read know of that write.
const answer = await fga.check({ checks: [{ resource: report, relation: 'viewer', subject: ada }] }, { warrantToken });
console.log('Ada may view the report:', isAuthorized(answer), answer.isImplicit ? '(by inheritance)' : '');

for await (const warrant of fga.listWarrants({ resourceType: 'report' }))
  console.log(
    '-',
    warrant.relation,
    'of',
    warrant.resourceId,
    'is',
    warrant.subject.resourceType,
    warrant.subject.resourceId,
  );

await fga.writeWarrant({
  op: 'delete',
  resource: { resourceType: 'team', resourceId: 'finance' },
  relation: 'member',
  subject: ada,
});
const now = await fga.check({ checks: [{ resource: report, relation: 'viewer', subject: ada }] });
console.log('and after leaving the team:', isAuthorized(now));

await emulator.close();
