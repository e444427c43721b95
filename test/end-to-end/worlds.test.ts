import type { Browser } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';
import { password } from './people.js';
import { Visitor } from './visitor.js';

requires('chromium-headless-shell')('a browser that uses two worlds', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function twoWorlds() {
    const app = await serve({ headers: { 'content-type': 'text/html' }, body: '<p>Back.</p>' });
    const redirectUri = `${app.url}/callback`;
    const { emulator } = await stage({ listen: true });
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const openWorld = async (name: string, email: string) => {
      const users = [{ email, password, email_verified: true }];
      const world = await emulator.worlds.create({ name, seed: { users }, redirectUris: [redirectUri] });
      const client = new Sallyport({ ...world.credentials });
      const visitor = new Visitor(await context.newPage(), redirectUri);
      const arrive = () =>
        visitor.opens(client.userManagement.getAuthorizationUrl({ provider: 'authkit', redirectUri }));
      const whoIsBack = async (): Promise<string> => {
        const code = new URL(visitor.page.url()).searchParams.get('code') ?? '';
        return (await client.userManagement.authenticateWithCode({ code })).user.email;
      };
      return { world, client, visitor, email, arrive, whoIsBack };
    };
    return {
      emulator,
      context,
      ada: await openWorld('ada', 'ada@example.com'),
      bob: await openWorld('bob', 'bob@example.com'),
    };
  }

  test('can be signed in to each world as a different user', async () => {
    const { emulator, context, ada, bob } = await twoWorlds();
    const { port } = new URL(emulator.url);

    // The steps alternate, so that leftovers of one world would disturb the other.
    for (const { visitor, arrive } of [ada, bob]) {
      await arrive();
      expect(new URL(visitor.page.url()).pathname).toBe('/hosted/sign-in');
    }
    expect([ada, bob].map(({ visitor }) => new URL(visitor.page.url()).host)).toEqual([
      `ada.localhost:${port}`,
      `bob.localhost:${port}`,
    ]);
    for (const { visitor, email } of [bob, ada]) {
      await visitor.fills({ 'Email address': email });
      await visitor.presses('Continue');
    }
    for (const { visitor } of [ada, bob]) {
      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');
    }
    expect([await ada.whoIsBack(), await bob.whoIsBack()]).toEqual(['ada@example.com', 'bob@example.com']);

    for (const { arrive } of [bob, ada]) await arrive();
    expect([await ada.whoIsBack(), await bob.whoIsBack()]).toEqual(['ada@example.com', 'bob@example.com']);
    const hostOf = new Set((await context.cookies()).map(({ domain }) => domain));
    expect([...hostOf].sort()).toEqual(['ada.localhost', 'bob.localhost']);
  });

  test('stays signed in to the second world after a sign-out from the first world', async () => {
    const { ada, bob } = await twoWorlds();
    const sids: string[] = [];
    for (const { visitor, email, client, arrive } of [ada, bob]) {
      await arrive();
      await visitor.fills({ 'Email address': email });
      await visitor.presses('Continue');
      await visitor.fills({ Password: password });
      await visitor.presses('Sign in');
      const code = new URL(visitor.page.url()).searchParams.get('code') ?? '';
      const { user } = await client.userManagement.authenticateWithCode({ code });
      const { data } = await client.userManagement.listSessions(user.id);
      sids.push(data[0]!.id);
    }

    await ada.visitor.opens(ada.client.userManagement.getLogoutUrl({ sessionId: sids[0]! }));
    const leftAt = new URL(ada.visitor.page.url()).hostname;
    await ada.arrive();
    await bob.arrive();

    expect(leftAt).toBe('ada.localhost');
    expect(await ada.visitor.title()).toBe('Sign in');
    expect(await bob.whoIsBack()).toBe('bob@example.com');
  });

  test("shows each world's console and inbox at the URL of the world", async () => {
    const { ada, bob } = await twoWorlds();
    await ada.client.userManagement.sendMagicAuthCode({ email: 'ada@example.com' });

    await ada.visitor.opens(`${ada.world.url}/_emulator/inbox`);
    await bob.visitor.opens(`${bob.world.url}/_emulator/inbox`);

    expect(await ada.visitor.page.content()).toContain('ada@example.com');
    expect(await bob.visitor.page.content()).not.toContain('ada@example.com');
    await bob.visitor.opens(bob.world.url);
    expect(await bob.visitor.page.content()).toContain(bob.world.credentials.clientId);
  });
});
