import type { Browser, BrowserContextOptions } from 'playwright-core';
import { createSessions } from 'sallyport/session';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { type NextServer, serveWithNext } from '../builds/next-server.js';
import { requires } from '../runner/requirements.js';
import { Jar } from '../session/jar.js';
import { type Stage, stage } from '../stage.js';
import { password, seed } from './people.js';
import { Visitor } from './visitor.js';

/** The folder with Next and next-intl. */
const packages = 'test/outsiders/next/node_modules';
const cookiePassword = 'a password of more than 32 characters';

/** An application in English, without a path prefix, and in German. */
const filesOf = (options: object): Readonly<Record<string, string>> => ({
  'package.json': '{"type":"module"}',
  'sallyport.js': `import { nextSessions } from './next-adapter.js';
import { createSessions } from './session.js';
// Next sets PORT when it listens.
const redirectUri = 'http://localhost:' + process.env.PORT + '/callback';
export const next = nextSessions(createSessions({ ...${JSON.stringify(options)}, redirectUri }));`,
  'proxy.js': `import createMiddleware from 'next-intl/middleware';
import { next } from './sallyport.js';
export const proxy = next.proxy({
  protect: ['/en/account', '/de/account'],
  routes: true,
  then: createMiddleware({ locales: ['en', 'de'], defaultLocale: 'en', localePrefix: 'as-needed' }),
});
export const config = { matcher: ['/((?!_next/static/).*)'] };`,
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/[locale]/[[...page]]/page.js': `import { next } from '../../../sallyport.js';
export default async function Page({ params }) {
  const { locale, page = ['home'] } = await params;
  const session = await next.getSession();
  return <>
    <p>{[page.join('/'), locale, session?.user.email ?? 'stranger'].join(' ')}</p>
    <form method="post" action="/sign-out"><button>Sign out</button></form>
  </>;
}`,
});

requires('chromium-headless-shell', packages)(
  'an application that chains the next-intl proxy after the Sallyport proxy',
  () => {
    let browser: Browser;
    let service: Stage;
    let server: NextServer;

    beforeAll(async () => {
      browser = await launchChromium();
      service = await stage({ seed, listen: true, clock: undefined });
      server = await serveWithNext(
        filesOf({ ...service.emulator.credentials, cookiePassword }),
        { session: 'src/session/index.ts', 'next-adapter': 'src/adapters/next.ts' },
        packages,
      );
    });
    afterAll(async () => {
      await browser?.close();
      await server?.close();
      await service?.emulator.close();
    });

    const open = async (options: BrowserContextOptions = {}) => {
      const context = await browser.newContext(options);
      // Next compiles a page when it is first opened, which takes long on a busy machine, so only the time limit of the test applies.
      context.setDefaultTimeout(0);
      onTestFinished(() => context.close());
      return { context, visitor: new Visitor(await context.newPage(), server.url) };
    };

    test('redirects users after sign-in to the account page in their language', async () => {
      const seen: (string | null)[] = [];
      for (const locale of ['en', 'de']) {
        const { visitor } = await open({ locale });
        await visitor.opens('/about');
        seen.push(await visitor.says());
        await visitor.givesPassword('ada@example.com');
        seen.push(await visitor.says(), new URL(visitor.page.url()).pathname);
        await visitor.presses('Sign out');
        seen.push(await visitor.says());
      }

      expect(seen).toEqual([
        'about en stranger',
        'account en ada@example.com',
        '/account',
        'home en stranger',
        'about de stranger',
        'account de ada@example.com',
        '/de/account',
        'home de stranger',
      ]);
    }, 120_000);

    test('passes a refreshed session to the page and the browser, and keeps the locale cookie', async () => {
      const { emulator, sallyport } = service;
      await emulator.clock.set(Date.now() - 6 * 60_000);
      const tokens = await sallyport.userManagement.authenticateWithPassword({ email: 'ada@example.com', password });
      await emulator.clock.reset();
      const jar = new Jar();
      jar.keep(await createSessions({ ...emulator.credentials, cookiePassword }).create(tokens));
      const [name = '', value = ''] = jar.header.split('=', 2);
      const { context, visitor } = await open({ locale: 'en' });
      await context.addCookies([{ name, value, url: server.url }]);

      // This page is in another language than the browser, so next-intl keeps the choice in a cookie.
      await visitor.opens('/de/account');
      const firstText = await visitor.says();
      const cookies = await context.cookies();
      await visitor.page.reload();

      expect([firstText, await visitor.says()]).toEqual(['account de ada@example.com', 'account de ada@example.com']);
      expect(cookies.map((cookie) => cookie.name).sort()).toEqual(['NEXT_LOCALE', 'sallyport-session']);
      expect(cookies.find((cookie) => cookie.name === name)?.value).not.toBe(value);
      expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
    }, 120_000);
  },
);
