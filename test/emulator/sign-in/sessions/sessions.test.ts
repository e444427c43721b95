import { describe, expect, test } from 'vitest';
import { claimsOf, signingIn } from '../signing-in.js';

/** Starts an emulator with one session in an organization. */
async function signedIn(options = {}) {
  const world = await signingIn(options);
  const ada = await world.user('ada@example.com');
  const acme = await world.organization('Acme', ada);
  const { body } = await world.byPassword('ada@example.com', { ip_address: '192.0.2.7', user_agent: 'Netscape/4.0' });
  const sessionId = String(claimsOf(body.access_token).sid);
  const list = async (query = '') => (await world.send(`GET /user_management/users/${ada.id}/sessions${query}`)).body;
  const revoke = (id = sessionId) => world.send('POST /user_management/sessions/revoke', { session_id: id });
  return { ...world, ada, acme, tokens: body, sessionId, list, revoke };
}

describe('a session', () => {
  test('includes the sign-in method, the IP address and the user agent', async () => {
    const { ada, acme, list, sessionId } = await signedIn();

    const { data } = await list();

    expect(data).toEqual([
      {
        object: 'session',
        id: sessionId,
        user_id: ada.id,
        organization_id: acme,
        ip_address: '192.0.2.7',
        user_agent: 'Netscape/4.0',
        auth_method: 'password',
        status: 'active',
        expires_at: '2026-01-31T00:00:00.000Z',
        ended_at: null,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    expect(sessionId).toMatch(/^session_[0-9A-Z]{26}$/);
  });

  test("creates a session event, but no event for the update of the user's last sign-in", async () => {
    const { ada, acme, sessionId, events, eventTypes, send } = await signedIn();

    const { body: user } = await send(`GET /user_management/users/${ada.id}`);

    expect(user.last_sign_in_at).toBe('2026-01-01T00:00:00.000Z');
    expect(eventTypes().slice(-2)).toEqual(['authentication.password_succeeded', 'session.created']);
    expect(events.at(-1)?.data).toMatchObject({
      id: sessionId,
      userId: ada.id,
      organizationId: acme,
      ipAddress: '192.0.2.7',
      userAgent: 'Netscape/4.0',
      authMethod: 'password',
      status: 'active',
    });
  });

  test('that is revoked can no longer be refreshed, but remains in the list', async () => {
    const { revoke, refresh, tokens, list, eventTypes, sessionId } = await signedIn();

    const first = await revoke();
    const again = await revoke();
    const refreshed = await refresh(tokens.refresh_token);

    const { data } = await list();
    expect([first.status, first.body, again.status]).toEqual([200, '', 200]);
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
    expect(data).toMatchObject([{ id: sessionId, status: 'revoked', ended_at: '2026-01-01T00:00:00.000Z' }]);
    expect(eventTypes().filter((name) => name === 'session.revoked')).toHaveLength(1);
  });

  test('with an unknown id cannot be revoked', async () => {
    const { revoke } = await signedIn();

    const { status, body } = await revoke('session_nobody');

    expect([status, body.code]).toEqual([404, 'entity_not_found']);
  });

  test('expires after 30 days', async () => {
    const { emulator, list, revoke, eventTypes } = await signedIn();
    await emulator.clock.advance('30d');

    const { data } = await list();
    await revoke();

    expect(data).toMatchObject([{ status: 'expired', ended_at: '2026-01-31T00:00:00.000Z' }]);
    expect(eventTypes()).not.toContain('session.revoked');
  });

  test('is listed only for the user of the session', async () => {
    const { user, send } = await signedIn();
    const grace = await user('grace@example.com');

    const { body } = await send(`GET /user_management/users/${grace.id}/sessions`);
    const unknown = await send('GET /user_management/users/user_nobody/sessions');

    expect([body.data, unknown.status]).toEqual([[], 404]);
  });
});

describe('a session ends', () => {
  test('if the user is deleted', async () => {
    const { ada, send, refresh, tokens, eventTypes } = await signedIn();

    await send(`DELETE /user_management/users/${ada.id}`);

    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(eventTypes().slice(-3)).toEqual(['session.revoked', 'organization_membership.deleted', 'user.deleted']);
  });

  test('if the organization is deleted', async () => {
    const { acme, send, refresh, tokens, list, eventTypes } = await signedIn();

    await send(`DELETE /organizations/${acme}`);

    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await list()).data).toMatchObject([{ status: 'revoked' }]);
    expect(eventTypes().filter((name) => name === 'session.revoked')).toHaveLength(1);
  });

  test('if the membership is deleted, but the sessions of other members continue', async () => {
    const { ada, acme, user, send, refresh, byPassword, tokens } = await signedIn();
    const grace = await user('grace@example.com');
    await send('POST /user_management/organization_memberships', { user_id: grace.id, organization_id: acme });
    const { body: others } = await byPassword('grace@example.com');
    const { body } = await send(`GET /user_management/organization_memberships?user_id=${ada.id}`);

    await send(`DELETE /user_management/organization_memberships/${body.data[0].id}`);

    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(others.refresh_token)).status).toBe(200);
  });
});
