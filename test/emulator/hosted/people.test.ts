import { describe, expect, test } from 'vitest';
import type { EmulatorOptions, Seed } from '../../../src/emulator/index.js';
import { arrival, home, hosted } from './hosted-browser.js';

const grace = { id: 'user_grace', email: 'grace@acme.test', first_name: 'Grace', last_name: 'Hopper' };
const seed: Seed = {
  users: [
    { ...grace, password: 'correct horse', email_verified: true },
    { id: 'user_linus', email: 'linus@example.com' },
  ],
  organizations: [
    { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
    { id: 'org_globex', name: 'Globex' },
  ],
  connections: [{ id: 'conn_acme', organization_id: 'org_acme', connection_type: 'OktaSAML' }],
};

/** Starts an emulator with a browser at the sign-in page. */
async function atSignIn(options: EmulatorOptions = { seed }, params: Readonly<Record<string, string>> = {}) {
  const start = await hosted(options);
  await start.authorize(params);
  /** The completed proofs, by the names of their events. */
  const proofs: string[] = [];
  start.emulator.onEvent(({ event }) => {
    const proof = /^authentication\.(\w+)_succeeded$/.exec(event);
    if (proof) proofs.push(proof[1]!);
  });
  return { ...start, proofs };
}

/** Returns the buttons of people: their labels end in an email address. */
const people = (buttons: readonly string[]): readonly string[] =>
  buttons.filter((label) => /\S+@\S+\.\S+$/.test(label));

describe('on the sign-in page, seeded users', () => {
  test('are listed by name and email address, and can sign in with one click', async () => {
    const { browser, redeem, proofs } = await atSignIn();
    const offered = people(browser.buttons);

    await browser.press('Grace Hopper');
    const { body } = await redeem();

    expect(offered).toEqual(['Grace Hopper grace@acme.test', 'linus@example.com']);
    expect([arrival(browser), body.user.id, proofs]).toEqual([home, 'user_grace', ['password']]);
  });

  test('without a password sign in with the magic_auth method, which verifies their email address', async () => {
    const { browser, redeem, proofs } = await atSignIn();

    await browser.press('linus@example.com');

    const { body } = await redeem();
    expect([proofs, body.user.email_verified]).toEqual([['magic_auth'], true]);
  });

  test('must still choose an organization if they belong to several', async () => {
    const memberships = ['org_acme', 'org_globex'].map((id) => ({ user_id: 'user_grace', organization_id: id }));
    const { browser } = await atSignIn({ seed: { ...seed, memberships } });

    await browser.press('Grace Hopper');

    expect(browser.title).toBe('Choose an organization');
  });

  test('are redirected to the identity provider if their organization requires single sign-on', async () => {
    const [acme, ...others] = seed.organizations!;
    const organizations = [{ ...acme!, authentication_policy: { sso_required: true } }, ...others];
    const { browser } = await atSignIn({ seed: { ...seed, organizations } });

    await browser.press('Grace Hopper');

    expect([browser.title, browser.value('email')]).toEqual(['Sign in at Acme', 'grace@acme.test']);
  });

  test('do not include users created later', async () => {
    const { browser, user, authorize } = await atSignIn({});
    await user({ email: 'grace@acme.test' });

    await authorize();

    expect(people(browser.buttons)).toEqual([]);
    expect(browser.text).not.toContain('seed');
  });

  test('are limited to the first eight who still exist', async () => {
    const users = Array.from({ length: 10 }, (_, i) => ({ id: `user_${i}`, email: `number-${i}@example.com` }));
    const visit = await hosted({ seed: { users } });
    await visit.send('DELETE /user_management/users/user_0');

    await visit.authorize();

    expect(people(visit.browser.buttons)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((i) => `number-${i}@example.com`));
  });

  test.each([
    ['an unknown id', 'user_nobody'],
    ['the id of a user created later', ''],
  ])('are the only choices, so %s is rejected', async (_what, person) => {
    const { browser, ada } = await atSignIn();

    await browser.press('Grace Hopper', { person: person || ada.id });

    expect([browser.status, browser.errors]).toEqual([422, ['Enter your email address.']]);
  });

  test('are limited to the invited user if there is an invitation', async () => {
    const { browser, send, authorize } = await atSignIn();
    const { body } = await send('POST /user_management/invitations', {
      email: 'linus@example.com',
      organization_id: 'org_acme',
    });

    await authorize({ invitation_token: body.token });

    expect(people(browser.buttons)).toEqual(['linus@example.com']);
  });

  test('are listed without their passwords', async () => {
    const { browser } = await atSignIn();

    expect(browser.html).not.toContain('correct horse');
  });
});

describe("on a provider's page, seeded users", () => {
  test('are listed only once, even after the provider account is linked', async () => {
    const { browser, redeem, authorize, proofs } = await atSignIn();
    await authorize({ provider: 'GoogleOAuth' });
    const offered = people(browser.buttons);

    await browser.press('Grace Hopper');
    const { body } = await redeem();
    await authorize({ provider: 'GoogleOAuth' });

    expect(offered).toEqual(['Grace Hopper grace@acme.test', 'linus@example.com']);
    expect([body.user.id, proofs]).toEqual(['user_grace', ['oauth']]);
    expect(people(browser.buttons)).toEqual(offered);
  });

  test("are listed for a connection only if their address is in one of the connection's domains", async () => {
    const { browser, redeem, proofs } = await atSignIn({ seed }, { connection_id: 'conn_acme', provider: '' });
    const offered = people(browser.buttons);

    await browser.press('Grace Hopper');

    expect(offered).toEqual(['Grace Hopper grace@acme.test']);
    expect([(await redeem()).body.user.id, proofs]).toEqual(['user_grace', ['sso']]);
  });
});
