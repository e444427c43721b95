// Offboarding: give people access when their company's directory adds them, and end it, with their sessions, when they leave.
//
//   npx tsx examples/offboarding.ts

import { type DirectoryUser, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions, type SignedInEvent, withSession } from 'sallyport/session';
import { follow, followRevocations, memoryCheckpoint, on } from 'sallyport/streams';
import { TestBrowser } from 'sallyport/testing';

const emulator = await createEmulator({
  dialect: 'workos',
  seed: {
    organizations: [{ id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] }],
    connections: [
      {
        id: 'conn_acme',
        organization_id: 'org_acme',
        connection_type: 'OktaSAML',
        profiles: [{ idp_id: 'okta|ada', email: 'ada@acme.test' }],
      },
    ],
  },
  autoApprove: true,
});
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const { userManagement } = sallyport;
const site = 'http://localhost:3000';
const revocations = followRevocations(sallyport, { pollMs: 50 });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  redirectUri: `${site}/callback`,
  revocations,
  onSignedIn: admit,
});

/** The people of the directories, by id. In production, a table of your database. */
const people = new Map<string, DirectoryUser>();
/** The organizations whose directory decides who may enter. */
const managed = new Set(['org_acme']);

const handle = on({
  'dsync.user.created': (event) => setAccess(event.data),
  // Okta and Entra ID send this when a person leaves, with another state.
  'dsync.user.updated': (event) => setAccess(event.data),
  'dsync.user.deleted': (event) => removeAccess(event.data),
  // No event comes for each person of a deleted directory.
  'dsync.deleted': async (event) => {
    for (const person of people.values()) if (person.directoryId === event.data.id) await removeAccess(person);
  },
});

/** Follow the state of a person. A person who comes back is `active` again. */
async function setAccess(person: DirectoryUser): Promise<void> {
  if (person.state !== 'active') return removeAccess(person);
  people.set(person.id, person);
  const { email, organizationId } = person;
  if (!email || !organizationId) return;
  const user = (await findUser(email)) ?? (await userManagement.createUser({ email }));
  // An event may come twice, so look first.
  const { data } = await userManagement.listOrganizationMemberships({ userId: user.id, organizationId });
  if (data.length === 0) await userManagement.createOrganizationMembership({ userId: user.id, organizationId });
}

/** End the membership of a person, and their sessions in this organization. */
async function removeAccess({ id, email, organizationId }: DirectoryUser): Promise<void> {
  people.delete(id);
  const user = email ? await findUser(email) : undefined;
  if (user && organizationId) await endAccess(user.id, organizationId);
}

async function endAccess(userId: string, organizationId: string): Promise<void> {
  for await (const membership of userManagement.listOrganizationMemberships({ userId, organizationId }))
    await userManagement.deleteOrganizationMembership(membership.id);
  for await (const session of userManagement.listSessions(userId))
    if (session.status === 'active' && session.organizationId === organizationId)
      await userManagement.revokeSession({ sessionId: session.id });
}

/** Deny users whom the directory does not list. Signing in with SSO has made them members of the organization again. */
async function admit({ session: { user, organizationId } }: SignedInEvent) {
  if (!organizationId || !managed.has(organizationId)) return undefined;
  for (const person of people.values())
    if (person.organizationId === organizationId && person.email?.toLowerCase() === user.email.toLowerCase())
      return undefined;
  await endAccess(user.id, organizationId);
  return { deny: 'not_in_directory' };
}

async function findUser(email: string) {
  const { data } = await userManagement.listUsers({ email });
  return data[0];
}

const stream = follow(sallyport, { checkpoint: memoryCheckpoint(), start: 'oldest', pollMs: 50 });
const running = stream.run(handle);

const app = withSession(sessions, (_, { session }) => new Response(session?.user.email), {
  protect: ['/'],
  routes: true,
  signIn: { connectionId: 'conn_acme' },
  page: ({ reason, code }) => `${reason}: ${code}`,
});
const browser = new TestBrowser({ loginHint: 'ada@acme.test', sites: { [site]: app, [emulator.url]: emulator.fetch } });

// The directory adds Ada, and she signs in.
const directory = await emulator.createDirectory({ name: 'People of Acme', organizationId: 'org_acme' });
const ada = await emulator.createDirectoryUser({ directoryId: directory.id, email: 'ada@acme.test' });
await until(async () => (await members()) === 1);
console.log('joined:', await members(), 'member,', (await browser.open(site)).text);

// She leaves: the directory deactivates her.
await emulator.updateDirectoryUser(ada.id, { state: 'inactive' });
await until(async () => (await status()) === 'signed_out');
console.log('left:', await members(), 'members, session', await status());

// The identity provider still knows her.
const { status: answer, text } = await browser.open(site);
console.log('signs in again:', answer, text, 'members:', await members());

// She comes back.
await emulator.updateDirectoryUser(ada.id, { state: 'active' });
await until(async () => (await members()) === 1);
console.log('came back:', await members(), 'member,', (await browser.open(site)).text);

// The customer disconnects the directory.
await emulator.deleteDirectory(directory.id);
await until(async () => (await members()) === 0);
console.log('directory deleted:', await members(), 'members');

await stream.close();
await running;
await revocations.close();
await emulator.close();

async function members(): Promise<number> {
  return (await userManagement.listOrganizationMemberships({ organizationId: 'org_acme' })).data.length;
}

async function status(): Promise<string> {
  return (await sessions.handle({ headers: { cookie: browser.cookiesFor(site) } })).status;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
