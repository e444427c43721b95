import { TrieRouter } from 'hono/router/trie-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import type { Endpoints } from './route-table.js';

/** Endpoints at the path of a request, with the values of the path's parameters. */
export interface PathMatch {
  readonly endpoints: Endpoints;
  /** Value of the parameter with this index, counted from 0. */
  valueAt(index: number): string;
}

/** Get the path of a request. */
export const pathIn = (request: Request): string => getPath(request);

/** Matches paths against the patterns of all routes. */
export class PathMatcher {
  readonly #router = new TrieRouter<Endpoints>();

  /** @param table Endpoints by pattern, most literal patterns first. */
  constructor(table: ReadonlyMap<string, Endpoints>) {
    for (const [pattern, endpoints] of table) this.#router.add('ALL', pattern, endpoints);
  }

  /** Find all endpoints at a path, most literal pattern first. */
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
