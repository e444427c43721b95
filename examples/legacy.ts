// Deprecated APIs for existing code: SCIM endpoints, the audit trail, sign-in by domain. They need the dialect `spec`, because the public
// service no longer has them.
//
//   npx tsx examples/legacy.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';

const emulator = await createEmulator({ dialect: 'spec', seed: 'examples/company.yaml' });
const { legacy } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

for await (const user of legacy.scim.listUsers('directory_northwind')) {
  const groups = await legacy.scim.listUserGroups('directory_northwind', user.id);
  console.log(user.username, 'is in', groups.map(({ name }) => name).join(', '));
}

const { success } = await legacy.auditTrail.createEvent({
  group: 'northwind.test',
  location: '192.0.2.7',
  action: 'user.login_succeeded',
  actionType: 'C',
  actorName: 'Ada',
  actorId: 'user_ada',
  targetName: 'Ada',
  targetId: 'user_ada',
  occurredAt: new Date(emulator.clock.now()).toISOString(),
});
console.log('published:', success);

console.log(
  legacy.sso.getAuthorizationUrl({ domain: 'northwind.test', redirectUri: 'http://localhost:3000/callback' }),
);

await emulator.close();
