import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../src/emulator/index.js';
import { stage } from '../../stage.js';
import { Browser } from '../hosted/hosted-browser.js';

const path = '/portal/generate_link';

/** Start an emulator with an organization. */
async function startWithAcme(name = 'Acme', options: EmulatorOptions = {}) {
  const { emulator, send } = await stage(options);
  const { body: organization } = await send('POST /organizations', { name });
  const generate = (body: object = {}) =>
    send(`POST ${path}`, { organization: organization.id, intent: 'sso', ...body });
  const browser = new Browser(emulator);
  /** Open a new link. */
  const follow = async (intent: string, more: object = {}) => {
    await browser.open((await generate({ intent, ...more })).body.link);
    return browser;
  };
  const list = async (path: string) => (await send(`GET ${path}`)).body.data;
  /** The events of these types, each with the source of its actor. */
  const events = async (...names: string[]): Promise<[string, string][]> =>
    (await list(`/events?events=${names.join(',')}`)).map(
      ({ event, context }: { event: string; context: { actor: { source: string } } }) => [event, context.actor.source],
    );
  return { emulator, send, organization, generate, browser, follow, list, events };
}

describe('an Admin Portal link', () => {
  test('can be generated for an organization', async () => {
    const { generate } = await startWithAcme();

    const generated = await generate();

    expect([generated.status, generated.body]).toEqual([
      200,
      { link: expect.stringMatching(/^http:\/\/emulator\.localhost\/portal\/launch\?token=[0-9A-Za-z]{32}$/) },
    ]);
  });

  test('is generated with status 201 in the workos dialect', async () => {
    const { send } = await stage({ dialect: 'workos' });
    const { body: organization } = await send('POST /organizations', { name: 'Acme' });

    expect((await send(`POST ${path}`, { organization: organization.id, intent: 'dsync' })).status).toBe(201);
  });

  test('cannot be generated without an intent or with an invalid return URL', async () => {
    const { generate } = await startWithAcme();

    const nothing = await generate({ intent: undefined });
    const nowhere = await generate({ return_url: 'nowhere' });

    expect([nothing.status, nothing.body.errors[0].field]).toEqual([422, 'intent']);
    expect([nowhere.status, nowhere.body.errors[0].field]).toEqual([422, 'return_url']);
  });

  test.each([
    ['sso', 'Set up single sign-on'],
    ['dsync', 'Set up directory sync'],
    ['domain_verification', 'Verify a domain'],
    ['certificate_renewal', 'Renew a certificate'],
    ['audit_logs', 'Audit logs'],
    ['log_streams', 'Set up a log stream'],
    ['bring_your_own_key', 'Bring your own key'],
    ['tea_time', 'Admin portal'],
  ])('opens the portal page for the intent %s', async (intent, title) => {
    const { follow } = await startWithAcme();

    const { status, headers, title: shown, text } = await follow(intent);

    expect([status, headers.get('content-type'), shown]).toEqual([200, 'text/html; charset=utf-8', title]);
    expect(text).toContain('Admin portal of Acme');
  });

  test('expires after five minutes', async () => {
    const { emulator, generate } = await startWithAcme();
    const { link } = (await generate()).body;

    await emulator.clock.advance('299s');
    const inTime = await emulator.fetch(link);
    await emulator.clock.advance('1s');
    const late = await emulator.fetch(link);

    expect(inTime.status).toBe(200);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('This portal link has expired')]);
  });

  test('allows the browser to use the portal for an hour after the link is opened', async () => {
    const { emulator, follow, browser } = await startWithAcme();
    await follow('sso', { return_url: 'https://app.test/settings' });

    await emulator.clock.advance('59m');
    await browser.press('Okta');
    const during = [browser.status, browser.title];
    await emulator.clock.advance('1m');
    await browser.press('Activate connection');

    expect(during).toEqual([200, 'Set up single sign-on']);
    expect([browser.status, browser.title]).toEqual([410, 'This portal link has expired']);
    await browser.follow('Back to app.test');
    expect(browser.left?.href).toBe('https://app.test/settings');
  });

  test('returns status 404 after the organization is deleted', async () => {
    const { emulator, send, organization, generate } = await startWithAcme();
    const { link } = (await generate()).body;

    await send(`DELETE /organizations/${organization.id}`);

    const answer = await emulator.fetch(link);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('No such portal link')]);
  });

  test('with an unknown token returns status 404', async () => {
    const { emulator } = await startWithAcme();

    const unknown = await emulator.fetch(`${emulator.url}/portal/launch?token=none`);
    const without = await emulator.fetch(`${emulator.url}/portal/launch`);

    expect([unknown.status, without.status]).toEqual([404, 404]);
  });

  test('opens a page that escapes names and intents', async () => {
    const { emulator, generate } = await startWithAcme('<img src=x onerror=alert(1)>');
    const { link } = (await generate({ intent: '"><script>alert(2)</script>' })).body;

    const page = await (await emulator.fetch(link)).text();

    expect(page).not.toMatch(/<img|<script/);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).toContain('&quot;&gt;&lt;script&gt;');
  });

  test('opens a page that links to the return and success URLs only if the URLs use HTTP or HTTPS', async () => {
    const { emulator, follow, generate } = await startWithAcme();
    const browser = await follow('log_streams', {
      return_url: 'https://app.test/?a="b"',
      success_url: 'https://app.test/done',
    });
    const code = await generate({
      return_url: 'javascript://app.test/%0aalert(1)',
      success_url: 'javascript://x/%0aalert(1)',
    });

    await browser.follow('Back to app.test');
    const back = browser.left?.href;
    await browser.follow('Continue as if it were set up');
    const without = await (await emulator.fetch(code.body.link)).text();

    expect([back, browser.left?.href]).toEqual(['https://app.test/?a=%22b%22', 'https://app.test/done']);
    expect(without).not.toContain('href');
  });

  test('opens a page that runs no scripts and is not cached', async () => {
    const { emulator, generate } = await startWithAcme();

    const { headers } = await emulator.fetch((await generate()).body.link);

    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });
});

