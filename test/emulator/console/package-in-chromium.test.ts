import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { launchChromium } from '../../browser/chromium.js';
import { tarball } from '../../package/install.js';
import { requires } from '../../runner/requirements.js';

requires('chromium-headless-shell')('a live page of the console', () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    browser = await launchChromium();
    folder = mkdtempSync(join(tmpdir(), 'sallyport-console-'));
    execFileSync('tar', ['-xzf', await tarball({ documents: false }), '-C', folder]);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  const fromPackage = async (): Promise<typeof createEmulator> =>
    (await import(join(folder, 'package/dist/emulator.js'))).createEmulator;

  test.each([
    ['the sources', async () => createEmulator],
    ['the package', fromPackage],
  ])('of %s shows a new request at once, and keeps typed text, focus and open details', async (_, creator) => {
    const emulator = await (await creator())();
    const url = await emulator.listen();
    const send = (path: string) =>
      fetch(url + path, { headers: { authorization: `Bearer ${emulator.credentials.apiKey}` } });
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    // A long query is collapsed.
    await send(`/organizations?limit=1&domains=${'a'.repeat(60)}.test`);
    await page.goto(`${url}/_emulator/console/requests`);
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
    await page.close();
    await emulator.close();
  });
});
