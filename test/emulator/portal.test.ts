import { describe, expect, test } from 'vitest';
import { emulate } from './raw.js';

const path = '/portal/generate_link';

/** An emulator with an organization. */
async function acme(name = 'Acme') {
  const { emulator, send } = await emulate();
  const { body: organization } = await send('POST /organizations', { name });
  const generate = (body: object = {}) =>
    send(`POST ${path}`, { organization: organization.id, intent: 'sso', ...body });
  return { emulator, send, organization, generate };
}

describe('a portal link', () => {
  test('is generated for an organization', async () => {
    const { generate } = await acme();

    const generated = await generate();

    expect([generated.status, generated.body]).toEqual([
      200,
      { link: expect.stringMatching(/^http:\/\/emulator\.localhost\/portal\/launch\?token=[0-9A-Za-z]{32}$/) },
    ]);
  });

  test('is generated with the public status in the dialect that has one', async () => {
    const { send } = await emulate({ dialect: 'workos' });
    const { body: organization } = await send('POST /organizations', { name: 'Acme' });

    expect((await send(`POST ${path}`, { organization: organization.id, intent: 'dsync' })).status).toBe(201);
  });

  test('is not generated for an organization that does not exist, or for no purpose', async () => {
    const { generate } = await acme();

    const nobody = await generate({ organization: 'org_none' });
    const nothing = await generate({ intent: undefined });
    const nowhere = await generate({ return_url: 'nowhere' });

    expect([nobody.status, nobody.body.code]).toEqual([404, 'entity_not_found']);
    expect([nothing.status, nothing.body.errors[0].field]).toEqual([422, 'intent']);
    expect([nowhere.status, nowhere.body.errors[0].field]).toEqual([422, 'return_url']);
  });

  test.each([
    ['sso', 'single sign-on'],
    ['domain_verification', 'domain verification'],
    ['tea_time', 'tea_time'],
  ])('opens a page that says what it is for: %s', async (intent, words) => {
    const { emulator, generate } = await acme();
    const { link } = (await generate({ intent })).body;

    const answer = await emulator.fetch(link);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await answer.text();
    expect(page).toContain('Acme');
    expect(page).toContain(words);
    expect(page).toContain('nothing to fill in');
  });

  test('dies after five minutes', async () => {
    const { emulator, generate } = await acme();
    const { link } = (await generate()).body;

    await emulator.clock.advance('299s');
    const inTime = await emulator.fetch(link);
    await emulator.clock.advance('1s');
    const late = await emulator.fetch(link);

    expect(inTime.status).toBe(200);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('This portal link has expired')]);
  });

  test('goes with its organization', async () => {
    const { emulator, send, organization, generate } = await acme();
    const { link } = (await generate()).body;

    await send(`DELETE /organizations/${organization.id}`);

    const answer = await emulator.fetch(link);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('No such portal link')]);
  });

  test('that nobody was given opens nothing', async () => {
    const { emulator } = await acme();

    const unknown = await emulator.fetch(`${emulator.url}/portal/launch?token=none`);
    const without = await emulator.fetch(`${emulator.url}/portal/launch`);

    expect([unknown.status, without.status]).toEqual([404, 404]);
  });

  test('shows names and purposes as text', async () => {
    const { emulator, generate } = await acme('<img src=x onerror=alert(1)>');
    const { link } = (await generate({ intent: '"><script>alert(2)</script>' })).body;

    const page = await (await emulator.fetch(link)).text();

    expect(page).not.toMatch(/<img|<script/);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).toContain('&quot;&gt;&lt;script&gt;');
  });

  test('leads back and on, to addresses of the web only', async () => {
    const { emulator, generate } = await acme();
    const web = await generate({ return_url: 'https://app.test/?a="b"', success_url: 'https://app.test/done' });
    const code = await generate({ return_url: 'javascript://app.test/%0aalert(1)' });

    const page = await (await emulator.fetch(web.body.link)).text();
    const without = await (await emulator.fetch(code.body.link)).text();

    expect(page).toContain('<a href="https://app.test/?a=&quot;b&quot;">Back</a>');
    expect(page).toContain('<a href="https://app.test/done">Done</a>');
    expect(without).not.toContain('href');
  });

  test('opens a page that runs nothing and is not kept', async () => {
    const { emulator, generate } = await acme();

    const { headers } = await emulator.fetch((await generate()).body.link);

    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });
});
