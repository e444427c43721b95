import { expect } from 'vitest';
import { requires } from '../runner/requirements.js';
import { browse } from '../session/browse.js';
import { statusesOf, targetsThatGet } from './asking.js';
import type { Assertion } from './assertion.js';
import { script } from './client.js';
import { type Framework, frameworks, needsOf } from './frameworks.js';
import { markerOf } from './protected-files.js';
import { randomSeed, spellingsOfRun } from './spellings.js';
import { suiteOf } from './suite.js';

/** The application below a base path, with URLs that end with a slash. */
const framework: Framework = {
  ...frameworks.next,
  basePath: 'base/',
  files: {
    ...frameworks.next.files,
    'app/leave/page.tsx': `import { next } from '../../sallyport';

async function leave() {
  'use server';
  await next.signOut();
}

export default function LeavePage() {
  return <form action={leave}><button type="submit">Leave</button></form>;
}
`,
    'next.config.ts': frameworks.next.files['next.config.ts'].replace(
      'cacheComponents: true,',
      "cacheComponents: true,\n  basePath: '/base',\n  trailingSlash: true,",
    ),
  },
};

const assertions: readonly Pick<Assertion, 'title' | 'holds'>[] = [
  {
    title: 'redirects a visitor from a protected page to sign-in and back, and home after sign-out',
    async holds({ person, visitor, sallyport }) {
      const ada = await person();
      const tab = await visitor();

      await tab.opens('/base/account/?from=mail');
      await tab.signsInAs(ada);
      await tab.reads(`${ada.email} in org_northwind may: reports:read`);
      expect(tab.path).toBe('/base/account/?from=mail');

      // The form of the example leads to the root of the site.
      await tab.page
        .locator('form[action="/sign-out"]')
        .evaluate((form) => form.setAttribute('action', '/base/sign-out'));
      await tab.presses('Sign out');
      await tab.reads('Hello stranger');
      expect(tab.path).toBe('/base/');
      const { data } = await sallyport.userManagement.listSessions(ada.id);
      expect(data.map(({ status }) => status)).toEqual(['revoked']);
    },
  },
  {
    title: 'redirects home after a sign-out in an action',
    async holds({ person, visitor, cookiesOf, sallyport }) {
      const ada = await person();
      const tab = await visitor(await cookiesOf(ada));
      await tab.settlesAt('/base/leave/');

      await tab.presses('Leave');
      await tab.reads('Hello stranger');

      expect(tab.path).toBe('/base/');
      const { data } = await sallyport.userManagement.listSessions(ada.id);
      expect(data.map(({ status }) => status)).toEqual(['revoked']);
    },
  },
  {
    title: 'serves its sign-in and sign-out routes below the base path',
    async holds({ client }) {
      const locationOf = async (path: string, method = 'GET') =>
        (
          await client().calls(
            path,
            { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' },
            method,
          )
        ).headers.get('location');

      expect(await locationOf('/base/sign-in/')).toContain('/user_management/authorize?');
      expect(await locationOf('/base/sign-up/')).toContain('screen_hint=sign-up');
      expect(await locationOf('/base/sign-out/', 'POST')).toMatch(/^(?:http:\/\/localhost:\d+)?\/base$/);
      expect(await locationOf('/sign-in/')).toBeNull();
    },
  },
  {
    title: 'applies rules and open paths that omit the base path, however a requested path is spelled',
    async holds({ home, listedHome }) {
      const spellings = spellingsOfRun('/base/private');

      expect(await targetsThatGet(markerOf('/private'), listedHome, spellings), `random seed ${randomSeed}`).toEqual(
        [],
      );
      expect(await targetsThatGet(markerOf('/private'), home, spellings), `random seed ${randomSeed}`).toEqual([]);
      expect((await browse(`${home}base/`)).status).toBe(200);
      const statuses = await statusesOf(home, ['/base/other/', '/base/other/page/', '/base/base/'], {
        headers: script,
      });
      expect([...statuses.values()]).toEqual([401, 401, 401]);
    },
  },
];

requires(...needsOf(framework))('the Next application below a base path', suiteOf(framework, assertions));
