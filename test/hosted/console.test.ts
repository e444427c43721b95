import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { launchChromium } from '../chromium.js';
import { requires } from '../requirements.js';
import { findingsOnScreens } from './findings.js';

const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

requires('chromium')('the console in Chromium', () => {
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
    'Users',
    'Organizations',
    'Directories',
    'Authorization',
    'Audit logs',
    'Faults',
  ];

  test('every page leads to every other, and to the inbox', async () => {
    await page.goto(url);

    const names = await page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();
    expect([...names].sort()).toEqual([...places, 'Inbox'].sort());
  });

  test.each(places)('%s is sound on a telephone and a desktop, light and dark', async (place) => {
    await page.goto(url);
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: place }).click();

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(place);
    expect(await findingsOnScreens(page, `console-${place.toLowerCase().replace(' ', '-')}`)).toEqual([]);
  });

  test('from a request one gets to its event, and from there to its delivery', async () => {
    await page.goto(`${url}/_emulator/console/requests`);
    await page.getByRole('link', { name: 'POST /user_management/users' }).click();
    const onRequest = await findingsOnScreens(page, 'console-request');
    await page.getByRole('link', { name: 'user.created' }).click();

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('user.created');
    expect(await page.getByRole('region', { name: 'Deliveries' }).textContent()).toContain('delivered');
    expect(await page.content()).not.toContain('a quiet harbour');
    expect([...onRequest, ...(await findingsOnScreens(page, 'console-event'))]).toEqual([]);
  });

  test('a user and an organization with a long name fit', async () => {
    await page.goto(`${url}/_emulator/console/organizations`);
    await page.getByRole('link', { name: longName }).click();
    const onOrganization = await findingsOnScreens(page, 'console-organization');
    await page.goto(`${url}/_emulator/console/users`);
    await page.getByRole('link', { name: 'ada@northwind.test' }).click();

    expect([...onOrganization, ...(await findingsOnScreens(page, 'console-user'))]).toEqual([]);
  });

  test('it is usable by keyboard: the content comes first for those who want it, and a question is asked by Enter', async () => {
    await page.goto(`${url}/_emulator/console/fga`);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');

    await page.getByLabel('Subject').fill('user:user_ada');
    await page.getByLabel('Relation').fill('viewer');
    await page.getByLabel('Resource', { exact: true }).fill('report:q3');
    await page.keyboard.press('Enter');

    expect(await page.getByRole('status').textContent()).toContain('Yes: user:user_ada is viewer of report:q3');
  });
});
