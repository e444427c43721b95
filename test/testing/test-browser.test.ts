import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Site, TestBrowser, testWorlds } from 'sallyport/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificateFor } from '../emulator/chain/certificate.js';
import { serve } from '../servers/server.js';
import { stage } from '../stage.js';

const site = 'http://app.test';
const html = (body: string) => () => new Response(body, { headers: { 'content-type': 'text/html' } });
const redirect = (status: number, location: string) => () => new Response(null, { status, headers: { location } });

/** Opens a browser at a site with these pages, and lists the requests that it sends. */
function browserOf(pages: Readonly<Record<string, () => Response>>, sites: Readonly<Record<string, Site>> = {}) {
  const requests: string[] = [];
  const app = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${request.method} ${pathname}${search} ${await request.text()}`.trim());
    return (pages[pathname] ?? html(''))();
  };
  return { browser: new TestBrowser({ sites: { [site]: app, ...sites } }), requests };
}

describe('a test browser', () => {
  test('sends the same headers as a browser that opens a page', async () => {
    const { url, requests } = await serve();

    await new TestBrowser({ userAgent: 'Laptop' }).open(`${url}/account?tab=1`);

    const [{ method, target, headers } = expect.fail('no request')] = requests;
    expect([method, target]).toEqual(['GET', '/account?tab=1']);
    expect(headers).toMatchObject({
      accept: 'text/html,*/*;q=0.8',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'user-agent': 'Laptop',
    });
    expect([headers.origin, headers.cookie]).toEqual([undefined, undefined]);
  });

  test('sends the origin of the page when submitting a form', async () => {
    const { url, requests } = await serve({ body: '<form method=post action=/save></form>' });
    const browser = new TestBrowser();

    await browser.open(`${url}/form`);
    await browser.submit();

    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /form', 'POST /save']);
    expect(requests[1]?.headers).toMatchObject({ origin: url, 'content-type': expect.stringContaining('urlencoded') });
  });

  test('accepts an untrusted certificate on a subdomain of localhost', async () => {
    const server = createServer(certificateFor('tests.invalid'), ({ headers }, response) => {
      response.end(`at ${headers.host}`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;

    const { text } = await new TestBrowser().open(`https://w1.localhost:${port}/`);

    expect(text).toBe(`at w1.localhost:${port}`);
  });

  test('reports an unreachable site without revealing the query string', async () => {
    const { url, close } = await serve();
    await close();

    const error = await new TestBrowser().open(`${url}/callback?code=secret`).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'site_unreachable', message: expect.stringContaining(`sites['${url}']`) });
    expect(String(error)).toContain(`${url}/callback`);
    expect(String(error)).not.toContain('secret');
  });

  test('rejects unknown options', () => {
    expect(() => new TestBrowser({ email: 'ada@acme.test' } as object)).toThrow('TestBrowser does not know the option');
  });
});

describe('in a test browser, a redirect', () => {
  test.each([
    [301, 'GET /next'],
    [302, 'GET /next'],
    [303, 'GET /next'],
    [307, 'POST /next a=1'],
    [308, 'POST /next a=1'],
  ])('with status %i after a POST is followed with the request %s', async (status, followed) => {
    const { browser, requests } = browserOf({ '/save': redirect(status, 'next'), '/next': html('done') });

    const { url, text } = await browser.open(`${site}/save`, { form: { a: '1' } });

    expect([url, text]).toEqual([`${site}/next`, 'done']);
    expect(requests).toEqual(['POST /save a=1', followed]);
  });

  test('to a native application is not followed', async () => {
    const { browser, requests } = browserOf({ '/authorize': redirect(302, 'com.example.app:/callback?code=1') });

    const { url, status } = await browser.open(`${site}/authorize`);

    expect([url, status]).toEqual(['com.example.app:/callback?code=1', 302]);
    expect(requests).toEqual(['GET /authorize']);
  });

  test('is not followed more than twenty times', async () => {
    const { browser, requests } = browserOf({ '/loop': redirect(302, '/loop') });

    await expect(browser.open(`${site}/loop`)).rejects.toMatchObject({ code: 'too_many_redirects' });

    expect(requests).toHaveLength(21);
  });
});

