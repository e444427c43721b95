import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';

export const bearer: readonly Assertion[] = [
  {
    title: 'accepts API calls only with a bearer token or a session cookie',
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
];
