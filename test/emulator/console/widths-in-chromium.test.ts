import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { launchChromium } from '../../browser/chromium.js';
import { requires } from '../../runner/requirements.js';

const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
/** A hostile and very long name. */
const odd = `<script>alert(1)</script> شركة ${'x'.repeat(200)}`;
const longPath = `receives/${'webhooks-of-a-long-name'.repeat(8)}`;
/** Detail pages of one kind that the test opens. */
const maxOfKind = 3;
/** The path of a page with the id replaced. */
const kindOf = (path: string): string => path.replace(/(console\/[\w-]+\/)[^?]+/, '$1:id');

requires('chromium-headless-shell')('console pages', () => {
  let browser: Browser;
  let emulator: Emulator;
  let url: string;
  let page: Page;
  let paths: readonly string[];

  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    emulator = await createEmulator({
      seed: 'examples/company.yaml',
      deliver: () => new Response(null, { status: 503 }),
    });
    url = await emulator.listen();
    paths = await pathsOfConsole(await fill());
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await emulator?.close();
  });

  /** Gives every table rows with long texts. Returns the id of a user who has a session. */
  async function fill(): Promise<string> {
    const { apiKey, clientId } = emulator.credentials;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const post = async (path: string, body: unknown): Promise<Record<string, string>> =>
      (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    await post('/webhook_endpoints', { endpoint_url: `https://app.example.com/${longPath}`, events: [] });
    const { id: organizationId } = await post('/organizations', { name: longName });
    const email = `${'grace.of.the.long.address'.repeat(2)}@acme.test`;
    const { id: userId } = await post('/user_management/users', { email, password: 'a quiet harbour at dawn' });
    await post('/user_management/organization_memberships', { user_id: userId, organization_id: organizationId });
    await post('/user_management/invitations', { email: `invited.${email}`, organization_id: organizationId });
    await post('/user_management/magic_auth', { email });
    await emulator.signInAs(userId!);
    await post('/audit_logs/events', {
      organization_id: organizationId,
      event: {
        action: 'report.exported_with_a_name_that_is_rather_long',
        occurred_at: '2026-11-01T08:00:00Z',
        actor: { id: 'user_of_the_application_with_a_long_id', type: 'user', name: longName },
        targets: [{ id: `report_${'1234567890'.repeat(5)}`, type: 'report' }],
        context: { location: '203.0.113.7' },
      },
    });
    await emulator.faults.add({ operation: 'userManagement.authenticateWithPassword', share: 0.25, status: 503 });
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: 'http://localhost:3000/callback',
      response_type: 'code',
      provider: 'authkit',
      state: 'state'.repeat(40),
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    await fetch(`${url}/user_management/authorize?${query}`, { redirect: 'manual' });
    await emulator.waitForDeliveries();
    return userId!;
  }

  /** Returns the pages that the links of the console lead to. */
  async function pathsOfConsole(userId: string): Promise<string[]> {
    const opened = new Map<string, number>();
    const found: string[] = [];
    const open = [
      '/',
      `/_emulator/console/users/${userId}`,
      '/_emulator/console/fga?subject=user:user_ada&relation=viewer&resource=report:q3',
    ];
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      const kind = kindOf(path);
      const count = opened.get(kind) ?? 0;
      if (found.includes(path) || count === maxOfKind) continue;
      opened.set(kind, count + 1);
      found.push(path);
      await page.goto(url + path);
      const links = await page
        .locator('a[href^="/"]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href')!));
      open.push(...links.filter((link) => /^\/_emulator\/(?:console\/|inbox)/.test(link) && !link.includes('?')));
    }
    return found;
  }

  test('of every kind are included in the width tests', () => {
    const kinds = paths.map((path) => kindOf(path).replace(/^\/_emulator\/(?:console\/)?/, ''));

    expect([...new Set(kinds)].sort()).toEqual([
      '/',
      'audit-logs',
      'directories',
      'directories/:id',
      'events',
      'events/:id',
      'faults',
      'fga',
      'fga?subject=user:user_ada&relation=viewer&resource=report:q3',
      'inbox',
      'organizations',
      'organizations/:id',
      'requests',
      'requests/:id',
      'users',
      'users/:id',
      'webhooks',
    ]);
  });

  const cells = 'main, main .scroll, main td, main dd, main p, main li, main h1, main form';
  test.each([1280, 390])(
    'show all content without horizontal scrolling at a width of %i pixels',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const clipped: string[] = [];
      for (const path of paths) {
        await page.goto(url + path);
        for (const state of ['closed', 'open'] as const) {
          if (state === 'open')
            await page.locator('main details').evaluateAll((all) => {
              for (const one of all) one.setAttribute('open', '');
            });
          const found = await page.evaluate(`({
          isWide: document.documentElement.scrollWidth > innerWidth,
          wide: [...document.querySelectorAll('${cells}')]
            .filter((one) => one.scrollWidth > one.clientWidth + 1)
            .map((one) => one.localName + ' ' + (one.dataset.label ?? one.getAttribute('aria-label') ?? '')),
        })`);
          const { isWide, wide } = found as { readonly isWide: boolean; readonly wide: readonly string[] };
          if (isWide || wide.length > 0) clipped.push(`${path} (details ${state}): ${[...new Set(wide)].join(', ')}`);
        }
      }

      expect(clipped).toEqual([]);
    },
    120_000,
  );

  test('show the "Expire" button of a session within a width of 1280 pixels', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(url + paths[1]);

    const end = await page.getByRole('button', { name: 'Expire' }).boundingBox();

    expect(end!.x + end!.width).toBeLessThan(1280);
  });

  test('show a long query string only after the user expands the query', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${url}/_emulator/console/requests`);
    const row = page.getByRole('row').filter({ hasText: 'GET /user_management/authorize' });
    const query = row.getByText('response_type=code');

    expect(await query.isVisible()).toBe(false);
    await row.getByText('Query', { exact: true }).click();
    expect(await query.isVisible()).toBe(true);
    await row.getByRole('link', { name: 'GET /user_management/authorize' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('GET /user_management/authorize');
    expect(await page.locator('dd').getByText('response_type=code').count()).toBe(1);
  });

  describe('with long and hostile names', () => {
    let hostile: Emulator;
    beforeAll(async () => {
      const ids = ['0', '1'];
      hostile = await createEmulator({
        seed: {
          organizations: ids.map((id) => ({ id: `org_${id}`, name: odd, metadata: { plan: 'v'.repeat(400) } })),
          users: [{ id: 'user_ada', email: `${'u'.repeat(60)}@${'a'.repeat(60)}.test`, first_name: odd }],
          memberships: ids.map((id) => ({ organization_id: `org_${id}`, user_id: 'user_ada' })),
          directories: [{ id: 'directory_0', name: odd, type: 'okta scim v2.0', organization_id: 'org_0' }],
        },
      });
      await hostile.listen();
      await hostile.signInAs('user_ada', { organizationId: 'org_0' });
      await hostile.faults.add({ path: `/${'q'.repeat(300)}`, status: 500 });
    });
    afterAll(() => hostile?.close());

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
    ])('fit a phone screen and run no injected script (path: %s)', async (path) => {
      const opened = await browser.newPage({ viewport: { width: 360, height: 740 } });
      const complaints: string[] = [];
      opened.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      opened.on('pageerror', ({ message }) => complaints.push(message));
      opened.on('dialog', (dialog) => {
        complaints.push('It ran what a name says.');
        void dialog.dismiss();
      });
      const looks = opened.waitForResponse((response) => response.request().resourceType() === 'fetch');
      await opened.goto(hostile.url + path);
      await (await looks).finished();
      // The page restores the focus before it handles the next key.
      await opened.getByText('Live', { exact: true }).waitFor();
      const surplus = await opened.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      await opened.close();

      expect(complaints).toEqual([]);
      expect(surplus).toBe(0);
    });
  });
});
