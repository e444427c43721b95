import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { launchChromium } from '../../browser/chromium.js';
import { requires } from '../../runner/requirements.js';

/** A hostile and very long name. */
const odd = `<script>alert(1)</script> شركة ${'x'.repeat(200)}`;

requires('chromium-headless-shell')('the console with odd names and long ones', () => {
  let browser: Browser;
  let emulator: Emulator;
  let url: string;
  beforeAll(async () => {
    browser = await launchChromium();
    const ids = ['0', '1'];
    emulator = await createEmulator({
      seed: {
        organizations: ids.map((id) => ({ id: `org_${id}`, name: odd, metadata: { plan: 'v'.repeat(400) } })),
        users: [{ id: 'user_ada', email: `${'u'.repeat(60)}@${'a'.repeat(60)}.test`, first_name: odd }],
        memberships: ids.map((id) => ({ organization_id: `org_${id}`, user_id: 'user_ada' })),
        directories: [{ id: 'directory_0', name: odd, type: 'okta scim v2.0', organization_id: 'org_0' }],
      },
    });
    url = await emulator.listen();
    await emulator.signInAs('user_ada', { organizationId: 'org_0' });
    await emulator.faults.add({ path: `/${'q'.repeat(300)}`, status: 500 });
  });
  afterAll(async () => {
    await browser?.close();
    await emulator?.close();
  });

  test.each([
    '/',
    ...[
      'users',
      'users/user_ada',
      'organizations',
      'organizations/org_0',
      'directories',
      'directories/directory_0',
      'faults',
    ].map((place) => `/_emulator/console/${place}`),
  ])('fits the screen at %s, runs no foreign script and logs no errors', async (path) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('dialog', (dialog) => {
      complaints.push('It ran what a name says.');
      void dialog.dismiss();
    });
    const looks = page.waitForResponse((response) => response.request().resourceType() === 'fetch');
    await page.goto(url + path);
    await (await looks).finished();
    // The page restores the focus before it handles the next key.
    await page.getByText('Live', { exact: true }).waitFor();
    const surplus = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    await page.close();

    expect(complaints).toEqual([]);
    expect(surplus).toBe(0);
  });
});
