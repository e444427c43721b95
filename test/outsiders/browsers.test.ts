import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { Emulator, Seed } from 'sallyport/emulator';
import { afterAll, beforeAll, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';
import { folderOf, installed, publicService, whereabouts } from './run.js';

const seed: Seed = {
  organizations: [{ id: 'org_northwind', name: 'Northwind' }],
  roles: [{ slug: 'member', permissions: ['docks:plan'] }],
  users: [
    {
      id: 'user_bruno',
      email: 'bruno@northwind.test',
      first_name: 'Bruno',
      email_verified: true,
      password: 'a quiet harbour at dawn',
    },
  ],
  memberships: [{ user_id: 'user_bruno', organization_id: 'org_northwind', role_slug: 'member' }],
};

/** Signs Bruno in at the hosted page. */
async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill('bruno@northwind.test');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Password', { exact: true }).fill('a quiet harbour at dawn');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

requires('chromium-headless-shell', installed('incumbent-browser'))("the incumbent's package for browsers", () => {
  let browser: Browser;
  let emulator: Emulator;
  let server: Server;
  let page: Page;
  const says = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

  beforeAll(async () => {
    browser = await launchChromium();
    emulator = await publicService(seed, false);
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, 'drivers/page.mjs')],
      nodePaths: [installed('incumbent-browser')],
      bundle: true,
      format: 'esm',
      write: false,
    });
    const { hostname, port } = new URL(String(emulator.url));
    const service = JSON.stringify({ clientId: emulator.credentials.clientId, hostname, port: Number(port) });
    server = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(
        isScript
          ? outputFiles[0]!.text
          : `<!doctype html><title>Application</title><body data-service='${service}'><p role="status"></p><script type="module" src="/page.js"></script>`,
      );
    }).listen(0);
    await once(server, 'listening');
    page = await browser.newPage();
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    await emulator?.close();
  });

  test('signs in at the hosted page, refreshes, survives a reload and signs out', async () => {
    await says('Nobody is signed in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page);
    await says('Hello Bruno');

    await page.getByRole('button', { name: 'Renew the access token' }).click();
    await says('Another token');

    await page.reload();
    await says('Hello Bruno');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await says('Nobody is signed in');
  });
});

requires(
  'chromium-headless-shell',
  'node22',
  installed('next'),
)("the incumbent's package for Next", () => {
  let browser: Browser;
  let emulator: Emulator;
  let next: ChildProcess;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    emulator = await publicService(seed, false);
    const port = await freePort();
    const application = `http://localhost:${port}/`;
    const { SERVICE, API_KEY, CLIENT_ID } = whereabouts(emulator);
    const service = new URL(SERVICE!);
    const folder = folderOf('next');
    next = spawn('node22', [join(folder, 'node_modules/next/dist/bin/next'), 'dev', '--port', String(port)], {
      cwd: folder,
      detached: true,
      env: {
        ...process.env,
        NODE_ENV: 'development',
        NEXT_TELEMETRY_DISABLED: '1',
        WORKOS_API_KEY: API_KEY,
        WORKOS_CLIENT_ID: CLIENT_ID,
        WORKOS_COOKIE_PASSWORD: 'a password of more than 32 characters',
        WORKOS_API_HOSTNAME: service.hostname,
        WORKOS_API_PORT: service.port,
        WORKOS_API_HTTPS: 'false',
        NEXT_PUBLIC_WORKOS_REDIRECT_URI: `${application}callback`,
        APPLICATION: application,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => {
      next.stdout!.on('data', (chunk) => /Ready in/.test(String(chunk)) && resolve());
    });
    page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(application, { timeout: 90_000 });
  });
  afterAll(async () => {
    await browser?.close();
    if (next?.pid) process.kill(-next.pid, 'SIGKILL');
    await emulator?.close();
  });

  test('signs in at the hosted page, knows role and permissions, and signs out', { timeout: 180_000 }, async () => {
    await page.getByText('Nobody is signed in.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page);
    await page.getByText('bruno@northwind.test, org_northwind, member, docks:plan').waitFor();

    await page.reload();
    await page.getByText('bruno@northwind.test, org_northwind, member, docks:plan').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Nobody is signed in.').waitFor();
  });
});
