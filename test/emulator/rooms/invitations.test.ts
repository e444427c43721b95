import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { oneBrowser } from '../browser.js';

const path = '/user_management/invitations';
const memberships = '/user_management/organization_memberships';

/** Start an emulator with an organization. */
async function startWithAcme(options?: EmulatorOptions) {
  const { emulator, send } = await stage(options);
  const { body: organization } = await send('POST /organizations', { name: 'Acme' });
  const events: { event: string; data: object }[] = [];
  emulator.onEvent((event) => events.push(event));
  const invite = (body: object = {}) =>
    send(`POST ${path}`, { email: 'ada@example.com', organization_id: organization.id, ...body });
  const user = async (body: object = { email: 'ada@example.com' }) =>
    (await send('POST /user_management/users', body)).body;
  const membersOf = async (userId: string) =>
    (await send(`GET ${memberships}?user_id=${userId}&statuses=active,pending`)).body.data;
  return { emulator, send, organization, invite, user, membersOf, events, names: () => events.map((one) => one.event) };
}

describe('invitations', () => {
  test('are emailed with a token, and expire after seven days', async () => {
    const { emulator, send, organization, invite, names, events } = await startWithAcme();

    const sent = await invite();

    expect(sent.status).toBe(200);
    expect(sent.body).toEqual({
      object: 'invitation',
      id: expect.stringMatching(/^invitation_[0-9A-Z]{26}$/),
      email: 'ada@example.com',
      state: 'pending',
      accepted_at: null,
      revoked_at: null,
      expires_at: '2026-01-08T00:00:00.000Z',
      token: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
      organization_id: organization.id,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await send(`GET ${path}/${sent.body.id}`)).body).toEqual(sent.body);
    expect((await send(`GET ${path}/by_token/${sent.body.token}`)).body).toEqual(sent.body);
    expect(emulator.inbox.messages).toMatchObject([
      {
        kind: 'invitation',
        to: 'ada@example.com',
        subject: 'You have been invited to Acme',
        token: sent.body.token,
        url: `${emulator.url}/invitations/accept?token=${sent.body.token}`,
      },
    ]);
    expect(names()).toEqual(['invitation.created']);
    expect(JSON.stringify(events)).not.toContain(sent.body.token);
  });

  test('name the inviter in the subject of the email', async () => {
    const { emulator, invite, user } = await startWithAcme();
    const grace = await user({ email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper' });
    const nameless = await user({ email: 'mary@example.com' });

    await invite({ inviter_user_id: grace.id });
    await invite({ inviter_user_id: nameless.id, email: 'bob@example.com', organization_id: undefined });

    expect(emulator.inbox.latest('ada@example.com')!.subject).toBe('Grace Hopper has invited you to Acme');
    expect(emulator.inbox.latest('bob@example.com')!.subject).toBe('mary@example.com has invited you');
  });

  test('have additional fields in the workos dialect', async () => {
    const { emulator, invite, user } = await startWithAcme({ dialect: 'workos' });
    const grace = await user({ email: 'grace@example.com' });

    const { status, body } = await invite({ inviter_user_id: grace.id, role_slug: 'admin' });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      inviter_user_id: grace.id,
      accepted_user_id: null,
      role_slug: 'admin',
      accept_invitation_url: `${emulator.url}/invitations/accept?token=${body.token}`,
    });
  });

  test.each([
    [1, '2026-01-02T00:00:00.000Z'],
    [30, '2026-01-31T00:00:00.000Z'],
  ])('can be created with expires_in_days set to %i', async (days, end) => {
    const { invite } = await startWithAcme();

    expect((await invite({ expires_in_days: days })).body.expires_at).toBe(end);
  });

  test.each([0, 31, 1.5])('cannot be created with expires_in_days set to %s', async (days) => {
    const { invite } = await startWithAcme();

    const answer = await invite({ expires_in_days: days });

    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'expires_in_days']);
  });

  test.each([
    ['an unknown organization', { organization_id: 'org_none' }, 404, 'entity_not_found'],
    ['an unknown inviter', { inviter_user_id: 'user_none' }, 404, 'entity_not_found'],
    ['an unknown role', { role_slug: 'pilot' }, 422, 'role_not_found'],
    ['an invalid address', { email: 'nonsense' }, 422, 'validation_error'],
  ])('cannot be sent with %s', async (_what, body, status, code) => {
    const { emulator, invite, names } = await startWithAcme();

    const answer = await invite(body);

    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect([emulator.inbox.messages, names()]).toEqual([[], []]);
  });

  test('cannot be sent to an address that has a pending invitation to the organization or application', async () => {
    const { invite } = await startWithAcme();
    const { body: first } = await invite();

    const again = await invite({ email: 'ADA@example.com' });
    const toTheApplication = await invite({ organization_id: undefined });
    const againThere = await invite({ organization_id: undefined });

    expect(first.state).toBe('pending');
    expect([again.status, again.body.code]).toEqual([400, 'email_already_invited_to_organization']);
    expect(toTheApplication.status).toBe(200);
    expect([againThere.status, againThere.body.code]).toEqual([400, 'email_already_invited']);
  });

  test('cannot be sent to members of the organization, or to existing users if the invitation has no organization', async () => {
    const { send, organization, invite, user } = await startWithAcme();
    const ada = await user();
    await send(`POST ${memberships}`, { user_id: ada.id, organization_id: organization.id });

    const member = await invite();
    const known = await invite({ organization_id: undefined });

    expect([member.status, member.body.code]).toEqual([400, 'user_already_organization_member']);
    expect([known.status, known.body.code]).toEqual([400, 'user_already_exists']);
  });

  test("expire according to the emulator's clock", async () => {
    const { emulator, send, invite } = await startWithAcme();
    const { body: invitation } = await invite({ expires_in_days: 1 });
    const state = async () => (await send(`GET ${path}/${invitation.id}`)).body.state;

    await emulator.clock.advance('86399s');
    const before = await state();
    await emulator.clock.advance('1s');
    const after = await state();
    const accepted = await send(`POST ${path}/${invitation.id}/accept`);
    const revoked = await send(`POST ${path}/${invitation.id}/revoke`);
    const another = await invite();

    expect([before, after]).toEqual(['pending', 'expired']);
    expect([accepted.status, accepted.body.code]).toEqual([400, 'invite_not_pending']);
    expect([revoked.status, revoked.body.code]).toEqual([400, 'invite_not_pending']);
    expect(another.status).toBe(200);
  });

  test('can be revoked only once', async () => {
    const { emulator, send, invite, names } = await startWithAcme();
    const { body: invitation } = await invite();
    await emulator.clock.advance('1h');

    const revoked = await send(`POST ${path}/${invitation.id}/revoke`);
    const again = await send(`POST ${path}/${invitation.id}/revoke`);
    const accepted = await send(`POST ${path}/${invitation.id}/accept`);

    expect(revoked.body).toEqual({
      ...invitation,
      state: 'revoked',
      revoked_at: '2026-01-01T01:00:00.000Z',
      updated_at: '2026-01-01T01:00:00.000Z',
    });
    expect([again.status, again.body.code]).toEqual([400, 'invite_not_pending']);
    expect([accepted.status, accepted.body.code]).toEqual([400, 'invite_not_pending']);
    expect(names()).toEqual(['invitation.created', 'invitation.revoked']);
  });

  test('cannot be found by an unknown token, and the error does not contain the token', async () => {
    const { send } = await startWithAcme();

    const answer = await send(`GET ${path}/by_token/Tr0ub4dor`);

    expect([answer.status, answer.body.code]).toEqual([404, 'entity_not_found']);
    expect(answer.body.message).not.toContain('Tr0ub4dor');
  });

  test('can be filtered by email address and organization', async () => {
    const { send, organization, invite } = await startWithAcme();
    const { body: first } = await invite();
    const { body: second } = await invite({ email: 'grace@example.com' });
    const { body: third } = await invite({ organization_id: undefined });
    const ids = async (query: string) =>
      (await send(`GET ${path}?${query}`)).body.data.map(({ id }: { id: string }) => id);

    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('email=ADA%40example.com')).toEqual([third.id, first.id]);
    expect(await ids(`organization_id=${organization.id}`)).toEqual([second.id, first.id]);
    expect(await ids(`organization_id=${organization.id}&email=grace%40example.com`)).toEqual([second.id]);
    expect(await ids('organization_id=org_none')).toEqual([]);
  });

  test('are revoked when the organization is deleted', async () => {
    const { send, organization, invite, names } = await startWithAcme();
    const { body: invitation } = await invite();

    await send(`DELETE /organizations/${organization.id}`);

    expect((await send(`GET ${path}/${invitation.id}`)).status).toBe(404);
    expect(names()).toEqual(['invitation.created', 'invitation.revoked', 'organization.deleted']);
  });
});

