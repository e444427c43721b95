import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { launchChromium } from '../../browser/chromium.js';
import { requires } from '../../runner/requirements.js';
import { findingsOnScreens } from '../hosted/findings.js';

const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

requires('chromium-headless-shell')('the console in Chromium', () => {
  let browser: Browser;
  let emulator: Emulator;
  let url: string;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    emulator = await createEmulator({ seed: 'examples/company.yaml', deliver: () => new Response(null) });
    url = await emulator.listen();
    const headers = { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await post('/webhook_endpoints', { endpoint_url: 'https://app.example.com/webhooks', events: [] });
    await post('/organizations', { name: longName });
    await post('/user_management/users', { email: 'grace@acme.test', password: 'a quiet harbour at dawn' });
    await fetch(`${url}/organizations/org_none`, { headers });
    await emulator.faults.add({ operation: 'organizations.list', share: 0.25, status: 503 });
    await emulator.waitForDeliveries();
  });
  afterAll(async () => {
    await browser?.close();
    await emulator?.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    return () => page.close();
  });

  const places = [
    'Overview',
    'Requests',
    'Events',
    'Webhooks',
    'Inbox',
    'Users',
    'Organizations',
    'Directories',
    'Authorization',
    'Audit logs',
    'Faults',
  ];

  test('has a navigation link to every page', async () => {
    await page.goto(url);

    const names = await page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();
    expect([...names].sort()).toEqual([...places].sort());
  });

  test.each(places)(
    'displays the %s page on phone and desktop without accessibility or layout problems',
    async (place) => {
      await page.goto(url);
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: place }).click();

      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(place);
      expect(await findingsOnScreens(page, `console-${place.toLowerCase().replace(' ', '-')}`)).toEqual([]);
    },
  );

  test('links a request to its event, and shows the delivery of the event', async () => {
    await page.goto(`${url}/_emulator/console/requests`);
    await page.getByRole('link', { name: 'POST /user_management/users' }).click();
    const onRequest = await findingsOnScreens(page, 'console-request');
    await page.getByRole('link', { name: 'user.created' }).click();

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('user.created');
    expect(await page.getByRole('region', { name: 'Deliveries' }).textContent()).toContain('delivered');
    expect(await page.content()).not.toContain('a quiet harbour');
    expect([...onRequest, ...(await findingsOnScreens(page, 'console-event'))]).toEqual([]);
  });

  test('displays a user and an organization with long names', async () => {
    await page.goto(`${url}/_emulator/console/organizations`);
    await page.getByRole('link', { name: longName }).click();
    const onOrganization = await findingsOnScreens(page, 'console-organization');
    await page.goto(`${url}/_emulator/console/users`);
    await page.getByRole('link', { name: 'ada@northwind.test' }).click();

    expect([...onOrganization, ...(await findingsOnScreens(page, 'console-user'))]).toEqual([]);
  });

  test('has a skip link, and submits a form when the user presses Enter', async () => {
    await page.goto(`${url}/_emulator/console/fga`);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');

    await page.getByLabel('Subject').fill('user:user_ada');
    await page.getByLabel('Relation').fill('viewer');
    await page.getByLabel('Resource', { exact: true }).fill('report:q3');
    await page.keyboard.press('Enter');

    await page.getByRole('status').filter({ hasText: 'Yes: user:user_ada is viewer of report:q3' }).waitFor();
  });

  describe('in an open tab', () => {
    const headers = () => ({ authorization: `Bearer ${emulator.credentials.apiKey}` });
    const ask = (path: string) => fetch(url + path, { headers: headers() });
    const rows = () => page.getByRole('region', { name: 'Requests' }).locator('tbody tr');
    const first = () => rows().first().getByRole('link').first();
    const isLive = () => page.getByText('Live', { exact: true }).waitFor();

    beforeEach(async () => {
      await emulator.requests.clear();
      await ask('/organizations/org_first');
      await page.goto(`${url}/_emulator/console/requests`);
      await isLive();
    });

    test('shows a new request above the older requests', async () => {
      await ask('/organizations/org_second');
      await page.getByRole('link', { name: 'GET /organizations/org_second' }).waitFor();

      expect(await rows().getByRole('link').allTextContents()).toEqual([
        'GET /organizations/org_second',
        'GET /organizations/org_first',
      ]);
    });

    test('lets the user pause the display of new requests', async () => {
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused').waitFor();
      await ask('/organizations/org_meanwhile');
      // A page that is opened later already has it.
      const other = await browser.newPage();
      await other.goto(`${url}/_emulator/console/requests`);
      await other.getByRole('link', { name: 'GET /organizations/org_meanwhile' }).waitFor();
      await other.close();
      const paused = await first().textContent();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('link', { name: 'GET /organizations/org_meanwhile' }).waitFor();

      expect(paused).toBe('GET /organizations/org_first');
    });

    test('applies the filter to new requests', async () => {
      await page.getByLabel('Status').selectOption({ label: '4xx, client error' });
      await page.getByRole('button', { name: 'Filter' }).click();
      await isLive();
      await ask('/organizations');
      await ask('/organizations/org_refused');
      await page.getByRole('link', { name: 'GET /organizations/org_refused' }).waitFor();

      expect(await rows().count()).toBe(2);
    });

    test('keeps the scroll position and the focus while requests arrive', async () => {
      for (let sent = 0; sent < 60; sent++) await ask(`/organizations/org_${sent}`);
      await page.getByRole('link', { name: 'GET /organizations/org_59' }).waitFor();
      const link = page.getByRole('link', { name: 'GET /organizations/org_20', exact: true });
      await link.focus();
      await link.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      const before = await link.boundingBox();

      for (let sent = 60; sent < 80; sent++) await ask(`/organizations/org_${sent}`);
      await page.getByRole('link', { name: 'GET /organizations/org_79' }).waitFor();

      const after = await link.boundingBox();
      expect(Math.abs(after!.y - before!.y)).toBeLessThan(2);
      expect(await page.locator(':focus').textContent()).toBe('GET /organizations/org_20');
    });

    test('keeps the selected option and the focus when a new option appears', async () => {
      const method = page.getByLabel('Method', { exact: true });
      await method.selectOption('GET');
      await page.getByRole('region', { name: 'Requests' }).focus();
      await fetch(`${url}/organizations/org_third`, { method: 'DELETE', headers: headers() });
      await page.getByRole('link', { name: 'DELETE /organizations/org_third' }).waitFor();

      expect(await method.inputValue()).toBe('GET');
      expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Requests');
    });

    test('keeps an expanded section open when data arrives', async () => {
      await page.goto(`${url}/_emulator/console/faults`);
      await isLive();
      await page.getByText('curl command').first().click();
      await emulator.faults.add({ operation: 'users.list', status: 500 });
      await page.getByText('users.list').first().waitFor();

      expect(await page.locator('details[open]').count()).toBe(1);
      await emulator.faults.clear();
    });

    test('shows new requests after a reset', async () => {
      await emulator.reset();
      await page.getByText('No requests yet').waitFor();
      await ask('/organizations/org_afterwards');
      await page.getByRole('link', { name: 'GET /organizations/org_afterwards' }).waitFor();

      expect(await rows().count()).toBe(1);
    });
  });

  test('reconnects to a restarted emulator and shows new requests', async () => {
    const before = await createEmulator();
    const address = await before.listen();
    await page.goto(`${address}/_emulator/console/requests`);
    await page.getByText('Live', { exact: true }).waitFor();
    await before.close();
    await page.getByText('Reconnecting').waitFor();
    const after = await createEmulator();
    await after.listen(Number(new URL(address).port));
    await fetch(`${address}/organizations/org_back`, {
      headers: { authorization: `Bearer ${after.credentials.apiKey}` },
    });
    await page.getByRole('link', { name: 'GET /organizations/org_back' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    expect(await page.getByRole('link', { name: 'GET /organizations/org_back' }).count()).toBe(1);
    await after.close();
  });

  test('can send a request again', async () => {
    const headers = { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' };
    await fetch(`${url}/organizations`, { method: 'POST', headers, body: '{"name":"Twice"}' });
    await page.goto(`${url}/_emulator/console/requests`);
    await page.getByRole('link', { name: 'POST /organizations' }).first().click();
    const before = page.url();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.waitForURL((now) => now.href !== before);

    expect(emulator.requests.list({ limit: 2 }).map(({ requestBody }) => requestBody)).toEqual([
      '{"name":"Twice"}',
      '{"name":"Twice"}',
    ]);
    expect(await page.getByText("await sallyport.organizations.createOrganization({ name: 'Twice' });").count()).toBe(
      1,
    );
  });

  test('can open the application as a user without further sign-in steps', async () => {
    // `sallyport/session` does the same: a code without a state starts a new sign-in.
    const application = createServer((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://localhost');
      const asked = new URLSearchParams({
        client_id: secondEmulator.credentials.clientId,
        redirect_uri: callback,
        response_type: 'code',
        provider: 'authkit',
        state: 'from the application',
      });
      if (searchParams.has('state')) response.end(`Arrived with ${searchParams.get('state')} and a code`);
      else response.writeHead(302, { location: `${secondEmulator.url}/user_management/authorize?${asked}` }).end();
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const callback = `http://localhost:${(application.address() as AddressInfo).port}/callback`;
    const secondEmulator = await createEmulator({
      seed: {
        redirect_uris: [callback],
        users: [{ id: 'user_ada', email: 'ada@acme.test', password: 'a quiet harbour', email_verified: true }],
      },
    });
    const address = await secondEmulator.listen();
    await page.goto(`${address}/_emulator/console/users/user_ada`);
    await page.getByRole('button', { name: 'Open the application' }).click();
    await page.getByText('Arrived with').waitFor();
    const arrived = await page.locator('body').textContent();
    await page.goto(`${address}/_emulator/console/users/user_ada`);
    await page.getByRole('button', { name: 'Get tokens' }).click();
    const tokens = await page.locator('pre').textContent();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Expire' }).first().click();
    await page.getByRole('cell', { name: 'expired' }).first().waitFor();
    const findings = await findingsOnScreens(page, 'console-user-signed-in');
    await secondEmulator.close();
    await new Promise((resolve) => application.close(resolve));

    expect(arrived).toBe('Arrived with from the application and a code');
    expect(JSON.parse(tokens!)).toMatchObject({ user: { id: 'user_ada' } });
    expect(findings).toEqual([]);
  });

  test('shows requests without JavaScript, and hides the buttons that need JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${url}/_emulator/console/requests?method=POST`);

    expect(await plain.getByRole('region', { name: 'Requests' }).locator('tbody tr').count()).toBeGreaterThan(0);
    expect(await plain.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect(await plain.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await context.close();
  });
});
