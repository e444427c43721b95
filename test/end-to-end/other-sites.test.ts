import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';

requires('chromium-headless-shell')('a hostile website', () => {
  let browser: Browser;
  beforeAll(async () => {
    // Its name resolves to this machine, as an attacker would arrange after the page has loaded.
    browser = await launchChromium('--host-resolver-rules=MAP evil.test 127.0.0.1');
  });
  afterAll(() => browser?.close());

  /** Starts an emulator with an invitation of Ada to a secret organization, and opens a tab. */
  async function invited() {
    const seed = { organizations: [{ id: 'org_acme', name: 'Acme secret' }] };
    const { emulator, sallyport } = await stage({ seed, listen: true });
    const ownUrl = emulator.url.replace('127.0.0.1', 'localhost');
    const { userManagement } = sallyport;
    const { id, token } = await userManagement.sendInvitation({ email: 'ada@example.com', organizationId: 'org_acme' });
    const state = async () => (await userManagement.getInvitation(id)).state;
    // A website of an attacker would have no policy that forbids these requests.
    const context = await browser.newContext({ bypassCSP: true });
    onTestFinished(() => context.close());
    return { emulator, own: ownUrl, apiKey: emulator.credentials.apiKey, token, state, page: await context.newPage() };
  }

  /** Serves a website with one page. */
  async function website(html: string): Promise<string> {
    const { url } = await serve({ headers: { 'content-type': 'text/html' }, body: html });
    return `${url.replace('127.0.0.1', 'evil.test')}/`;
  }

  test('cannot read emulator data through DNS rebinding, even with the default API key', async () => {
    const { own, apiKey, page } = await invited();
    const rebound = own.replace('localhost', 'evil.test');

    const inbox = await page.goto(`${rebound}/_emulator/inbox`);
    const answer = await page.evaluate(async (key) => {
      const response = await fetch('/organizations', { headers: { authorization: `Bearer ${key}` } });
      return [response.status, await response.text()] as const;
    }, apiKey);

    expect([inbox?.status(), answer[0]]).toEqual([403, 403]);
    expect(await page.content()).not.toContain('ada@example.com');
    expect(answer[1]).not.toContain('Acme secret');
  });

  test('cannot accept an invitation on behalf of a user', async () => {
    const { own, token, page, state } = await invited();
    await page.goto(`${own}/invitations/accept?token=${token}`);
    const site = await website(`<form method="post" action="${own}/invitations/accept">
<input name="token" value="${token}"><button>Win</button></form>`);

    await page.goto(site);
    await page.getByRole('button', { name: 'Win' }).click();
    const refused = await page.getByRole('heading', { level: 1 }).textContent();
    const forged = await state();
    await page.goto(`${own}/invitations/accept?token=${token}`);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'Invitation accepted' }).waitFor();

    expect([refused, forged, await state()]).toEqual(['Access refused', 'pending', 'accepted']);
  });

  test('cannot change emulator data with a simple request, or show an emulator page in a frame', async () => {
    const { emulator, own, apiKey, page } = await invited();
    const site = await website(`<iframe src="${own}/_emulator/inbox"></iframe>`);
    await page.goto(site);

    const outcomes = await page.evaluate(
      async ([to, key]) => {
        const grant = JSON.stringify({ client_id: 'client_sallyport_emulator', client_secret: key });
        const sent = navigator.sendBeacon(`${to}/user_management/authenticate`, new Blob([grant]));
        const plain = await fetch(`${to}/_emulator/reset`, { method: 'POST', mode: 'no-cors', body: grant });
        const read = await fetch(`${to}/organizations`, { headers: { authorization: `Bearer ${key}` } }).then(
          ({ status }) => status,
          () => 'stopped by the browser',
        );
        return [sent, plain.type, read];
      },
      [own, apiKey] as const,
    );

    expect(outcomes).toEqual([true, 'opaque', 'stopped by the browser']);
    expect([...emulator.served.keys()]).toEqual(['invitations.send']);
    const [, frame] = page.frames();
    expect(await frame?.content()).not.toContain('ada@example.com');
  });
});
