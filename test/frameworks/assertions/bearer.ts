import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const bearer: readonly Assertion[] = [
  {
    title: 'accepts a program with a bearer token and a browser with a session cookie, and no other request',
    of: 'all',
    async holds({ person, tokenOf, cookiesOf, client }) {
      const ada = await person();

      const program = await client().calls('/api/me', await tokenOf(ada));
      const browser = await client(await cookiesOf(ada)).fetches('/api/me');
      const nobody = await client().fetches('/api/me');

      expect([program.status, JSON.parse(program.text), program.setsCookies]).toEqual([200, { userId: ada.id }, []]);
      expect([browser.status, JSON.parse(browser.text)]).toEqual([200, { userId: ada.id }]);
      expect([nobody.status, nobody.headers.get('content-type')]).toEqual([401, expect.stringMatching(/json/)]);
    },
  },
  {
    title: 'answers an invalid or expired bearer token with 401 and the reason',
    of: 'full',
    async holds({ person, tokenOf, client }) {
      const bad = await client().calls('/api/me', { authorization: 'Bearer a_token' });
      const ended = await client().calls('/api/me', await tokenOf(await person(), 6));

      expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token", error_description="invalid_token"',
      ]);
      expect([ended.status, ended.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token", error_description="expired"',
      ]);
    },
  },
  {
    title: 'ignores the session cookie if the request has a bearer token',
    of: 'full',
    async holds({ person, tokenOf, cookiesOf, client }) {
      const [ada, bruno] = [await person(), await person()];
      const browser = client(await cookiesOf(ada));

      const good = await browser.calls('/api/me', await tokenOf(bruno));
      const bad = await browser.calls('/api/me', { authorization: 'Bearer a_token' });

      expect([good.status, JSON.parse(good.text)]).toEqual([200, { userId: bruno.id }]);
      expect(bad.status).toBe(401);
    },
  },
];
