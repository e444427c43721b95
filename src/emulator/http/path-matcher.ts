import { TrieRouter } from 'hono/router/trie-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import { type Endpoints, tableOf } from './route-table.js';
import type { Router } from './router.js';

/** Endpoints at the path of a request, with the values of the path's parameters. */
export interface PathMatch {
  readonly endpoints: Endpoints;
  /** Value of the parameter with this index, counted from 0. */
  valueAt(index: number): string;
}

/** Get the path of a request. */
export const pathIn = (request: Request): string => getPath(request);

/** Matches paths against the patterns of all routes, most literal first. */
export class PathMatcher {
  readonly #router = new TrieRouter<Endpoints>();

  constructor(router: Router) {
    for (const [pattern, endpoints] of tableOf(router)) this.#router.add('ALL', pattern, endpoints);
  }

  /** Find all endpoints at a path. */
  match(path: string): readonly PathMatch[] {
    const [matches] = this.#router.match('ALL', path);
    return matches.map(([endpoints, values]) => ({
      endpoints,
      // TrieRouter returns the values; other routers of Hono return indexes.
      valueAt: (index) =>
        tryDecodeURIComponent(String((values as Readonly<Record<string, unknown>>)[`p${index}`] ?? '')),
    }));
  }
}
