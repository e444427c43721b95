import { expect } from 'vitest';
import type { Assertion } from '../assertion.js';
import { sessionCookie } from '../people.js';

export const streaming: readonly Assertion[] = [
  {
    title: 'streams the first part of a response with the refreshed cookie before the second part is ready',
    of: 'full',
    async holds({ person, cookiesOf, client, visitor }) {
      const ada = await person();
      const browser = client(await cookiesOf(ada, 6));

      const response = await browser.begins('/stream');
      const parts = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      // The layout around the page, such as a menu, may show the user earlier.
      const naming = (): number => text.split(ada.email).length;
      const readUntil = async (isThere: () => boolean): Promise<void> => {
        while (!isThere()) {
          const { value, done } = await parts.read();
          if (done) throw new Error(`The answer ended without what was waited for: ${text}`);
          text = `${text}${value}`.replaceAll('<!-- -->', '');
        }
      };

      await readUntil(() => text.includes('<p>First</p>'));
      expect(response.headers.getSetCookie().map((line) => line.split('=')[0])).toEqual([sessionCookie]);
      expect(text).not.toContain(`Then ${ada.email}`);
      const before = naming();
      expect((await browser.posts('/stream/go')).status).toBeLessThan(300);
      await readUntil(() => naming() > before);

      // A framework may send the second part as data, which its scripts turn into the paragraph.
      const tab = await visitor(browser.jar);
      await tab.page.goto(`${tab.home}stream`, { waitUntil: 'commit' });
      await tab.reads('First');
      await browser.posts('/stream/go');
      await tab.reads(`Then ${ada.email}`);
      expect(tab.complaints).toEqual([]);
    },
  },
];
