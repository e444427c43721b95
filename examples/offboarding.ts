// Offboarding: give people access when their company's directory adds them, and end it, with their sessions, when they leave.
//
//   npx tsx examples/offboarding.ts

import { type DirectoryUser, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { follow, followRevocations, memoryCheckpoint, on } from 'sallyport/streams';

const emulator = await createEmulator({ seed: { organizations: [{ id: 'org_acme', name: 'Acme' }] } });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const { userManagement } = sallyport;
const revocations = followRevocations(sallyport, { pollMs: 50 });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  revocations,
});

/** The people of the directories, by id. In production, a table of your database. */
const people = new Map<string, DirectoryUser>();

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
  if (!user || !organizationId) return;
  for await (const membership of userManagement.listOrganizationMemberships({ userId: user.id, organizationId }))
    await userManagement.deleteOrganizationMembership(membership.id);
  for await (const session of userManagement.listSessions(user.id))
    if (session.status === 'active' && session.organizationId === organizationId)
      await userManagement.revokeSession({ sessionId: session.id });
}

async function findUser(email: string) {
  const { data } = await userManagement.listUsers({ email });
  return data[0];
}

const stream = follow(sallyport, { checkpoint: memoryCheckpoint(), start: 'oldest', pollMs: 50 });
const running = stream.run(handle);

// The directory adds Ada, and she signs in.
const directory = await emulator.createDirectory({ name: 'People of Acme', organizationId: 'org_acme' });
const ada = await emulator.createDirectoryUser({ directoryId: directory.id, email: 'ada@acme.test' });
await until(async () => (await members()) === 1);
console.log('joined:', await members(), 'member');
const cookie = await signIn();

// She leaves: the directory deactivates her.
await emulator.updateDirectoryUser(ada.id, { state: 'inactive' });
await until(async () => (await status()) === 'signed_out');
console.log('left:', await members(), 'members, session', await status());

// She comes back.
await emulator.updateDirectoryUser(ada.id, { state: 'active' });
await until(async () => (await members()) === 1);
console.log('came back:', await members(), 'member, session', await status());

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

/** Sign Ada in, and return her cookie. */
async function signIn(): Promise<string> {
  const user = await findUser('ada@acme.test');
  await userManagement.updateUser({ userId: user?.id ?? '', password: 'analytical-engine', emailVerified: true });
  const tokens = await userManagement.authenticateWithPassword({
    email: 'ada@acme.test',
    password: 'analytical-engine',
  });
  return (await sessions.create(tokens)).map((line) => line.split(';')[0]).join('; ');
}

async function status(): Promise<string> {
  return (await sessions.handle({ headers: { cookie } })).status;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
