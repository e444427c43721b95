import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderWithPackage, type Unpacked } from '../package/install.js';
import { requires } from '../runner/requirements.js';
import { browse } from '../session/browse.js';
import { Jar } from '../session/jar.js';
import { type Running, runtimes, start } from './runtime.js';
import { scenarios } from './scenarios.js';
import { type Service, startService } from './service.js';
import { ada } from './settings.js';

let installing: Promise<Unpacked> | undefined;
/** The package, built and installed when the first suite needs it. */
const installed = (): Promise<Unpacked> => {
  installing ??= folderWithPackage();
  return installing;
};
afterAll(async () => {
  (await installing?.catch(() => undefined))?.remove();
});

/** A browser of the application. */
class Visitor {
  readonly jar = new Jar();
  readonly #url: string;

  constructor({ url }: Running) {
    this.#url = url;
  }

  /** Open a page and store its cookies. */
  async open(path: string, method = 'GET'): Promise<Response> {
    const response = await browse(this.#url + path, this.jar.headers, method);
    this.jar.keep(response.headers);
    return response;
  }

  /** Sign in, up to the requested page. */
  async signIn(): Promise<Response> {
    const started = await this.open('/sign-in');
    const approved = await browse(started.headers.get('location') ?? '');
    const { pathname, search } = new URL(approved.headers.get('location') ?? '');
    return this.open(pathname + search);
  }

  /** Open a page with these cookies, and leave them unchanged. */
  async look(path: string, signal?: AbortSignal): Promise<unknown> {
    const response = await fetch(this.#url + path, { headers: this.jar.headers, signal: signal ?? null });
    return response.json();
  }
}

const refreshed = { status: 'refreshed', email: ada };

for (const runtime of runtimes)
  requires(runtime.program)(runtime.title, () => {
    let service: Service;
    let app: Running;
    let report: Readonly<Record<string, string | null>>;

    beforeAll(async () => {
      const { folder } = await installed();
      service = await startService();
      app = await start(runtime, folder, service.settings);
      const response = await fetch(`${app.url}/scenarios`);
      report = JSON.parse(await response.text());
    });
    afterAll(async () => {
      await app?.stop();
      await service?.close();
    });

    const visit = (path: string, signal?: AbortSignal) => fetch(app.url + path, { signal: signal ?? null });
    const visitor = async (): Promise<Visitor> => {
      const one = new Visitor(app);
      const response = await one.signIn();
      expect([response.status, response.headers.get('location')]).toEqual([302, '/me']);
      return one;
    };

    test.each(Object.keys(scenarios))('%s', (name) => {
      expect(report[name]).toBeNull();
    });

    test('a browser signs in, is recognized by every middleware, and signs out', async () => {
      const browser = await visitor();

      const pages = [await browser.look('/me'), await browser.look('/hono')];
      const out = await browser.open('/sign-out', 'POST');

      expect(pages).toEqual([
        { status: 'active', email: ada },
        { status: 'active', email: ada },
      ]);
      expect(out.headers.get('location')).toContain('/user_management/sessions/logout?session_id=session_');
      expect(browser.jar.names).toEqual([]);
      expect(await browser.look('/me')).toEqual({ status: 'signed_out', email: null });
    });

    test('a session can be sealed and then opened on a different version of Node', async () => {
      const browser = await visitor();

      expect(await service.whoIs(browser.jar.header)).toBe(ada);
      expect(await service.whoIs(browser.jar.header.replace('*1*', '*2*'))).toBeUndefined();
    });

    test('10 concurrent requests from a browser share one token rotation, and a later request gets the new tokens', async () => {
      const browser = await visitor();
      await browser.open('/later?seconds=360', 'POST');
      const before = service.rotations();

      const pages = await Promise.all(
        Array.from({ length: 10 }, (_, at) => browser.look(at % 2 === 0 ? '/me' : '/hono')),
      );
      const late = await browser.look('/me');

      expect([...pages, late]).toEqual(Array.from({ length: 11 }, () => refreshed));
      expect(service.rotations() - before).toBe(1);
    });

    test('a refresh continues for waiting requests after the first browser has disconnected', async () => {
      const browser = await visitor();
      await browser.open('/later?seconds=360', 'POST');
      const before = service.rotations();
      const held = service.hold('/user_management/authenticate');
      const leaving = new AbortController();
      const left = browser.look('/me', leaving.signal).catch(() => 'left');
      await held.reached;

      const staying = browser.look('/me');
      leaving.abort();
      expect(await left).toBe('left');
      held.release();

      expect(await staying).toEqual(refreshed);
      expect(service.rotations() - before).toBe(1);
    });

    test('an early refresh in the background does not sign the user out', async () => {
      const browser = await visitor();
      // An access token lives for 300 seconds, and is refreshed in the last 30.
      await browser.open('/later?seconds=280', 'POST');
      const held = service.hold('/user_management/authenticate');

      const unhurried = await browser.look('/me');
      held.release();
      const next = await browser.look('/me');

      expect(unhurried).toEqual({ status: 'active', email: ada });
      expect(next).toEqual({ status: expect.stringMatching(/^(?:active|refreshed)$/), email: ada });
    });

    test('fetching signing keys in the background does not prevent a later fetch of new keys', async () => {
      const browser = await visitor();
      await browser.open('/later?seconds=360', 'POST');
      const held = service.hold('/sso/jwks/');

      const unhurried = await browser.look('/me');
      held.release();
      await service.rotateKeys();
      const another = await visitor();

      expect(unhurried).toEqual(refreshed);
      expect(await another.look('/me')).toEqual({ status: 'active', email: ada });
    });

    // Elsewhere a call continues after its request, so one client is enough.
    const both = 'a concurrency limit and a rate limit';
    const kinds = runtime.server === 'workerd' ? ['a concurrency limit', 'a rate limit', both] : [both];
    describe.each(kinds)('a client with %s', (kind) => {
      const path = `/organizations?with=${encodeURIComponent(kind)}`;

      test('serves overlapping requests', async () => {
        const pages = await Promise.all([1, 2, 3].map(async () => (await visit(path)).json()));

        expect(pages).toEqual(Array(3).fill(service.settings.organizations));
      });

      test('still serves requests after a request has ended during its call to the service', async () => {
        const held = service.hold('/organizations');
        const left = await (await visit(`${path}&leave`)).json();
        held.release();

        const pages = await Promise.all([1, 2, 3].map(async () => (await visit(path)).json()));

        expect(left).toBe('left');
        expect(pages).toEqual(Array(3).fill(service.settings.organizations));
      });

      test('still serves waiting requests after two browsers have disconnected', async () => {
        const leaving = new AbortController();
        const held = service.hold('/organizations');
        const gone = [1, 2].map(() => visit(path, leaving.signal).catch(() => 'gone'));
        await held.reached;
        const staying = [1, 2].map(async () => (await visit(path)).json());
        leaving.abort();
        expect(await Promise.all(gone)).toEqual(['gone', 'gone']);
        held.release();

        expect(await Promise.all(staying)).toEqual(Array(2).fill(service.settings.organizations));
      });
    });

    if (runtime.server === 'workerd')
      test('a stream and revocations created at the top level of a module follow the service from their first use', async () => {
        expect(await (await visit('/streams')).json()).toEqual({ event: 'user.created', isReady: true, problems: [] });
      });

    if (runtime.server === 'node')
      test(`every package entry except sallyport/react can be loaded with ${runtime.format === 'esm' ? 'import' : 'require'}`, async () => {
        const { folder } = await installed();
        const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/sallyport/package.json'), 'utf8'));
        const entries = Object.keys(manifest.exports).map((entry) => entry.replace('.', 'sallyport'));
        const load = runtime.format === 'esm' ? 'await import' : 'require';
        const program = entries
          // React is a package of the user, and not in this folder.
          .filter((entry) => !entry.endsWith('.json') && entry !== 'sallyport/react')
          .map((entry) => `console.log(Object.keys(${load}('${entry}')).length > 0);`)
          .join('\n');

        const type = runtime.format === 'esm' ? 'module' : 'commonjs';
        const { stdout } = await promisify(execFile)(runtime.program, [`--input-type=${type}`, '--eval', program], {
          cwd: folder,
        });

        expect(stdout).toBe('true\n'.repeat(13));
      });

    test('the runtime logs only messages from Sallyport, and each message only once', () => {
      const lines = app.complaints().split('\n').filter(Boolean);

      expect(lines.filter((line) => !line.startsWith('sallyport: '))).toEqual([]);
      expect(lines.length).toBe(new Set(lines).size);
      expect(lines.join()).toMatch(
        /names a password that is not in the list.*The keys of the service could not be fetched/s,
      );
    });
  });
