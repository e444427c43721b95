import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../browser/chromium.js';
import { requires } from '../../runner/requirements.js';
import { findingsOnScreens } from './findings.js';

const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

requires('chromium-headless-shell')('in Chromium,', () => {
  let emulator: Emulator;
  let sallyport: Sallyport;
  let application: Server;
  let settings: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    application = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Settings</title><h1>Settings</h1>');
    });
    await new Promise<void>((resolve) => void application.listen(0, '127.0.0.1', resolve));
    settings = `http://localhost:${(application.address() as AddressInfo).port}/settings`;
    emulator = await createEmulator();
    await emulator.listen();
    sallyport = new Sallyport(emulator.credentials);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await emulator?.close();
    application?.closeAllConnections();
    application?.close();
  });
  beforeEach(async () => {
    await emulator.reset();
    // Scripts are switched off.
    page = await browser.newPage({ javaScriptEnabled: false });
    return () => page.close();
  });

  /** Follows a new link into the portal of an organization. */
  const open = async (intent: string, { name = 'Acme Corporation' } = {}) => {
    const organization = await sallyport.organizations.createOrganization({ name });
    const { link } = await sallyport.portal.generateLink({
      organization: organization.id,
      intent,
      returnUrl: settings,
      successUrl: `${settings}?done`,
    });
    await page.goto(link);
    return organization;
  };
  const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
  const arrived = async () => {
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    return page.url();
  };
  const eventsOf = async (...events: string[]) =>
    (await sallyport.events.listEvents({ events })).data.map(({ event }) => event);

  describe('an administrator in the Admin Portal', () => {
    test('can set up single sign-on', async () => {
      const { id: organizationId } = await open('sso');

      await press(/Okta/);
      await press(/Activate connection/);

      expect(await arrived()).toBe(`${settings}?done`);
      const { data } = await sallyport.sso.listConnections({ organizationId });
      expect(data).toMatchObject([{ connectionType: 'OktaSAML', state: 'active' }]);
      expect(await eventsOf('connection.activated')).toEqual(['connection.activated']);
    });

    test('can set up directory sync with only the keyboard', async () => {
      const { id: organizationId } = await open('dsync');
      const pressByKey = async (name: RegExp) => {
        const button = page.getByRole('button', { name });
        for (let keys = 0; keys < 20; keys++) {
          await page.keyboard.press('Tab');
          if (await button.evaluate((element) => element === element.ownerDocument.activeElement)) break;
        }
        await page.keyboard.press('Enter');
      };

      await pressByKey(/Microsoft Entra ID/);
      await pressByKey(/Link directory/);

      expect(await arrived()).toBe(`${settings}?done`);
      const { data } = await sallyport.directorySync.listDirectories({ organizationId });
      expect(data).toMatchObject([{ type: 'azure scim v2.0', state: 'linked' }]);
      expect(await eventsOf('dsync.activated')).toEqual(['dsync.activated']);
    });

    test('can add and verify a domain', async () => {
      const { id } = await open('domain_verification');

      await page.getByLabel('Domain').fill('acme.test');
      await page.keyboard.press('Enter');
      await press(/Check record/);

      expect(await arrived()).toBe(`${settings}?done`);
      const { domains } = await sallyport.organizations.getOrganization(id);
      expect(domains).toMatchObject([{ domain: 'acme.test', state: 'verified' }]);
      expect(await eventsOf('organization_domain.verified')).toEqual(['organization_domain.verified']);
    });

    test('can go back to the application without creating a connection', async () => {
      const { id: organizationId } = await open('sso');

      await page.getByRole('link', { name: /Back to localhost/ }).click();

      expect(await arrived()).toBe(settings);
      expect((await sallyport.sso.listConnections({ organizationId })).data).toEqual([]);
    });
  });

  /** The steps that lead to each state of the portal, by the name of its picture. */
  const walks: Readonly<Record<string, () => Promise<unknown>>> = {
    'portal-sso': () => open('sso'),
    'portal-sso-draft': async () => {
      await open('sso');
      await press(/Okta/);
    },
    'portal-sso-active': async () => {
      const { id: organizationId } = await open('sso');
      await emulator.createConnection({ organizationId, connectionType: 'OktaSAML' });
      await page.reload();
    },
    'portal-sso-long': async () => {
      await open('sso', { name: long });
      await press(/Google Workspace/);
    },
    'portal-dsync': () => open('dsync'),
    'portal-dsync-unlinked': async () => {
      await open('dsync');
      await press(/Workday/);
    },
    'portal-domain': () => open('domain_verification'),
    'portal-domain-wrong': async () => {
      await open('domain_verification');
      await page.getByLabel('Domain').fill('gmail.com');
      await press('Add domain');
    },
    'portal-domain-pending': async () => {
      await open('domain_verification', { name: long });
      for (const domain of ['acme.test', `${'a-very-long-name-of-a-domain'.repeat(2)}.test`]) {
        await page.getByLabel('Domain').fill(domain);
        await press('Add domain');
      }
      await page.getByText('Simulate a failure').first().click();
    },
    'portal-domain-failed': async () => {
      await open('domain_verification');
      await page.getByLabel('Domain').fill('acme.test');
      await press('Add domain');
      await page.getByText('Simulate a failure').click();
      await press(/The record is not there/);
    },
    'portal-certificate': async () => {
      const { id: organizationId } = await open('certificate_renewal');
      await emulator.createConnection({ organizationId, connectionType: 'OktaSAML' });
      await page.reload();
    },
    'portal-certificate-done': async () => {
      const { id } = await sallyport.organizations.createOrganization({ name: 'Acme Corporation' });
      await emulator.createConnection({ organizationId: id, connectionType: 'OktaSAML' });
      const { link } = await sallyport.portal.generateLink({ organization: id, intent: 'certificate_renewal' });
      await page.goto(link);
      await press(/Renew certificate/);
    },
    'portal-audit-logs': async () => {
      const { id: organizationId } = await open('audit_logs');
      await sallyport.auditLogs.createEvent(organizationId, {
        action: 'user.signed_in',
        occurredAt: new Date(emulator.clock.now()).toISOString(),
        actor: { type: 'user', id: 'user_01', name: 'Ada Lovelace' },
        targets: [{ type: 'team', id: 'team_01' }],
        context: { location: '127.0.0.1' },
      });
      await page.reload();
    },
    'portal-log-streams': () => open('log_streams'),
    'portal-expired': async () => {
      const { id } = await sallyport.organizations.createOrganization({ name: 'Acme Corporation' });
      const { link } = await sallyport.portal.generateLink({ organization: id, intent: 'sso', returnUrl: settings });
      await emulator.clock.advance('5m');
      await page.goto(link);
    },
  };

  test.each(Object.keys(walks))(
    'the page "%s" passes accessibility checks and fits phone and desktop screens',
    async (name) => {
      // axe is a script, so it needs a page with scripts.
      await page.close();
      page = await browser.newPage();
      await walks[name]!();

      expect(await findingsOnScreens(page, name)).toEqual([]);
    },
  );
});
