// Roles and permissions: check a permission in a route and in a page, and change a role.
//
//   npx tsx examples/roles.ts

import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions, requireSession, withSession } from 'sallyport/session';

const emulator = await createEmulator({
  dialect: 'workos',
  seed: {
    roles: [
      { slug: 'admin', permissions: ['members:manage', 'reports:read'] },
      { slug: 'analyst', permissions: ['reports:read'] },
      { slug: 'member' },
    ],
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    users: [{ id: 'user_ada', email: 'ada@acme.test', first_name: 'Ada', email_verified: true }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'member' }],
  },
});
const { organizations, userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
});

for (const { slug, permissions } of await organizations.listOrganizationRoles({ organizationId: 'org_acme' }))
  console.log(slug, 'may:', permissions?.join(', ') || 'nothing');

// A route for programs and pages. `bearer` also accepts access tokens.
const reports = requireSession(
  sessions,
  (_request, session) =>
    session.has({ permission: 'reports:read' })
      ? Response.json({ reports: ['Harbour dues'] })
      : Response.json({ error: 'forbidden' }, { status: 403 }),
  { bearer: true },
);

// A page for all members. Only users with the permission see the link.
const home = withSession(
  sessions,
  (_request, { session }) => {
    const link = session?.has({ permission: 'reports:read' }) ? '<a href="/reports">Reports</a>' : '';
    return new Response(`Hello ${session?.user.firstName}. ${link}`);
  },
  // Check whole paths before the handler runs. Everything below these paths is included.
  { protect: ['/'], permission: { '/reports': 'reports:read', '/admin': 'members:manage' } },
);

/** The `Cookie` header that a browser sends after these `Set-Cookie` headers. */
const cookieOf = (lines: readonly string[]): string => lines.map((line) => line.split(';')[0]).join('; ');
let cookie = cookieOf(await sessions.create(await emulator.signInAs('user_ada')));
const open = async (handler: typeof home, path: string): Promise<string> => {
  const response = await handler(new Request(`http://localhost:3000${path}`, { headers: { cookie } }));
  return `${response.status} ${await response.text()}`;
};

console.log(await open(home, '/')); // 200 Hello Ada.
console.log(await open(reports, '/api/reports')); // 403 {"error":"forbidden"}

// An administrator changes the role of a member.
const [membership] = await userManagement
  .listOrganizationMemberships({ userId: 'user_ada', organizationId: 'org_acme' })
  .toArray({ max: 1 });
if (!membership) throw new Error('Ada is not a member.');
await userManagement.updateOrganizationMembership(membership.id, { roleSlug: 'analyst' });

// The access token still names the old role. A refresh gets a token with the new one.
console.log('before the refresh:', await open(reports, '/api/reports'));
const refreshed = await sessions.refresh({ headers: { cookie } });
cookie = cookieOf(refreshed.headers.getSetCookie());
console.log('after the refresh:', await open(reports, '/api/reports'));
console.log(await open(home, '/')); // Ada sees the link.
console.log(await open(home, '/admin')); // 403 {"error":"forbidden"}

await emulator.close();
