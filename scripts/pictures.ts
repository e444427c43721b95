// `npm run pictures` takes screenshots of the console and the hosted pages for the documentation. It runs an emulator, and uses
// the Chromium on PATH. The screenshots are in the repository, but not in the package.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createEmulator } from '../src/emulator/index.js';
import { Sallyport } from '../src/index.js';

const folder = 'docs/pictures';

/** A screenshot: its page, size and color schemes. */
interface Picture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colours: readonly ('light' | 'dark')[];
  /** Navigate to the page. */
  readonly open: (page: Page) => Promise<unknown>;
}

const wide = { width: 1200, height: 760 };
const narrow = { width: 520, height: 1000 };

const emulator = await createEmulator({
  seed: 'examples/company.yaml',
  clock: '2026-03-02T09:30:00.000Z',
  ids: 'pictures',
  applicationName: 'Northwind Reports',
  // The seed has a webhook endpoint that does not exist.
  deliver: () => new Response(null, { status: 204 }),
});
// The default address of the command line.
const url = await emulator.listen(4100);
await haveSomethingToShow();

const pictures: readonly Picture[] = [
  { name: 'console', ...wide, colours: ['light', 'dark'], open: (page) => page.goto(url) },
  {
    name: 'request',
    ...wide,
    colours: ['light'],
    open: async (page) => {
      await page.goto(`${url}/_emulator/console/requests`);
      await page.getByRole('link', { name: 'POST /user_management/users' }).first().click();
    },
  },
  {
    name: 'authorization',
    ...wide,
    colours: ['light'],
    open: async (page) => {
      await page.goto(`${url}/_emulator/console/fga`);
      await page.getByLabel('Subject').fill('user:user_ada');
      await page.getByLabel('Relation').fill('viewer');
      await page.getByLabel('Resource', { exact: true }).fill('report:q3');
      await page.keyboard.press('Enter');
      await page.getByRole('status').filter({ hasText: 'Yes' }).waitFor();
    },
  },
  { name: 'inbox', ...wide, colours: ['light'], open: (page) => page.goto(`${url}/_emulator/inbox`) },
  { name: 'sign-in', ...narrow, colours: ['light', 'dark'], open: (page) => page.goto(signInAddress()) },
  {
    name: 'identity-provider',
    ...narrow,
    colours: ['light'],
    open: async (page) => {
      await page.goto(signInAddress());
      await page.getByLabel('Email').fill('gwen@fabrikam.test');
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.waitForURL((address) => !address.pathname.endsWith('/sign-in'));
    },
  },
];

const browser = await launch();
try {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const picture of pictures) for (const colour of picture.colours) await take(picture, colour);
} finally {
  await browser.close();
  await emulator.close();
}

/** Create activity by an application, a directory and a user. */
async function haveSomethingToShow(): Promise<void> {
  const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
  const { userManagement, organizations } = sallyport;
  await sallyport.webhooks.createWebhookEndpoint({
    endpointUrl: 'https://reports.northwind.test/webhooks',
    events: [],
  });
  await organizations.listOrganizations();
  await emulator.worlds.create({ name: 'checkout' });
  await emulator.signInAs('user_ada', { organizationId: 'org_northwind', userAgent: 'Firefox' });
  await emulator.clock.advance('4m');
  await userManagement.sendInvitation({
    email: 'frank@northwind.test',
    organizationId: 'org_northwind',
    expiresInDays: 7,
  });
  await userManagement.sendMagicAuthCode({ email: 'bruno@northwind.test' });
  await organizations.getOrganization('org_gone').catch(() => undefined);
  await userManagement.createUser({
    email: 'erin@northwind.test',
    firstName: 'Erin',
    password: 'a quiet harbour at dawn',
  });
  await emulator.clock.advance('1m');
  await emulator.waitForDeliveries();
}

/** Build the authorization URL of an application. */
function signInAddress(): string {
  const { clientId } = emulator.credentials;
  const query = {
    client_id: clientId,
    redirect_uri: 'http://localhost:3000/callback',
    response_type: 'code',
    provider: 'hosted-login',
  };
  return `${url}/user_management/authorize?${new URLSearchParams(query)}`;
}

async function take({ name, width, height, colours, open }: Picture, colour: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({
    colorScheme: colour,
    viewport: { width, height },
    deviceScaleFactor: 1.5,
  });
  const page = await context.newPage();
  await open(page);
  // Hide the blinking caret.
  await page.evaluate('document.activeElement?.blur()');
  const devtools = await context.newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
  const file = join(folder, `${name}${colours.length > 1 ? `-${colour}` : ''}.webp`);
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(file, bytes);
  console.log(`${file} ${Math.round(bytes.length / 1024)} KB`);
  await context.close();
}

function launch(): Promise<Browser> {
  const program = 'chromium-headless-shell';
  const at = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(join(path, program)));
  if (at === undefined) throw new Error(`${program} is not on PATH. Install it: apt-get install ${program}.`);
  // Containers rarely support Chromium's sandbox. Disabling it is safe, because only our own pages are opened.
  return chromium.launch({ executablePath: join(at, program), args: ['--no-sandbox', '--disable-gpu'] });
}