describe('a cookie in a test browser', () => {
  /** Returns the `Cookie` headers for URLs, after `https://app.acme.test/a/b` has set cookies. */
  async function cookiesAfter(lines: readonly string[], ...urls: readonly string[]) {
    const headers = new Headers(lines.map((line): [string, string] => ['set-cookie', line]));
    const browser = new TestBrowser({ sites: { 'https://app.acme.test': () => new Response('', { headers }) } });
    await browser.open('https://app.acme.test/a/b');
    return urls.map((url) => browser.cookiesFor(url));
  }

  test('is sent to every port of the host, but not to a different host', async () => {
    expect(
      await cookiesAfter(
        ['one=1; Path=/; HttpOnly'],
        'https://app.acme.test/',
        'https://app.acme.test:8443/',
        'https://acme.test/',
        'https://x.app.acme.test/',
      ),
    ).toEqual(['one=1', 'one=1', '', '']);
  });

  test('with a Domain attribute is also sent to subdomains', async () => {
    expect(
      await cookiesAfter(
        ['one=1; Path=/; Domain=.acme.test'],
        'https://acme.test/',
        'https://other.acme.test/',
        'https://notacme.test/',
      ),
    ).toEqual(['one=1', 'one=1', '']);
  });

  test('with the domain of a different site is ignored', async () => {
    expect(await cookiesAfter(['one=1; Domain=evil.test'], 'https://evil.test/', 'https://app.acme.test/a/')).toEqual([
      '',
      '',
    ]);
  });

  test('is sent only at or below the cookie path, by default the folder of the page', async () => {
    const urls = ['', 'a', 'a/', 'a/c', 'ab', 'x/y'].map((path) => `https://app.acme.test/${path}`);

    expect(await cookiesAfter(['one=1', 'two=2; path=/x'], ...urls)).toEqual([
      '',
      'one=1',
      'one=1',
      'one=1',
      '',
      'two=2',
    ]);
  });

  test.each(['Max-Age=0', 'max-age=-1', 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
    'is removed by the attribute %s',
    async (end) => {
      const lines = ['one=1; Path=/', 'two=a=b; Path=/; Max-Age=60', `one=; Path=/; ${end}`];

      expect(await cookiesAfter(lines, 'https://app.acme.test/')).toEqual(['two=a=b']);
    },
  );

  test('is replaced by a cookie with the same name', async () => {
    expect(await cookiesAfter(['one=1; Path=/', 'one=2; Path=/'], 'https://app.acme.test/')).toEqual(['one=2']);
  });

  test('from a redirect response is sent with the next request', async () => {
    const headers = { location: '/home', 'set-cookie': 'session=1; Path=/' };
    const received: unknown[] = [];
    const app = (request: Request) => {
      received.push(request.headers.get('cookie'));
      return request.url.endsWith('/home') ? new Response('') : new Response(null, { status: 302, headers });
    };

    await new TestBrowser({ sites: { [site]: app } }).open(`${site}/callback`);

    expect(received).toEqual([null, 'session=1']);
  });
});

describe('a form in a test browser', () => {
  const form = `
    <form action="/search"><input name="q" value="ships"><button>Search</button></form>
    <form method="post" action="/save?a=1&amp;b=2">
      <input type="hidden" name="token" value="a&quot;b&#39;c&#x26;">
      <input name=email>
      <input type="checkbox" name="news" checked><input type="checkbox" name="spam" value="yes">
      <input type="radio" name="plan" value="free"><input type="radio" name="plan" value="paid" checked>
      <textarea name="note">1 &lt; 2</textarea>
      <select name="size"><option value="s">Small</option><option value="m" selected>Medium</option></select>
      <select name="color"><option>Red</option><option>Blue</option></select>
      <button type="button" name="no" value="1">Help</button>
      <button name="way" value="save"><b>Save</b> it</button>
      <input type="submit" name="way" value="Discard">
    </form>`;
  async function formOf(page = form) {
    const { browser, requests } = browserOf({ '/form': html(page) });
    await browser.open(`${site}/form`);
    requests.length = 0;
    return { browser, requests };
  }
  const values = 'token=a%22b%27c%26&email=ada%40acme.test&news=on&plan=paid&note=1+%3C+2&size=m&color=Red';

  test('is submitted with the default field values and the value of the first button', async () => {
    const { browser, requests } = await formOf(form.replace(/<form action="\/search".*/, ''));

    await browser.submit({ email: 'ada@acme.test' });

    expect(requests).toEqual([`POST /save?a=1&b=2 ${values}&way=save`]);
  });

  test('can be selected by the label of a button', async () => {
    const { browser, requests } = await formOf();

    await browser.submit({ email: 'ada@acme.test' }, 'Discard');

    expect(requests).toEqual([`POST /save?a=1&b=2 ${values}&way=Discard`]);
  });

  test('without a method is sent in the query string', async () => {
    const { browser, requests } = await formOf();

    await browser.submit({ q: 'tall ships' });

    expect(requests).toEqual(['GET /search?q=tall+ships']);
  });

  test('without an action is sent to the URL of the page', async () => {
    const { browser, requests } = await formOf('<form method=POST><input name=a></form>');

    await browser.submit({ a: '1' });

    expect(requests).toEqual(['POST /form a=1']);
  });

  test.each([
    ['an unknown field', { emial: 'x' }, undefined, 'unknown_field', 'Its fields are q'],
    ['an unknown button', {}, 'Delete', 'no_form', 'no form with the button Delete'],
  ])('cannot be submitted with %s', async (_, fields, button, code, message) => {
    const { browser, requests } = await formOf();

    await expect(browser.submit(fields, button)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });

    expect(requests).toEqual([]);
  });

  test('must be on the open page, or submit() rejects', async () => {
    const { browser } = await formOf('<p>Not found</p>');

    await expect(browser.submit()).rejects.toMatchObject({ code: 'no_form' });
    await expect(new TestBrowser().submit()).rejects.toMatchObject({ code: 'no_form' });
  });
});

