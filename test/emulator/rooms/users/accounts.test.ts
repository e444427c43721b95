import { describe, expect, test } from 'vitest';
import { stage } from '../../../stage.js';

const path = '/user_management/users';

async function startWithAda() {
  const { emulator, send } = await stage();
  const { body: user } = await send(`POST ${path}`, { email: 'ada@example.com' });
  return { emulator, send, user };
}

describe("a user's identities", () => {
  test('are returned as a plain array instead of a list object', async () => {
    const { emulator, send, user } = await startWithAda();
    const before = await send(`GET ${path}/${user.id}/identities`);
    await emulator.linkIdentity({ userId: user.id, idpId: '4F42', provider: 'GoogleOAuth' });

    const after = await send(`GET ${path}/${user.id}/identities`);

    expect(before.body).toEqual([]);
    expect(after.body).toEqual([{ idp_id: '4F42', type: 'OAuth', provider: 'GoogleOAuth' }]);
  });

  test('cannot be linked to a second user', async () => {
    const { emulator, send, user } = await startWithAda();
    const { body: grace } = await send(`POST ${path}`, { email: 'grace@example.com' });
    const account = { idpId: '4F42', provider: 'GoogleOAuth' };
    await emulator.linkIdentity({ userId: user.id, ...account });

    const elsewhere = emulator.linkIdentity({ userId: grace.id, idpId: '4F42', provider: 'GitHubOAuth' });
    const taken = emulator.linkIdentity({ userId: grace.id, ...account });
    const nobody = emulator.linkIdentity({ userId: 'user_none', idpId: '1', provider: 'GoogleOAuth' });

    await expect(elsewhere).resolves.toMatchObject({ provider: 'GitHubOAuth' });
    await expect(taken).rejects.toMatchObject({ status: 400, code: 'identity_already_linked' });
    await expect(nobody).rejects.toMatchObject({ status: 404, code: 'entity_not_found' });
  });

  test('can be linked to a different user after the original user is deleted', async () => {
    const { emulator, send, user } = await startWithAda();
    const { body: grace } = await send(`POST ${path}`, { email: 'grace@example.com' });
    await emulator.linkIdentity({ userId: user.id, idpId: '4F42', provider: 'GoogleOAuth' });
    await send(`DELETE ${path}/${user.id}`);

    const linked = emulator.linkIdentity({ userId: grace.id, idpId: '4F42', provider: 'GoogleOAuth' });

    await expect(linked).resolves.toMatchObject({ idpId: '4F42' });
  });
});

describe('authorized applications', () => {
  test('are listed with the granted scopes and the details of the application', async () => {
    const { emulator, send, user } = await startWithAda();
    const application = await emulator.createConnectApplication({
      name: 'Notes',
      redirectUris: [{ uri: 'https://notes.test/callback', default: true }],
      usesPkce: true,
      scopes: ['openid', 'profile'],
    });
    await emulator.authorizeApplication({
      userId: user.id,
      applicationId: application.id,
      grantedScopes: ['openid'],
      oauthResource: 'https://api.notes.test',
    });

    const { body } = await send(`GET ${path}/${user.id}/authorized_applications`);

    expect(body).toEqual({
      object: 'list',
      data: [
        {
          object: 'authorized_connect_application',
          id: expect.stringMatching(/^authorized_connect_app_[0-9A-Z]{26}$/),
          granted_scopes: ['openid'],
          oauth_resource: 'https://api.notes.test',
          application: {
            object: 'connect_application',
            id: expect.stringMatching(/^conn_app_[0-9A-Z]{26}$/),
            client_id: expect.stringMatching(/^client_[0-9A-Z]{26}$/),
            name: 'Notes',
            description: null,
            application_type: 'oauth',
            redirect_uris: [{ uri: 'https://notes.test/callback', default: true }],
            uses_pkce: true,
            is_first_party: true,
            scopes: ['openid', 'profile'],
            created_at: '2026-01-01T00:00:00.000Z',
            updated_at: '2026-01-01T00:00:00.000Z',
          },
        },
      ],
      list_metadata: { before: null, after: null },
    });
  });

  test('are paginated, and listed separately for each user', async () => {
    const { emulator, send, user } = await startWithAda();
    const { body: grace } = await send(`POST ${path}`, { email: 'grace@example.com' });
    for (const name of ['One', 'Two', 'Three']) {
      const { id } = await emulator.createConnectApplication({ name });
      await emulator.authorizeApplication({ userId: user.id, applicationId: id });
    }
    const names = (body: { data: { application: { name: string } }[] }) =>
      body.data.map(({ application }) => application.name);

    const first = await send(`GET ${path}/${user.id}/authorized_applications?limit=2`);
    const rest = await send(
      `GET ${path}/${user.id}/authorized_applications?limit=2&after=${first.body.list_metadata.after}`,
    );
    const none = await send(`GET ${path}/${grace.id}/authorized_applications`);

    expect(names(first.body)).toEqual(['Three', 'Two']);
    expect(names(rest.body)).toEqual(['One']);
    expect(names(none.body)).toEqual([]);
  });

  test("can be revoked by the application's id or client ID, but only once", async () => {
    const { emulator, send, user } = await startWithAda();
    const notes = await emulator.createConnectApplication({ name: 'Notes' });
    const maps = await emulator.createConnectApplication({ name: 'Maps', clientId: 'client_maps' });
    for (const { id } of [notes, maps]) await emulator.authorizeApplication({ userId: user.id, applicationId: id });
    const revoke = (application: string) => send(`DELETE ${path}/${user.id}/authorized_applications/${application}`);

    const byId = await revoke(notes.id);
    const byClientId = await revoke('client_maps');
    const again = await revoke(notes.id);
    const unknown = await revoke('conn_app_none');

    expect([byId.status, byId.body]).toEqual([200, '']);
    expect(byClientId.status).toBe(200);
    expect([again.status, unknown.status]).toEqual([404, 404]);
    expect((await send(`GET ${path}/${user.id}/authorized_applications`)).body.data).toEqual([]);
  });

  test('are updated, not duplicated, by a second authorization', async () => {
    const { emulator, send, user } = await startWithAda();
    const { id } = await emulator.createConnectApplication({ name: 'Notes', scopes: ['openid', 'profile'] });
    await emulator.authorizeApplication({ userId: user.id, applicationId: id, grantedScopes: ['openid'] });
    await emulator.authorizeApplication({ userId: user.id, applicationId: id });

    const { body } = await send(`GET ${path}/${user.id}/authorized_applications`);

    expect(body.data.map(({ granted_scopes }: { granted_scopes: string[] }) => granted_scopes)).toEqual([
      ['openid', 'profile'],
    ]);
  });
});

test('two applications cannot share a client ID', async () => {
  const { emulator } = await startWithAda();
  await emulator.createConnectApplication({ name: 'Maps', clientId: 'client_maps' });

  const second = emulator.createConnectApplication({ name: 'Charts', clientId: 'client_maps' });

  await expect(second).rejects.toMatchObject({ status: 400, code: 'client_id_already_used' });
});
