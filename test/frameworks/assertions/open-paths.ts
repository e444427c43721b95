import { expect } from 'vitest';
import fc from '../../runner/property.js';
import { browse } from '../../session/browse.js';
import { statusesOf, targetsThatGet } from '../asking.js';
import type { Assertion } from '../assertion.js';
import { script } from '../client.js';
import { markerOf } from '../protected-files.js';
import { fixedSeed, randomSeed } from '../spellings.js';

/** Words of paths, including some that are close to those of open paths. */
const words = [
  'account admin private papi reports api me users de en v1 42 new index.html',
  'healthz health.json favicon.ico.map favicon.png assetsx asset _nextx _nuxt2 _astros _apps',
  'static robots.txt .env .git config a-b c_d x.json sitemap.xml sign-in-now callbacks',
].flatMap((line) => line.split(' '));

/** The open paths of the examples, and the routes of the middleware. */
const listedPath =
  /^\/(?:$|(?:api\/(?:me|session)|assets|favicon\.ico|health|404|recent|stream\/go|_\w+|sign-in|sign-up|sign-out|callback|session\/token)(?:\/|$))/;

/** Generates a number of different paths outside the lists of all examples. */
function otherPaths(count: number, seed: number): readonly string[] {
  const path = fc.array(fc.oneof(fc.constantFrom(...words), fc.stringMatching(/^[a-z\d]{1,8}$/)), {
    minLength: 1,
    maxLength: 4,
  });
  const found = new Set<string>();
  for (let round = 0; found.size < count; round++)
    for (const parts of fc.sample(path, { seed: seed + round, numRuns: count })) {
      const text = `/${parts.join('/')}`;
      if (found.size < count && !listedPath.test(text)) found.add(text);
    }
  return [...found];
}

export const openPaths: readonly Assertion[] = [
  {
    title: 'loads an open page with all its scripts and styles',
    of: 'all',
    async holds({ visitor }) {
      const tab = await visitor();
      const loaded: string[] = [];
      tab.page.on('response', (response) => {
        const type = response.request().resourceType();
        if (['script', 'stylesheet', 'font', 'image'].includes(type)) loaded.push(`${type} ${response.status()}`);
      });

      await tab.settlesAt('/');

      await tab.reads('Hello stranger');
      expect([...new Set(loaded)].filter((one) => !/ (?:200|304)$/.test(one))).toEqual([]);
      expect(loaded.filter((one) => /^(?:script|stylesheet)/.test(one)).length).toBeGreaterThan(0);
      expect(tab.complaints).toEqual([]);
    },
  },
  {
    title: 'denies signed-out visitors access to 400 paths that are not listed as open',
    of: 'all',
    async holds({ framework: { answersItself }, home }) {
      const paths = [...otherPaths(200, fixedSeed), ...otherPaths(200, randomSeed)];

      const statuses = await statusesOf(home, paths, { headers: script });

      expect(
        [...statuses].filter(([path, status]) => status !== (answersItself?.test(path) ? 404 : 401)),
        `random seed ${randomSeed}`,
      ).toEqual([]);
    },
  },
  {
    title: 'protects a page at a rewritten URL if all paths are protected or the rewrite is visible to the middleware',
    of: 'all',
    async holds({ framework: { rewrites = [] }, home, listedHome, person, cookiesOf }) {
      const { headers } = await cookiesOf(await person());

      for (const { from, to, isSeen } of rewrites) {
        const reached = async (at: string, more = {}) =>
          (await targetsThatGet(markerOf(to), at, [from], { headers: more })).length;
        const isData = from.endsWith('.json');
        // The URL does lead to the page.
        if (!isData && to !== '/strict') expect([from, await reached(home, headers)]).toEqual([from, 1]);
        expect([from, await reached(home)]).toEqual([from, 0]);
        expect([from, await reached(listedHome)]).toEqual([from, isSeen ? 0 : 1]);
        // SvelteKit's scripts treat this as a redirect.
        if (isData)
          expect(await (await browse(new URL(from, listedHome).href)).json()).toMatchObject({
            type: 'redirect',
            status: 303,
          });
      }
    },
  },
];