describe("a world's page", () => {
  const seed = {
    users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true, password: 'analytical-engine' }],
    redirect_uris: ['http://localhost:3000/callback'],
  };
  const application: Site = (request) => new Response(`arrived ${new URL(request.url).searchParams.has('code')}`);
  const places = [
    ['runs in the test process', async () => ({ emulator: { seed } })],
    ['listens on a port', async () => ({ emulator: { seed }, listen: true })],
    [
      'runs remotely',
      async () => {
        const { emulator } = await stage({ seed, clock: undefined, listen: true });
        return { url: emulator.url, adminKey: emulator.adminKey };
      },
    ],
  ] as const;

  test.each(places)('can be opened with world.fetch if the emulator %s', async (_, place) => {
    const worlds = testWorlds(await place());
    onTestFinished(() => worlds.close());
    const world = await worlds.create();

    const response = await world.fetch(`${world.url}/`, { headers: { accept: 'text/html' } });

    expect(new URL(world.url).hostname).toBe(`${world.name}.localhost`);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('</html>')]);
  });

  test.each(places)('can be used by a test browser to sign in if the emulator %s', async (_, place) => {
    const worlds = testWorlds(await place());
    onTestFinished(() => worlds.close());
    const world = await worlds.create();
    const query = new URLSearchParams({
      client_id: world.credentials.clientId,
      redirect_uri: 'http://localhost:3000/callback',
      response_type: 'code',
      provider: 'hosted-login',
    });
    const browser = new TestBrowser({ sites: { [world.url]: world.fetch, 'http://localhost:3000': application } });

    await browser.open(`${world.url}/user_management/authorize?${query}`);
    await browser.submit({ email: 'ada@acme.test' });
    const { text } = await browser.submit({ password: 'analytical-engine' });

    expect(text).toBe('arrived true');
  });
});

describe('world.fetch with a remote emulator', () => {
  async function worldElsewhere() {
    const { emulator } = await stage({ clock: undefined, listen: true });
    return testWorlds({ url: emulator.url, adminKey: emulator.adminKey }).create();
  }
  const at = (name: string, { url }: { readonly url: string }) => url.replace('127.0.0.1', `${name}.localhost`);

  test('follows a redirect to a subdomain of localhost', async () => {
    const world = await worldElsewhere();
    const { url } = await serve(({ path }, response) =>
      path === '/' ? response.writeHead(302, { location: `${world.url}/health` }).end() : response.end(),
    );

    const response = await world.fetch(url);

    expect([response.url, response.status]).toEqual([`${world.url}/health`, 200]);
  });

  test.each([
    [302, 'GET'],
    [307, 'POST'],
  ])('drops credentials when a %i redirect leads to a different host', async (status, method) => {
    const target = await serve();
    const server = await serve({ status, headers: { location: `${at('b', target)}/next` } });
    const { fetch } = await worldElsewhere();

    await fetch(at('a', server), {
      method: 'POST',
      body: 'fields',
      headers: { authorization: 'Bearer key', cookie: 'session=1', 'x-own': 'yes' },
    });

    expect(server.requests).toMatchObject([{ headers: { authorization: 'Bearer key', cookie: 'session=1' } }]);
    const [{ headers, body, ...received } = expect.fail('no request')] = target.requests;
    expect([received.method, received.path, body]).toEqual([method, '/next', method === 'POST' ? 'fields' : '']);
    expect([headers['x-own'], headers.authorization, headers.cookie]).toEqual(['yes', undefined, undefined]);
  });

  test('does not follow redirects if the caller opts out', async () => {
    const target = await serve();
    const server = await serve({ status: 302, headers: { location: at('b', target) } });
    const { fetch } = await worldElsewhere();

    const manual = await fetch(at('a', server), { redirect: 'manual' });
    const error = await fetch(at('a', server), { redirect: 'error' }).catch((thrown: unknown) => thrown);

    expect([manual.status, manual.headers.get('location')]).toEqual([302, at('b', target)]);
    expect(error).toMatchObject({ name: 'TypeError', cause: { message: 'unexpected redirect' } });
    expect(target.requests).toEqual([]);
  });

  test('rejects if the signal is aborted', async () => {
    const server = await serve(() => undefined);
    const { fetch } = await worldElsewhere();

    await expect(fetch(at('a', server), { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: expect.stringMatching(/TimeoutError|AbortError/),
    });
  });
});
