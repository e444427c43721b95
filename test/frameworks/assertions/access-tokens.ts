import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';
import { script } from '../client.js';

/** The headers that a page of the application sends. Some frameworks refuse a POST without an origin. */
const ofPage = ({ home }: { readonly home: string }) => ({
  ...script,
  origin: new URL(home).origin,
  'x-sallyport-access-token': 'current',
});

export const accessTokens: readonly Assertion[] = [
  {
    title: 'returns the access token only to POST requests from its own pages',
    of: 'all',
    async holds({ person, cookiesOf, client }) {
      const ada = await person();
      const browser = client(await cookiesOf(ada));

      const given = await browser.calls('/session/token', ofPage(browser), 'POST');
      const others = await Promise.all([
        browser.calls('/session/token', { ...ofPage(browser), 'sec-fetch-site': 'cross-site' }, 'POST'),
        browser.calls('/session/token', { ...ofPage(browser), 'sec-fetch-site': 'same-site' }, 'POST'),
        browser.calls('/session/token', ofPage(browser)),
        browser.posts('/session/token'),
      ]);
      const nobody = await client().calls('/session/token', ofPage(browser), 'POST');

      const { accessToken, expiresAtMs } = JSON.parse(given.text);
      const me = await client().calls('/api/me', { authorization: `Bearer ${accessToken}` });
      expect([given.status, JSON.parse(me.text), typeof expiresAtMs]).toEqual([200, { userId: ada.id }, 'number']);
      expect(given.headers.get('cache-control')).toContain('no-store');
      expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect([nobody.status, JSON.parse(nobody.text)]).toEqual([401, { error: 'unauthorized' }]);
      for (const { headers } of [given, ...others, nobody])
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    },
  },
  {
    title: 'returns a new access token and a new cookie if the old token has expired',
    of: 'all',
    async holds({ person, cookiesOf, client }) {
      const browser = client(await cookiesOf(await person(), 6));

      const given = await browser.calls('/session/token', ofPage(browser), 'POST');
      const again = await browser.calls('/session/token', ofPage(browser), 'POST');

      expect([given.status, given.setsCookies.length, again.setsCookies]).toEqual([200, 1, []]);
      expect(JSON.parse(again.text)).toEqual(JSON.parse(given.text));
    },
  },
  {
    title: 'returns the session as JSON only to its own pages, and first refreshes an expired session',
    of: 'all',
    async holds({ person, cookiesOf, client }) {
      const ada = await person();
      const browser = client(await cookiesOf(ada, 6));

      const given = await browser.fetches('/session');
      const head = await browser.calls('/session', script, 'HEAD');
      const others = await Promise.all([
        ...['cross-site', 'same-site', 'none'].map((site) => browser.fetches('/session', { 'sec-fetch-site': site })),
        browser.calls('/session', { ...script, origin: new URL(browser.home).origin }, 'POST'),
      ]);
      const stranger = await client().fetches('/session');

      const session = JSON.parse(given.text);
      expect([given.status, session.user.email, session.userId]).toEqual([200, ada.email, ada.id]);
      expect([given.setsCookies.length, head.status, head.text, head.setsCookies]).toEqual([1, 200, '', []]);
      expect(given.text).not.toMatch(/"(?:claims|accessToken|refreshToken)"|"ey/);
      expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect([stranger.status, JSON.parse(stranger.text)]).toEqual([401, { error: 'unauthorized' }]);
      for (const { headers } of [given, ...others, stranger]) {
        expect(headers.get('cache-control')).toContain('no-store');
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    },
  },
];
