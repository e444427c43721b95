import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { launchChromium } from '../../browser/chromium.js';
import { tarball } from '../../package/install.js';
import { requires } from '../../runner/requirements.js';

requires('chromium-headless-shell')('an open console page', () => {
  let browser: Browser;
  let emulator: Emulator;
  let url: string;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    emulator = await createEmulator({ seed: 'examples/company.yaml', deliver: () => new Response(null) });
    url = await emulator.listen();
    page = await browser.newPage();
  });
  afterEach(async () => {
    await page.close();
    await emulator.close();
  });

  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const title = () => page.getByRole('heading', { level: 1 });
  const isLive = () => page.getByText('Live', { exact: true }).waitFor();
  const goTo = async (path: string): Promise<void> => {
    await page.goto(`${url}/_emulator/console/${path}`);
    await isLive();
  };
  const change = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.ok).toBe(true);
    return answer;
  };
  const addDomain = (domain: string) =>
    change('POST', '/organization_domains', { organization_id: 'org_northwind', domain });

  test('about an organization shows changes, and keeps the focus and expanded sections', async () => {
    await addDomain('one.test');
    await goTo('organizations/org_northwind');
    const row = region('Domains').getByRole('row', { name: 'one.test' });
    await row.getByText('curl command').click();
    await row.getByRole('button', { name: 'Verify' }).focus();

    await change('PUT', '/organizations/org_northwind', { name: 'Northwind & daughters' });
    await addDomain('two.test');
    await region('Domains').getByText('two.test').waitFor();

    expect([await title().textContent(), await page.title()]).toEqual([
      'Northwind & daughters',
      'Northwind & daughters · Sallyport emulator',
    ]);
    expect(await row.locator('details[open]').count()).toBe(1);
    expect(await page.locator('details[open]').count()).toBe(1);
    expect(await row.locator(':focus').textContent()).toBe('Verify');
    // New parts of the page need copy buttons too.
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(
      await page.locator('.listing:visible').count(),
    );
  });

  test('about a directory shows changes, and keeps typed text', async () => {
    await goTo('directories/directory_northwind');
    const email = page.getByLabel('Email address');
    await email.fill('grace@');
    await page.getByLabel('First name').focus();
    await page.keyboard.type('Gr');
    const node = await email.elementHandle();

    await change('POST', '/_emulator/directory_users', {
      directory_id: 'directory_northwind',
      email: 'linus@northwind.test',
    });
    await region('Users').getByText('linus@northwind.test').waitFor();
    await page.keyboard.type('ace');

    expect([await email.inputValue(), await page.getByLabel('First name').inputValue()]).toEqual(['grace@', 'Grace']);
    expect(await node!.evaluate((input) => input.isConnected)).toBe(true);
  });

  test('about a user shows changes to the name, metadata and sessions', async () => {
    await goTo('users/user_ada');

    await change('PUT', '/user_management/users/user_ada', { first_name: 'Augusta', metadata: { plan: 'pro' } });
    await page.getByText('Augusta').waitFor();
    await emulator.signInAs('user_ada', { organizationId: 'org_northwind' });
    await region('Sessions').getByText('active').waitFor();

    expect(await page.locator('pre').last().textContent()).toContain('"plan": "pro"');
  });

  test("about an event shows changes to the event's deliveries", async () => {
    await change('POST', '/webhook_endpoints', { endpoint_url: 'https://app.example.com/webhooks', events: [] });
    await change('POST', '/organizations', { name: 'Tailspin' });
    await emulator.waitForDeliveries();
    await goTo('events');
    await page.getByRole('link', { name: 'organization.created' }).click();
    await isLive();

    await emulator.redeliver((await emulator.listDeliveries())[0]!.id);
    await region('Deliveries').getByRole('cell', { name: '2', exact: true }).first().waitFor();

    expect(await region('Deliveries').locator('tbody tr').count()).toBeGreaterThan(0);
  });

  test('about authorization shows the new result of a check after a warrant is created', async () => {
    await goTo(`fga?${new URLSearchParams({ subject: 'user:nobody', relation: 'viewer', resource: 'report:q3' })}`);
    expect(await page.getByRole('status').last().textContent()).toContain('No:');

    await change('POST', '/fga/v1/warrants', {
      op: 'create',
      resource_type: 'report',
      resource_id: 'q3',
      relation: 'viewer',
      subject: { resource_type: 'user', resource_id: 'nobody' },
    });

    await page.getByText('Yes', { exact: true }).waitFor();
  });

  test('about a deleted object shows "Not found", but keeps a form with typed text', async () => {
    await goTo('organizations/org_northwind');
    const before = emulator.snapshot();
    await change('DELETE', '/organizations/org_northwind');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await emulator.restore(before);
    await page.getByRole('heading', { name: 'Northwind Traders' }).waitFor();

    await goTo('directories/directory_northwind');
    await page.getByLabel('Email address').fill('grace@northwind.test');
    await change('DELETE', '/organizations/org_northwind');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();

    expect(await page.getByLabel('Email address').inputValue()).toBe('grace@northwind.test');
  });

  test('in the built package shows a new request, and keeps typed text, the focus and expanded sections', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-console-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    execFileSync('tar', ['-xzf', await tarball({ documents: false }), '-C', folder]);
    const packed: Emulator = await (await import(join(folder, 'package/dist/emulator.js'))).createEmulator();
    onTestFinished(() => packed.close());
    await packed.listen();
    const send = (path: string) =>
      fetch(packed.url + path, { headers: { authorization: `Bearer ${packed.credentials.apiKey}` } });
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    // A long query is collapsed.
    await send(`/organizations?limit=1&domains=${'a'.repeat(60)}.test`);
    await page.goto(`${packed.url}/_emulator/console/requests`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Query', { exact: true }).click();
    const field = page.getByLabel('Path');
    await field.focus();
    await page.keyboard.type('organ');

    await send('/organizations/org_second');
    await page.getByRole('link', { name: 'GET /organizations/org_second' }).waitFor();
    await page.keyboard.type('izations');

    const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr');
    expect(await rows.getByRole('link').allTextContents()).toEqual([
      'GET /organizations/org_second',
      'GET /organizations',
    ]);
    expect(await field.inputValue()).toBe('organizations');
    expect(await rows.last().locator('details[open]').textContent()).toContain('limit=1&domains=aaa');
    expect(await page.locator('details[open]').count()).toBe(1);
    expect(errors).toEqual([]);
  }, 600_000);
});
