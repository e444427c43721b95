import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator, type Seed } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../chromium.js';
import { folderOf, installed } from '../outsiders/run.js';
import { tarball } from '../package/install.js';
import { requires } from '../requirements.js';

const seed: Seed = {
  organizations: [
    { id: 'org_northwind', name: 'Northwind' },
    { id: 'org_harbour', name: 'Harbour' },
  ],
  roles: [{ slug: 'member', permissions: ['docks:plan'] }, { slug: 'visitor' }],
  users: ['bruno', 'carla'].map((name) => ({
    id: `user_${name}`,
    email: `${name}@northwind.test`,
    email_verified: true,
    password: 'a quiet harbour at dawn',
  })),
  memberships: [{ user_id: 'user_bruno', organization_id: 'org_northwind', role_slug: 'member' }],
};

const password = 'a password of more than 32 characters';

/** What each Next is installed for, and what it calls the file that every request passes. */
const versions = [
  // There already, for the incumbent's package.
  { version: 'Next 16', outsider: 'incumbent-next', file: 'proxy', runsAt: 'on Node' },
  { version: 'Next 15', outsider: 'next-15', file: 'middleware', runsAt: 'at the edge' },
];

/** What the application shows beside what the example has. */
const statusPage = `import { next } from '../../sallyport.js';
export default async function Status() {
  const { status } = await next.getAuth();
  return <p>{'The page finds the session ' + status}</p>;
}`;

/** Puts the example together, with the package as users install it. */
async function prepare(installation: string, folder: string, file: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(import.meta.dirname, '../../examples/frameworks/next'), folder, { recursive: true });
  const proxy = readFileSync(join(folder, 'proxy.js'), 'utf8');
  rmSync(join(folder, 'proxy.js'));
  writeFileSync(join(folder, `${file}.js`), proxy.replace('const proxy =', `const ${file} =`));
  const own = join(folder, 'node_modules/sallyport');
  mkdirSync(own, { recursive: true });
  execFileSync('tar', ['-xzf', await tarball(), '--strip-components', '1', '-C', own]);
  mkdirSync(join(folder, 'app/status'));
  writeFileSync(join(folder, 'app/status/page.js'), statusPage);
  const config = { turbopack: { root: installation } };
  writeFileSync(join(folder, 'next.config.mjs'), `export default ${JSON.stringify(config)};`);
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

for (const { version, file, runsAt, outsider } of versions)
  requires(
    'chromium',
    'node22',
    installed(outsider),
  )(`the application on ${version}, its ${file} ${runsAt}`, () => {
    const installation = folderOf(outsider);
    const folder = join(installation, '.cache/sallyport');
    let browser: Browser;
    let emulator: Emulator;
    let sallyport: Sallyport;
    let next: ChildProcess;
    let home: string;
    let context: BrowserContext;
    let page: Page;
    let complaints: string[];

    beforeAll(async () => {
      await prepare(installation, folder, file);
      browser = await launchChromium();
      // Behind the real time: what is signed in here has expired in the application.
      emulator = await createEmulator({ seed, clock: new Date(Date.now() - 600_000).toISOString() });
      await emulator.listen(0);
      sallyport = new Sallyport({ ...emulator.credentials });
      home = `http://localhost:${await freePort()}/`;
      const { apiKey, clientId } = emulator.credentials;
      const env = {
        ...process.env,
        NODE_ENV: 'production' as const,
        NEXT_TELEMETRY_DISABLED: '1',
        NEXT_IGNORE_INCORRECT_LOCKFILE: '1',
        SALLYPORT_BASE_URL: String(emulator.url),
        SALLYPORT_CLIENT_ID: clientId,
        SALLYPORT_API_KEY: apiKey,
        SALLYPORT_COOKIE_PASSWORD: password,
        HOME_URL: home,
      };
      const program = join(installation, 'node_modules/next/dist/bin/next');
      const building = spawn('node22', [program, 'build'], {
        cwd: folder,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect(await once(building, 'exit')).toEqual([0, null]);
      next = spawn('node22', [program, 'start', '--port', new URL(home).port], {
        cwd: folder,
        detached: true,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise<void>((resolve) => {
        next.stdout!.on('data', (chunk) => /Ready in/.test(String(chunk)) && resolve());
      });
    });
    afterAll(async () => {
      await browser?.close();
      if (next?.pid) process.kill(-next.pid, 'SIGKILL');
      await emulator?.close();
    });
    beforeEach(async () => {
      context = await browser.newContext();
      page = await context.newPage();
      complaints = [];
      page.on(
        'console',
        (message) => message.type() === 'error' && complaints.push(`${message.location().url}: ${message.text()}`),
      );
      page.on('pageerror', (error) => complaints.push(String(error)));
    });
    afterEach(() => context.close());

    const says = (text: string) => page.getByText(text, { exact: true }).waitFor();
    const signIn = async (email = 'bruno@northwind.test') => {
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByLabel('Password', { exact: true }).fill('a quiet harbour at dawn');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };

    test('gives a page what the proxy has refreshed in the same request', async () => {
      const tokens = await sallyport.userManagement.authenticateWithPassword({
        email: 'bruno@northwind.test',
        password: 'a quiet harbour at dawn',
      });
      const [cookie = ''] = await createSessions({ ...emulator.credentials, password, redirectUri: home }).create(
        tokens,
      );
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      await context.addCookies([{ name, value, url: home }]);
      emulator.clock.set(new Date().toISOString());

      await page.goto(`${home}status`);

      await says('The page finds the session active');
      expect((await context.cookies(home)).find((one) => one.name === name)?.value).not.toBe(value);
      expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
    });

    test('begins no sign-in for a link that nobody follows, and says nothing in the console', async () => {
      const answers = new Set<string>();
      page.on('response', (response) => answers.add(`${new URL(response.url()).pathname} ${response.status()}`));

      await page.goto(home, { waitUntil: 'networkidle' });

      await says('Hello stranger');
      expect([...answers]).toEqual(expect.arrayContaining(['/account 204', '/sign-in 204']));
      expect([await context.cookies(), complaints]).toEqual([[], []]);
    });

    test('signs in from a link to a protected page and leads back to it, switches, refreshes and signs out', async () => {
      await page.goto(home, { waitUntil: 'networkidle' });
      await page.getByRole('link', { name: 'Your account' }).click();
      await signIn();
      await says('bruno@northwind.test in org_northwind may: docks:plan');
      expect(page.url()).toBe(`${home}account`);

      const membership = await sallyport.userManagement.createOrganizationMembership({
        userId: 'user_bruno',
        organizationId: 'org_harbour',
        roleSlug: 'member',
      });
      await page.getByLabel('Organization').fill('org_harbour');
      await page.getByRole('button', { name: 'Switch' }).click();
      await says('bruno@northwind.test in org_harbour may: docks:plan');
      expect(await page.evaluate(() => fetch('/api/me').then((response) => response.json()))).toEqual({
        userId: 'user_bruno',
      });

      await sallyport.userManagement.updateOrganizationMembership(membership.id, { roleSlug: 'visitor' });
      await page.getByRole('button', { name: 'Refresh' }).click();
      await says('bruno@northwind.test in org_harbour may: nothing');

      await page.getByRole('button', { name: 'Sign out' }).click();
      await says('Hello stranger');
      expect(complaints).toEqual([]);
    });

    test('leads from a link to the sign-in, and home afterwards', async () => {
      await page.goto(home, { waitUntil: 'networkidle' });

      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn('carla@northwind.test');

      await says('Hello carla@northwind.test');
      expect(complaints).toEqual([]);
    });
  });