describe('an invitation', () => {
  test('that is accepted creates a user and an active membership', async () => {
    const { emulator, send, organization, invite, membersOf, names, events } = await startWithAcme();
    const { body: invitation } = await invite({ role_slug: 'admin' });
    await emulator.clock.advance('1h');

    const accepted = await send(`POST ${path}/${invitation.id}/accept`);

    expect(accepted.body).toEqual({
      ...invitation,
      state: 'accepted',
      accepted_at: '2026-01-01T01:00:00.000Z',
      updated_at: '2026-01-01T01:00:00.000Z',
    });
    const { data } = (await send('GET /user_management/users?email=ada%40example.com')).body;
    expect(data).toMatchObject([{ email: 'ada@example.com', email_verified: true }]);
    expect(await membersOf(data[0].id)).toMatchObject([
      { organization_id: organization.id, status: 'active', role: { slug: 'admin' } },
    ]);
    expect(names()).toEqual([
      'invitation.created',
      'user.created',
      'invitation.accepted',
      'organization_membership.created',
    ]);
    expect(JSON.stringify(events)).not.toContain(invitation.token);
  });

  test("that is accepted in the workos dialect activates an existing user's pending membership", async () => {
    const { send, invite, user, membersOf, names, events } = await startWithAcme({ dialect: 'workos' });
    const ada = await user({ email: 'Ada@example.com' });
    events.length = 0;
    const { body: invitation } = await invite({ role_slug: 'admin' });
    const pending = await membersOf(ada.id);

    await send(`POST ${path}/${invitation.id}/accept`);

    expect(pending).toMatchObject([{ status: 'pending', role: { slug: 'admin' } }]);
    expect(await membersOf(ada.id)).toMatchObject([{ id: pending[0].id, status: 'active', role: { slug: 'admin' } }]);
    expect(names()).toEqual([
      'invitation.created',
      'organization_membership.created',
      'invitation.accepted',
      'organization_membership.updated',
    ]);
  });

  test('to a user created later creates no membership before acceptance', async () => {
    const { send, invite, user, membersOf } = await startWithAcme();
    const { body: invitation } = await invite();
    const ada = await user();
    const before = await membersOf(ada.id);

    await send(`POST ${path}/${invitation.id}/accept`);

    expect(before).toEqual([]);
    expect(await membersOf(ada.id)).toMatchObject([{ status: 'active', role: { slug: 'member' } }]);
  });

  test('without an organization creates a user, but no membership', async () => {
    const { send, invite, names } = await startWithAcme();
    const { body: invitation } = await invite({ organization_id: undefined });

    await send(`POST ${path}/${invitation.id}/accept`);

    expect(names()).toEqual(['invitation.created', 'user.created', 'invitation.accepted']);
  });

  test('cannot be accepted or revoked after acceptance', async () => {
    const { send, invite } = await startWithAcme();
    const { body: invitation } = await invite();
    await send(`POST ${path}/${invitation.id}/accept`);

    const again = await send(`POST ${path}/${invitation.id}/accept`);
    const revoked = await send(`POST ${path}/${invitation.id}/revoke`);

    expect([again.status, again.body.code]).toEqual([400, 'invite_not_pending']);
    expect([revoked.status, revoked.body.code]).toEqual([400, 'invite_not_pending']);
  });

  test('in the workos dialect names the user who accepted the invitation', async () => {
    const { send, invite } = await startWithAcme({ dialect: 'workos' });
    const { body: invitation } = await invite();

    const { body } = await send(`POST ${path}/${invitation.id}/accept`);

    expect(body.accepted_user_id).toMatch(/^user_/);
  });

  test('that is revoked deletes the pending membership', async () => {
    const { send, invite, user, membersOf, names, events } = await startWithAcme({ dialect: 'workos' });
    const ada = await user();
    const { body: invitation } = await invite();
    events.length = 0;

    await send(`POST ${path}/${invitation.id}/revoke`);

    expect(await membersOf(ada.id)).toEqual([]);
    expect(names()).toEqual(['invitation.revoked', 'organization_membership.deleted']);
  });

  test('that is accepted activates the pending membership created by an expired invitation', async () => {
    const { emulator, send, invite, user, membersOf } = await startWithAcme({ dialect: 'workos' });
    const ada = await user();
    await invite({ expires_in_days: 1 });
    await emulator.clock.advance('2d');
    const { body: second } = await invite({ role_slug: 'admin' });

    await send(`POST ${path}/${second.id}/accept`);

    expect(await membersOf(ada.id)).toMatchObject([{ status: 'active', role: { slug: 'admin' } }]);
  });
});

