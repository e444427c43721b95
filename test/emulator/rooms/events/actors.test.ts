import { describe, expect, test } from 'vitest';
import type { EventActor } from '../../../../src/index.js';
import { stage } from '../../../stage.js';
import { Browser } from '../../hosted/hosted-browser.js';
import { signingIn } from '../../sign-in/signing-in.js';

// Every event names its actor: the API key, the user, the directory, the dashboard, or the service itself.

async function startAndListen(...options: Parameters<typeof stage>) {
  const started = await stage(...options);
  return { ...started, ...listen(started.emulator) };
}

/** Record the last actor of each event type. */
function listen(emulator: Awaited<ReturnType<typeof stage>>['emulator']) {
  const actors = new Map<string, EventActor | undefined>();
  emulator.onEvent(({ event, context }) => actors.set(event, context.actor as EventActor));
  return { actors, actorOf: (event: string) => actors.get(event) };
}

describe('an event from an API request', () => {
  test('names the API key, but does not contain the secret value', async () => {
    const { emulator, send, actorOf, actors } = await startAndListen({
      apiKey: 'sk_test_first',
      apiKeys: [{ value: 'sk_test_backoffice', name: 'Back office' }],
    });

    await send('POST /organizations', { name: 'Acme' }, { authorization: 'Bearer sk_test_backoffice' });
    const second = actorOf('organization.created');
    await send('POST /organizations', { name: 'Other' });
    const first = actorOf('organization.created');

    expect(second).toEqual({ id: expect.stringMatching(/^api_key_\w{26}$/), source: 'api', name: 'Back office' });
    expect(first).toEqual({ id: expect.stringMatching(/^api_key_\w{26}$/), source: 'api', name: 'default' });
    expect(first?.id).not.toBe(second?.id);
    expect(JSON.stringify([...actors])).not.toContain('sk_test_');
    expect((await send('GET /events')).body.data.at(-1).context).toEqual({
      client_id: emulator.credentials.clientId,
      actor: first,
    });
  });

  test('about a deleted dependent object also names the API key', async () => {
    const { emulator, send, actorOf } = await startAndListen();
    const { body: organization } = await send('POST /organizations', { name: 'Acme' });
    const { body: user } = await send('POST /user_management/users', { email: 'ada@acme.test' });
    await send('POST /user_management/organization_memberships', {
      user_id: user.id,
      organization_id: organization.id,
    });

    const deletion = send(`DELETE /organizations/${organization.id}`);
    await emulator.createRole({ slug: 'auditor' });
    await deletion;

    expect(actorOf('organization_membership.deleted')).toMatchObject({ source: 'api', name: 'default' });
    expect(actorOf('organization.deleted')).toMatchObject({ source: 'api', name: 'default' });
    expect(actorOf('role.created')).toMatchObject({ source: 'dashboard' });
  });
});

describe('an event from a control', () => {
  test('names the dashboard as the actor, in process and over HTTP', async () => {
    const { emulator, send, actorOf } = await startAndListen();

    await emulator.createRole({ slug: 'auditor' });
    const own = actorOf('role.created');
    await send('POST /_emulator/roles', { slug: 'keeper' });

    expect(own).toEqual({ id: 'dashboard', source: 'dashboard', name: 'Dashboard' });
    expect(actorOf('role.created')).toEqual(own);
  });

  test('about a directory user or group names the directory as the actor', async () => {
    const { emulator, actorOf } = await startAndListen();
    const { id: directoryId } = await emulator.createDirectory({ name: 'Acme people' });
    const { id: groupId } = await emulator.createDirectoryGroup({ directoryId, name: 'Docks' });
    const { id } = await emulator.createDirectoryUser({ directoryId, email: 'ada@acme.test', groups: [groupId] });
    await emulator.updateDirectoryUser(id, { jobTitle: 'Engineer' });
    await emulator.updateDirectoryGroup(groupId, { name: 'Quays' });
    await emulator.removeUserFromGroup({ userId: id, groupId });
    await emulator.deleteDirectoryUser(id);
    await emulator.deleteDirectoryGroup(groupId);

    const directory = { id: directoryId, source: 'directory', name: 'Acme people' };
    for (const event of ['user.created', 'user.updated', 'user.deleted', 'group.created', 'group.updated'])
      expect([event, actorOf(`dsync.${event}`)]).toEqual([event, directory]);
    for (const event of ['group.user_added', 'group.user_removed', 'group.deleted'])
      expect([event, actorOf(`dsync.${event}`)]).toEqual([event, directory]);
    expect(actorOf('dsync.activated')).toMatchObject({ source: 'dashboard' });
  });

  test('about the DNS check of a domain names the service as the actor', async () => {
    const { emulator, send, actorOf } = await startAndListen({ autoVerifyAfterMs: 1_000 });
    const { body } = await send('POST /organizations', { name: 'Acme', domains: ['acme.test', 'acme.example'] });

    await emulator.verifyDomain(body.domains[0].id, 'failed');
    await send(`POST /organization_domains/${body.domains[1].id}/verify`);
    await emulator.clock.advance('1s');

    const service = { id: 'system', source: 'system', name: 'System' };
    expect(actorOf('organization_domain.verification_failed')).toEqual(service);
    expect(actorOf('organization_domain.verified')).toEqual(service);
    expect(actorOf('organization_domain.created')).toMatchObject({ source: 'api' });
  });
});

describe('an event from a sign-in', () => {
  test('names the user as the actor', async () => {
    const { emulator, byPassword, user } = await signingIn();
    const { actorOf } = listen(emulator);
    const { id } = await user('grace@example.com', { first_name: 'Grace', last_name: 'Hopper' });

    await byPassword('grace@example.com');

    const grace = { id, source: 'user', name: 'Grace Hopper' };
    expect(actorOf('user.created')).toMatchObject({ source: 'api' });
    expect(actorOf('authentication.password_succeeded')).toEqual(grace);
    expect(actorOf('session.created')).toEqual(grace);
  });

  test('names no user if the email address is unknown', async () => {
    const { emulator, grant } = await signingIn();
    const { actorOf } = listen(emulator);

    await grant('password', { email: 'nobody@example.com', password: 'wrong horse' });

    expect(actorOf('authentication.password_failed')).toEqual({ id: null, source: 'user', name: null });
  });

  test('names the staff member if a user is impersonated', async () => {
    const { emulator, grant, user } = await signingIn();
    const { actorOf } = listen(emulator);
    const { id } = await user('ada@example.com');
    const { code } = await emulator.impersonate({ userId: id, email: 'staff@acme.test' });

    await grant('authorization_code', { code });

    expect(actorOf('session.created')).toMatchObject({ source: 'dashboard', name: 'staff@acme.test' });
  });
});

test('an event from a hosted page names the user as the actor, even if the page created the user', async () => {
  const { emulator, send } = await stage();
  const { actorOf } = listen(emulator);
  const { body: organization } = await send('POST /organizations', { name: 'Acme' });
  await send('POST /user_management/invitations', { email: 'ada@acme.test', organization_id: organization.id });
  const browser = new Browser(emulator);
  await browser.open(emulator.inbox.latest('ada@acme.test')!.url!);

  await browser.press('Accept');

  const { body } = await send('GET /user_management/users?email=ada@acme.test');
  const ada = { id: body.data[0].id, source: 'user', name: 'ada@acme.test' };
  expect(actorOf('invitation.created')).toMatchObject({ source: 'api' });
  for (const event of ['user.created', 'invitation.accepted', 'organization_membership.created'])
    expect([event, actorOf(event)]).toEqual([event, ada]);
});