describe('the Admin Portal', () => {
  test('connects an identity provider, and then redirects to the success URL', async () => {
    const { follow, list, events, organization } = await startWithAcme();
    const browser = await follow('sso', { success_url: 'http://localhost:3000/done?step=2' });

    await browser.press('Okta');
    const drafts = await list('/connections');
    await browser.press('Activate connection');

    expect(drafts).toMatchObject([
      { organization_id: organization.id, connection_type: 'OktaSAML', name: 'Acme', state: 'draft' },
    ]);
    expect(browser.left?.href).toBe('http://localhost:3000/done?step=2');
    expect(await list('/connections')).toMatchObject([{ id: drafts[0].id, state: 'active' }]);
    expect(await events('connection.activated')).toEqual([['connection.activated', 'admin_portal']]);
  });

  test('shows that the setup is complete if the link has no success URL', async () => {
    const { follow } = await startWithAcme();
    const browser = await follow('sso');

    await browser.press('Google Workspace');
    await browser.press('Activate connection');

    expect(browser.left).toBe(undefined);
    expect([browser.status, browser.text]).toEqual([200, expect.stringContaining('Setup is complete.')]);
    expect(browser.text).toContain('GoogleSAML: Active');
  });

  test('connects a directory', async () => {
    const { follow, list, events, organization } = await startWithAcme();
    const browser = await follow('dsync', { success_url: 'https://app.test/done' });

    await browser.press('Okta');
    const before = await list('/directories');
    await browser.press('Link directory');

    expect(before).toMatchObject([
      { organization_id: organization.id, type: 'okta scim v2.0', name: 'Acme', state: 'unlinked' },
    ]);
    expect(browser.left?.href).toBe('https://app.test/done');
    expect(await list('/directories')).toMatchObject([{ id: before[0].id, state: 'linked' }]);
    expect(await events('dsync.activated')).toEqual([['dsync.activated', 'admin_portal']]);
  });

  test('shows the DNS record for a domain, and verifies the domain', async () => {
    const { follow, send, events, organization } = await startWithAcme();
    const browser = await follow('domain_verification', { success_url: 'https://app.test/done' });

    await browser.press('Add domain', { domain: 'ACME.test' });
    const { domains } = (await send(`GET /organizations/${organization.id}`)).body;
    const shown = browser.text;
    await browser.press('Check record');

    expect(domains).toMatchObject([{ domain: 'acme.test', state: 'pending' }]);
    expect(shown).toContain(domains[0].verification_token);
    expect(browser.left?.href).toBe('https://app.test/done');
    expect((await send(`GET /organization_domains/${domains[0].id}`)).body.state).toBe('verified');
    expect(await events('organization_domain.created', 'organization_domain.verified')).toEqual([
      ['organization_domain.created', 'admin_portal'],
      // The service itself checks the DNS.
      ['organization_domain.verified', 'system'],
    ]);
  });

  test('reports a missing DNS record, and allows a second check', async () => {
    const { follow, send, organization, events } = await startWithAcme();
    await send('POST /organization_domains', { organization_id: organization.id, domain: 'acme.test' });
    const browser = await follow('domain_verification');

    await browser.press('The record is not there');
    const failed = browser.text;
    await browser.press('Check record');

    expect(failed).toContain('acme.test Failed');
    expect(browser.text).toContain('acme.test Verified');
    expect(await events('organization_domain.verification_failed')).toHaveLength(1);
  });

  test.each([
    ['nonsense', 'The domain must be a domain such as acme.test.'],
    ['gmail.com', 'The domain gmail.com is a consumer mail domain; no organization can own it.'],
    ['globex.test', 'The domain globex.test already belongs to an organization.'],
  ])('rejects the domain "%s" with an error message', async (domain, message) => {
    const { follow, send } = await startWithAcme();
    await send('POST /organizations', { name: 'Globex', domain_data: [{ domain: 'globex.test', state: 'verified' }] });
    const browser = await follow('domain_verification');

    await browser.press('Add domain', { domain });

    expect([browser.status, browser.errors, browser.value('domain')]).toEqual([422, [message], domain]);
  });

  test('renews the certificate of a SAML connection, but not of an OIDC connection', async () => {
    const { emulator, follow, list, events, organization } = await startWithAcme();
    await emulator.createConnection({ organizationId: organization.id, connectionType: 'GenericOIDC' });
    const none = (await follow('certificate_renewal')).text;
    const { id } = await emulator.createConnection({ organizationId: organization.id, connectionType: 'OktaSAML' });
    const browser = await follow('certificate_renewal');

    await browser.press('Renew certificate');

    expect(none).toContain('This organization has no SAML connections');
    expect(await events('connection.saml_certificate_renewed')).toEqual([
      ['connection.saml_certificate_renewed', 'admin_portal'],
    ]);
    const [{ data }] = await list('/events?events=connection.saml_certificate_renewed');
    expect(data).toEqual({
      connection: { id, organization_id: organization.id },
      certificate: {
        certificate_type: 'ResponseSigning',
        expiry_date: '2027-01-01T00:00:00.000Z',
        is_expired: false,
      },
      renewed_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('shows audit log events, newest first', async () => {
    const { follow, send, organization } = await startWithAcme();
    for (const action of ['user.signed_in', 'user.viewed_invoice'])
      await send('POST /audit_logs/events', {
        organization_id: organization.id,
        event: {
          action,
          occurred_at: '2026-01-01T00:00:00.000Z',
          actor: { type: 'user', id: 'user_1', name: 'Ada' },
          targets: [{ type: 'team', id: 'team_1' }],
          context: { location: '127.0.0.1' },
        },
      });

    const { text } = await follow('audit_logs');

    expect(text).toMatch(/user\.viewed_invoice Ada, .* user\.signed_in Ada, /);
    expect(text).toContain('There is nothing to set up');
  });

  test('does not show expired audit log events', async () => {
    const { emulator, follow, send, organization } = await startWithAcme();
    await send('POST /audit_logs/events', {
      organization_id: organization.id,
      event: {
        action: 'user.signed_in',
        occurred_at: '2026-01-01T00:00:00.000Z',
        actor: { type: 'user', id: 'user_1', name: 'Ada' },
        targets: [],
        context: { location: '127.0.0.1' },
      },
    });
    await emulator.clock.advance('31d');

    const { text } = await follow('audit_logs');

    expect(text).not.toContain('user.signed_in');
    expect(text).toContain('No audit events yet');
  });

  test.each([
    ['log_streams', 'The emulator does not support log streams'],
    ['bring_your_own_key', 'The emulator does not encrypt data with keys of organizations'],
    ['tea_time', 'The emulator does not know the intent tea_time'],
  ])('explains that the emulator does not support the intent %s', async (intent, words) => {
    const { follow } = await startWithAcme();

    const { text, buttons } = await follow(intent);

    expect(text).toContain(words);
    expect(buttons).toEqual([]);
  });

  test("changes only objects of the link's organization that match the link's intent", async () => {
    const { emulator, send, follow, browser, list, organization } = await startWithAcme();
    const { body: globex } = await send('POST /organizations', {
      name: 'Globex',
      domain_data: [{ domain: 'globex.test', state: 'pending' }],
    });
    const { id } = await emulator.createConnection({
      organizationId: globex.id,
      connectionType: 'OktaSAML',
      state: 'draft',
    });
    const directory = await emulator.createDirectory({ organizationId: globex.id, name: 'G', state: 'unlinked' });
    await emulator.createConnection({ organizationId: organization.id, connectionType: 'OktaSAML', state: 'draft' });
    await emulator.createDirectory({ organizationId: organization.id, name: 'A', state: 'unlinked' });
    await send('POST /organization_domains', { organization_id: organization.id, domain: 'acme.test' });

    await follow('sso');
    await browser.press('Activate connection', { activate: id });
    const connection = [browser.status, browser.errors];
    await follow('sso');
    await browser.press('Activate connection', { activate: '', add: 'domain', domain: 'stolen.test' });
    await follow('dsync');
    await browser.press('Link directory', { link: directory.id });
    await follow('domain_verification');
    await browser.press('Check record', { check: globex.domains[0].id });

    expect(connection).toEqual([422, [`No connection of this organization has the id "${id}".`]]);
    expect((await list('/connections')).map(({ state }: { state: string }) => state)).toEqual(['draft', 'draft']);
    expect((await list('/directories')).map(({ state }: { state: string }) => state)).toEqual(['unlinked', 'unlinked']);
    expect((await send(`GET /organizations/${globex.id}`)).body.domains[0].state).toBe('pending');
    expect((await send(`GET /organizations/${organization.id}`)).body.domains).toHaveLength(1);
  });

  test('accepts a form only from the browser that opened the link', async () => {
    const { emulator, generate, list } = await startWithAcme();
    const { link } = (await generate()).body;

    const answer = await emulator.fetch(link, {
      method: 'POST',
      body: new URLSearchParams({ token: new URL(link).searchParams.get('token')!, connect: 'OktaSAML' }),
    });

    expect(answer.status).toBe(403);
    expect(await list('/connections')).toEqual([]);
  });
});
