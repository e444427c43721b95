import { expect } from 'vitest';
import { browse } from '../../session/browse.js';
import { targetsThatGet } from '../asking.js';
import type { Assertion } from '../assertion.js';
import { markerOf, protectedPaths } from '../protected-files.js';
import { randomSeed, spellingsOfRun } from '../spellings.js';
import type { Stage } from '../stage.js';

const [page, api, strict] = protectedPaths;
const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' };

/**
 * The spellings of a path that make a handler run. `protected-paths.test.ts` sends them to servers in the test process.
 */
async function reached(
  { listedHome: home }: Stage,
  path: string,
  marker: string,
  method = 'GET',
): Promise<readonly string[]> {
  // Frameworks refuse forms of other sites.
  const headers = method === 'POST' ? { ...form, origin: new URL(home).origin } : {};
  return targetsThatGet(markerOf(marker), home, spellingsOfRun(path), { method, headers });
}

export const guardedPaths: readonly Assertion[] = [
  {
    title: 'never shows signed-out visitors a protected page, however the path is spelled',
    of: 'all',
    async holds(stage) {
      expect(await reached(stage, page, page), `random seed ${randomSeed}`).toEqual([]);
    },
  },
  {
    title: 'never shows signed-out visitors a page below a protected path, however the path is spelled',
    of: 'all',
    async holds(stage) {
      expect(await reached(stage, `${page}/42`, page), `random seed ${randomSeed}`).toEqual([]);
    },
  },
  {
    title: 'never runs a protected API route for signed-out visitors, however the path is spelled',
    of: 'all',
    async holds(stage) {
      expect(await reached(stage, api, api), `random seed ${randomSeed}`).toEqual([]);
    },
  },
  {
    title: 'never runs a protected action for signed-out visitors, however the path is spelled',
    of: 'all',
    async holds(stage) {
      expect(await reached(stage, page, page, 'POST'), `random seed ${randomSeed}`).toEqual([]);
    },
  },
  {
    title: 'never shows signed-out visitors a page that requires a permission, however the path is spelled',
    of: 'all',
    async holds(stage) {
      expect(await reached(stage, strict, strict), `random seed ${randomSeed}`).toEqual([]);
    },
  },
  {
    title: 'shows protected pages and API routes only to signed-in users, and other paths to everyone',
    of: 'all',
    async holds({ framework, listedHome: home, person, cookiesOf }) {
      const { headers } = await cookiesOf(await person());

      for (const path of protectedPaths)
        expect(await targetsThatGet(markerOf(path), home, [path, `${path}/`], { headers })).toContain(path);
      // Without this, a rule that refuses everything would pass the assertions above.
      if (framework.hasVariables !== false) expect((await browse(`${home}unlisted`)).status).toBe(404);
    },
  },
];