describe('the invitation page', () => {
  const form = (token: string) => ({
    method: 'POST',
    headers: oneBrowser.headers,
    body: new URLSearchParams({ token, ...oneBrowser.fields }),
  });

  test('accepts the invitation only after a click', async () => {
    const { emulator, send, invite } = await startWithAcme();
    const { body: invitation } = await invite();
    const { url, token } = emulator.inbox.latest()!;
    const state = async () => (await send(`GET ${path}/${invitation.id}`)).body.state;

    const shown = await emulator.fetch(url!);
    const looked = await state();
    const clicked = await emulator.fetch(url!, form(token!));

    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Acme')]);
    expect(looked).toBe('pending');
    expect([clicked.status, await clicked.text()]).toEqual([200, expect.stringContaining('Invitation accepted')]);
    expect(await state()).toBe('accepted');
  });

  test('shows an error if the invitation does not exist or is no longer pending', async () => {
    const { emulator, send, invite } = await startWithAcme();
    const { body: invitation } = await invite();
    const { url, token } = emulator.inbox.latest()!;
    await send(`POST ${path}/${invitation.id}/revoke`);

    const unknown = await emulator.fetch(`${emulator.url}/invitations/accept?token=none`);
    const without = await emulator.fetch(`${emulator.url}/invitations/accept`, form(''));
    const revoked = await emulator.fetch(url!);
    const clicked = await emulator.fetch(url!, form(token!));

    expect([unknown.status, without.status, revoked.status, clicked.status]).toEqual([404, 404, 410, 410]);
    expect(await revoked.text()).toContain('This invitation is revoked');
  });

  test('escapes the organization name and the email address', async () => {
    const { emulator, send } = await startWithAcme();
    const { body: organization } = await send('POST /organizations', { name: '<script>alert(1)</script>' });
    await send(`POST ${path}`, { email: '"><b>@example.com', organization_id: organization.id });

    const page = await (await emulator.fetch(emulator.inbox.latest()!.url!)).text();

    expect(page).not.toContain('<script>');
    expect(page).not.toContain('<b>');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });
});
