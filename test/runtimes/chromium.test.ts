import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../package/bundle.js';
import { requires } from '../runner/requirements.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The calls that the page makes with the client. It writes the results into its body. */
const program = `
  import { Sallyport } from 'sallyport';
  const baseUrl = location.origin;
  const codeOf = (make: () => unknown) => {
    try {
      make();
      return 'accepted';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const client = new Sallyport({ clientId: 'client_42', baseUrl });
  const { url, codeVerifier } = await client.sso.getAuthorizationUrlWithPKCE({
    organization: 'org_42',
    redirectUri: 'https://app.example.com/callback',
    state: 'back to work',
  });
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const challenge = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const report = {
    key: codeOf(() => new Sallyport({ apiKey: 'sk_test_42', baseUrl })),
    keyAllowed: codeOf(() => new Sallyport({ apiKey: 'sk_test_42', baseUrl, dangerouslyAllowBrowser: true })),
    url,
    challenge,
  };
  document.body.textContent = JSON.stringify(report).replaceAll('&', '\\\\u0026');
`;

/** The body of the page after its script has run. */
async function visit(url: string, profile: string): Promise<string> {
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${profile}`,
    '--virtual-time-budget=10000',
    '--dump-dom',
  ];
  const { stdout } = await promisify(execFile)('chromium-headless-shell', [...flags, url], { timeout: 60_000 });
  return /<body[^>]*>(.*)<\/body>/s.exec(stdout)?.[1]?.trim() ?? stdout;
}

requires('chromium-headless-shell')('in a browser', () => {
  let server: Server;
  let profile: string;
  let report: { key: string; keyAllowed: string; url: string; challenge: string };

  beforeAll(async () => {
    profile = mkdtempSync(join(tmpdir(), 'sallyport-chromium-'));
    const { code } = await bundle(program, root);
    server = createServer(({ url }, response) => {
      const [type, body] =
        url === '/client.js'
          ? ['text/javascript', code]
          : ['text/html', '<!doctype html><body><script type="module" src="/client.js"></script></body>'];
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');

    const { port } = server.address() as AddressInfo;
    report = JSON.parse(await visit(`http://127.0.0.1:${port}/`, profile));
  }, 120_000);
  afterAll(() => {
    server?.close();
    rmSync(profile, { recursive: true, force: true });
  });

  test('an API key is rejected', () => {
    expect(report.key).toBe('api_key_in_browser');
  });

  test('an API key is accepted if the caller allows the key to be public', () => {
    expect(report.keyAllowed).toBe('accepted');
  });

  test('a client without an API key builds an authorization URL with a PKCE challenge', () => {
    const url = new URL(report.url);

    expect(url.pathname).toBe('/sso/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client_42',
      organization: 'org_42',
      redirect_uri: 'https://app.example.com/callback',
      state: 'back to work',
      code_challenge: report.challenge.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
      code_challenge_method: 'S256',
    });
  });
});
