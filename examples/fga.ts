// Fine-grained authorization: define a schema, write warrants, and check access.
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

// All members of the team can edit, and Ada is a member.
const { warrantToken } = await fga.batchWriteWarrants([
  {
    resource: report,
    relation: 'editor',
    subject: { resourceType: 'team', resourceId: 'finance', relation: 'member' },
  },
  { resource: { resourceType: 'team', resourceId: 'finance' }, relation: 'member', subject: ada },
]);

// The warrant token makes sure that the check sees these warrants.
const answer = await fga.check({ checks: [{ resource: report, relation: 'viewer', subject: ada }] }, { warrantToken });
console.log('Ada can view the report:', isAuthorized(answer), answer.isImplicit ? '(by inheritance)' : '');

// All reports that Ada can view, for a list page.
for await (const { resourceId } of fga.query({ q: 'select report where user:ada is viewer' }, { warrantToken }))
  console.log('Ada can view', resourceId);

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

const removed = await fga.writeWarrant({
  op: 'delete',
  resource: { resourceType: 'team', resourceId: 'finance' },
  relation: 'member',
  subject: ada,
});
const now = await fga.check(
  { checks: [{ resource: report, relation: 'viewer', subject: ada }] },
  { warrantToken: removed.warrantToken },
);
console.log('after leaving the team:', isAuthorized(now));

await emulator.close();
