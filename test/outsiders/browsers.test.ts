import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { Sallyport } from 'sallyport';
import type { Emulator, Seed } from 'sallyport/emulator';
import { createSessionReader, createSessions } from 'sallyport/session';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { expressApi, workerApi } from '../../examples/alongside-workos.js';
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

requires('chromium-headless-shell', installed('incumbent-browser'))('the WorkOS package for browsers', () => {
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

  test("signs users in at the emulator's hosted page, keeps the session after a reload, and signs users out", async () => {
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
)('the WorkOS package for Next.js', () => {
  let browser: Browser;
  let emulator: Emulator;
  let next: ChildProcess;
  let page: Page;
  let application: string;
  const cookiePassword = 'a password of more than 32 characters';

  beforeAll(async () => {
    browser = await launchChromium();
    emulator = await publicService(seed, false);
    const port = await freePort();
    application = `http://localhost:${port}/`;
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
        WORKOS_COOKIE_PASSWORD: cookiePassword,
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

  test("signs users in at the emulator's hosted page, shows the role and permissions, and signs users out", {
    timeout: 180_000,
  }, async () => {
    await page.getByText('Nobody is signed in.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page);
    await page.getByText('bruno@northwind.test, org_northwind, member, docks:plan').waitFor();

    await page.reload();
    await page.getByText('bruno@northwind.test, org_northwind, member, docks:plan').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Nobody is signed in.').waitFor();
  });

  /** The options of an application on Sallyport that shares the cookie of Next. */
  const beside = () => {
    const { clientId, apiKey } = emulator.credentials;
    return { service: { dialect: 'workos', baseUrl: String(emulator.url), clientId, cookiePassword } as const, apiKey };
  };

  /** Sends the cookies of the browser to the API of the example, in Express and in a worker. */
  async function askApis(): Promise<unknown[]> {
    const reader = createSessionReader(beside().service);
    const server = expressApi(reader).listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}/api/account`;
    const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
    const headers = { cookie: cookies.join('; ') };
    const responses = [await fetch(url, { headers }), await workerApi(reader)(new Request(url, { headers }))];
    return Promise.all(responses.map(async (response) => [response.status, await response.json()]));
  }

  test("sets a cookie that Sallyport's reader accepts until the user signs out", {
    timeout: 180_000,
  }, async () => {
    await page.goto(`${application}sign-in`);
    await signIn(page);
    await page.getByText('bruno@northwind.test, org_northwind').waitFor();

    expect(await askApis()).toEqual([
      [200, { email: 'bruno@northwind.test', mayPlan: true }],
      [200, { email: 'bruno@northwind.test' }],
    ]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Nobody is signed in.').waitFor();
    expect(await askApis()).toEqual([
      [401, { status: 'signed_out' }],
      [401, { status: 'signed_out' }],
    ]);
  });

  test('accepts and refreshes a cookie sealed by Sallyport', { timeout: 180_000 }, async () => {
    const { service, apiKey } = beside();
    const sallyport = new Sallyport({ ...emulator.credentials });
    // Next uses the time of this machine, so the token from an hour ago has expired.
    await emulator.clock.set(new Date(Date.now() - 3_600_000).toISOString());
    const signedIn = await sallyport.userManagement.authenticateWithPassword({
      email: 'bruno@northwind.test',
      password: 'a quiet harbour at dawn',
    });
    const sessions = createSessions({
      ...service,
      apiKey,
      redirectUri: `${application}callback`,
      now: () => emulator.clock.now(),
    });
    const [cookie = ''] = await sessions.create(signedIn);
    await emulator.clock.set(new Date().toISOString());
    const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(cookie) ?? [];
    await page.context().addCookies([{ name, value, url: application, httpOnly: true, sameSite: 'Lax' }]);

    expect(name).toBe('wos-session');
    expect(await askApis()).toEqual([
      [401, { status: 'expired' }],
      [401, { status: 'expired' }],
    ]);

    await page.goto(application);
    await page.getByText('bruno@northwind.test, org_northwind').waitFor();
    expect(await askApis()).toEqual([
      [200, { email: 'bruno@northwind.test', mayPlan: true }],
      [200, { email: 'bruno@northwind.test' }],
    ]);
  });
});
