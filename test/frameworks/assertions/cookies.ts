import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';
import { sessionCookie } from '../people.js';

/** The attributes of a `Set-Cookie` header. */
const attributesOf = (line: string): string[] => line.split('; ').slice(1).sort();

export const cookies: readonly Assertion[] = [
  {
    title: 'sets a session cookie that is limited to its host, hidden from scripts and kept out of shared caches',
    of: 'all',
    async holds({ person, cookiesOf, client }) {
      const { status, setsCookies, headers } = await client(await cookiesOf(await person(), 6)).opens('/account');

      expect(status).toBe(200);
      expect(setsCookies.map((line) => line.split('=')[0])).toEqual([sessionCookie]);
      expect(attributesOf(setsCookies[0]!)).toEqual(['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Lax']);
      expect(headers.get('cache-control')).toMatch(/\b(?:private|no-store)\b/);
    },
  },
  {
    title: 'sets no cookie, and leaves caching to the page, if the session does not change',
    of: 'full',
    async holds({ person, cookiesOf, client }) {
      const stranger = await client().opens('/');
      const ada = client(await cookiesOf(await person()));

      const answer = await ada.opens('/');

      expect([answer.status, answer.setsCookies]).toEqual([200, []]);
      expect(answer.headers.get('cache-control')).toBe(stranger.headers.get('cache-control'));
      expect((await ada.opens('/account')).setsCookies).toEqual([]);
    },
  },
  {
    title: 'splits a session that is too long for one cookie, and can still refresh it',
    of: 'full',
    async holds({ person, visitor, cookiesOf, client, sallyport }) {
      const ada = await person();
      const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`note_${at}`, `${at}`.repeat(300)]));
      await sallyport.userManagement.updateUser({ userId: ada.id, metadata });
      const tab = await visitor();
      await tab.opens('/account');
      await tab.signsInAs(ada);
      await tab.arrivesAt('/account');
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect(Object.keys(await tab.cookies()).sort()).toEqual([`${sessionCookie}.0`, `${sessionCookie}.1`]);

      const later = client(await cookiesOf(ada, 6));
      const { setsCookies } = await later.opens('/account');

      expect(setsCookies).toHaveLength(2);
      expect((await later.opens('/account')).says).toContain(`${ada.email} in org_northwind may: reports:read`);
    },
  },
];
