// Fine-grained authorization: define a schema, write warrants, and check access. It needs the dialect `spec`, because the public service
// has another API for it.
//
//   npx tsx examples/fga.ts

import { isAuthorized, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'spec' });
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

await fga.writeWarrant({ resource: report, relation: 'viewer', subject: ada });

// The subjects of warrants are your ids, so the service does not know that they belong to a user whom you delete.
const warrants = await fga.listWarrants({ subjectType: 'user', subjectId: 'ada' }).toArray({ max: 1_000 });
const deletions = warrants.map(({ resourceType, resourceId, relation, subject }) => ({
  op: 'delete' as const,
  resource: { resourceType, resourceId },
  relation,
  subject,
}));
if (deletions.length > 0) await fga.batchWriteWarrants(deletions);
console.log('warrants of Ada:', (await fga.listWarrants({ subjectId: 'ada' })).data.length);

await emulator.close();
