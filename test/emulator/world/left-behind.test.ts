import { expect, test } from 'vitest';
import { claimsOf, signingIn } from '../sign-in/signing-in.js';

/** An emulator with two users who have every kind of data that a user can have. */
async function twoUsers() {
  const people = ['ada', 'grace'].map((name) => ({ id: `user_${name}`, email: `${name}@acme.test` }));
  const { emulator, send, byPassword } = await signingIn({
    seed: {
      connect_applications: [{ id: 'conn_app_notes', name: 'Notes' }],
      organizations: [{ id: 'org_acme', name: 'Acme' }],
      users: people.map(({ id, email }) => ({
        id,
        email,
        email_verified: true,
        password: 'correct horse',
        feature_flags: ['beta'],
        identities: [{ idp_id: `google-${id}`, provider: 'GoogleOAuth' }],
        auth_factors: [{ id: `auth_factor_${id}`, type: 'totp' }],
        authorized_applications: [{ application_id: 'conn_app_notes' }],
      })),
      memberships: people.map(({ id }) => ({ user_id: id, organization_id: 'org_acme' })),
    },
  });
  const names: string[] = [];
  for (const { id, email } of people) {
    const { accessToken } = await emulator.signInAs(id, { organizationId: 'org_acme' });
    await byPassword(email);
    await send(`POST /auth/factors/auth_factor_${id}/challenge`, {});
    await send(`PUT /user_management/users/${id}`, { email_verified: false });
    await send(`POST /user_management/users/${id}/email_verification/send`);
    await send(`POST /user_management/users/${id}/email_change/send`, { new_email: `new-${email}` });
    await send('POST /user_management/magic_auth/send', { email });
    await send('POST /user_management/password_reset/send', { email, password_reset_url: 'https://app.test/reset' });
    names.push([id, email, claimsOf(accessToken).sid].join('|'));
  }
  /** The stores with their records about a user, or with all other records. */
  const about = (user: 0 | 1, isAbout = true) =>
    Object.entries(emulator.snapshot().worlds.staging!)
      .map(([store, pairs]) => ({
        store,
        pairs: pairs.filter(
          // The id of a deleted object remains.
          (pair) => pair[1] !== null && new RegExp(names[user]!).test(JSON.stringify(pair)) === isAbout,
        ),
      }))
      // Each event uses up an id, so the id generator changes.
      .filter(({ store, pairs }) => pairs.length > 0 && store !== 'ids');
  return { send, about };
}

const storesOf = (held: readonly { readonly store: string }[]): string[] => held.map(({ store }) => store).sort();

test('the emulator deletes all records of a deleted user except events, messages and seed data', async () => {
  const { send, about } = await twoUsers();
  const [stores, others] = [storesOf(about(0)), about(0, false)];
  expect(stores).toHaveLength(18);
  expect(storesOf(about(1))).toEqual(stores);

  await send('DELETE /user_management/users/user_ada');

  expect(storesOf(about(0))).toEqual(['event', 'message', 'seeded user']);
  expect(about(0, false)).toEqual(others);
});
