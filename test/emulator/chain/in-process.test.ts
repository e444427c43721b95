import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { describe, expect, test, vi } from 'vitest';
import { clientWith, failureOf } from '../../servers/server.js';
import { stage } from '../../stage.js';

const jsdom = 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.1.0';
const advice =
  'This test runs in jsdom, which replaces parts of Node: begin its file with // @vitest-environment node or @jest-environment node.';

/** A signal like the one of jsdom, which the Request of Node refuses. */
class ForeignSignal extends EventTarget {
  aborted = false;
  reason: unknown;
}

/** The globals that Vitest 3 takes from jsdom. */
class ForeignController {
  readonly signal = new ForeignSignal();

  abort(reason: unknown = new DOMException('gone', 'AbortError')): void {
    Object.assign(this.signal, { aborted: true, reason });
    this.signal.dispatchEvent(new Event('abort'));
  }
}

function imitateBrowser(): void {
  vi.stubGlobal('navigator', { userAgent: jsdom });
  vi.stubGlobal('window', { document: {}, navigator });
  vi.stubGlobal('AbortController', ForeignController);
  vi.stubGlobal('AbortSignal', ForeignSignal);
}

describe("an emulator's fetch", () => {
  test('accepts an abort signal from another realm', async () => {
    const { emulator } = await stage();
    const before = new ForeignController();
    before.abort('gone before');
    const during = new ForeignController();
    const headers = { authorization: `Bearer ${emulator.credentials.apiKey}` };
    const call = (signal: ForeignSignal) => emulator.fetch('/organizations', { headers, signal: signal as never });

    const pending = failureOf(call(during.signal));
    during.abort('gone during');

    expect(await failureOf(call(before.signal))).toBe('gone before');
    expect(await pending).toBe('gone during');
    expect((await call(new ForeignSignal())).status).toBe(200);
  });

  test('accepts a Request from another realm', async () => {
    const { emulator } = await stage();
    const real = new Request(`${emulator.url}/organizations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: '{"name": "Acme"}',
    });
    const foreign = {
      url: real.url,
      method: real.method,
      headers: real.headers,
      signal: new ForeignSignal(),
      body: real.body,
      arrayBuffer: () => real.arrayBuffer(),
    };

    const response = await emulator.fetch(foreign as never);

    expect([response.status, (await response.json()).name]).toEqual([200, 'Acme']);
  });
});

describe('in a jsdom test environment,', () => {
  test('a client can call an emulator in the same process', async () => {
    const { emulator } = await stage();
    imitateBrowser();
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch, dangerouslyAllowBrowser: true });

    await sallyport.organizations.createOrganization({ name: 'Acme' });
    const names: string[] = [];
    const { signal } = new AbortController();
    for await (const { name } of sallyport.organizations.listOrganizations({}, { signal })) names.push(name);

    expect(names).toEqual(['Acme']);
  });

  test('the error names jsdom if fetch rejects the abort signal', async () => {
    imitateBrowser();
    const onRetry = vi.fn();
    // From Node 24 on, fetch refuses the signals of jsdom.
    const fetch = () =>
      Promise.reject(
        new TypeError('RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.'),
      );
    const sallyport = clientWith(fetch, { dangerouslyAllowBrowser: true, hooks: { onRetry } });

    const error = await failureOf(sallyport.organizations.getOrganization('org_01'));

    expect(error).toMatchObject({ code: 'connection_failed', attempts: 1 });
    expect(String(error)).toContain(`Check baseUrl, the network and the proxy. ${advice}`);
    expect(onRetry).not.toHaveBeenCalled();
  });

  test('the error names jsdom if the client rejects an API key', () => {
    imitateBrowser();

    expect(() => new Sallyport({ apiKey: 'sk_test_1', baseUrl: 'http://127.0.0.1:9' })).toThrow(
      `or pass dangerouslyAllowBrowser: true for a public key. ${advice}`,
    );
  });

  test('the error names jsdom if the global Request is missing', async () => {
    imitateBrowser();
    vi.stubGlobal('Request', undefined);
    vi.stubGlobal('TextEncoder', undefined);

    expect(await failureOf(createEmulator())).toMatchObject({
      code: 'unsupported_environment',
      message: `The emulator needs Request, TextEncoder, which this environment does not have. ${advice}`,
    });
  });
});
