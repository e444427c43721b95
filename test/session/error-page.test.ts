import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { respond } from 'sallyport/express';
import { createSessions } from 'sallyport/session';
import { afterAll, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { requires } from '../runner/requirements.js';

const sessions = createSessions({
  cookiePassword: 'a password of at least 32 characters',
  clientId: 'client_42',
  baseUrl: 'https://api.example.com',
  redirectUri: 'http://localhost:3000/callback',
});

requires('chromium-headless-shell')('the page of a failed sign-in', () => {
  const server = createServer(async (request, response) => respond(response, await sessions.finishSignIn(request)));
  afterAll(() => server.close());

  test.each(['light', 'dark'] as const)(
    "fits a phone screen and follows the browser's %s color scheme",
    async (colorScheme) => {
      if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      // A server that listens on a port has an address with a port.
      const { port } = server.address() as AddressInfo;
      const browser = await launchChromium();
      const page = await browser.newPage({ colorScheme, viewport: { width: 320, height: 400 } });
      const faults: string[] = [];
      page.on('console', (message) => faults.push(message.text()));

      await page.goto(`http://127.0.0.1:${port}/callback?code=x&state=y`);
      const { font, width, color } = await page.evaluate(() => ({
        font: getComputedStyle(document.body).fontFamily,
        width: document.documentElement.scrollWidth,
        color: getComputedStyle(document.body).color,
      }));

      expect(await page.getByRole('heading').textContent()).toBe('This sign-in is no longer valid.');
      expect(await page.getByRole('link', { name: 'Try again' }).getAttribute('href')).toBe('/');
      expect([font, width]).toEqual(['system-ui', 320]);
      expect(color).toBe(colorScheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)');
      // The console has no error about the content security policy.
      expect(faults).toEqual([expect.stringContaining('status of 400')]);
      await browser.close();
    },
  );
});
