import { TrieRouter } from 'hono/router/trie-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import type { Endpoints } from './route-table.js';

/** What stands at the path of a request, and the values of the path's parameters. */
export interface Find {
  readonly endpoints: Endpoints;
  /** The value of the parameter at this place of the path, counted from 0. */
  valueAt(place: number): string;
}

/** The path that a request is for. */
export const pathIn = (request: Request): string => getPath(request);

/** Says what stands at a path. */
export class Addresses {
  readonly #router = new TrieRouter<Endpoints>();

  /** @param table What stands at which pattern, the most literal ones first. */
  constructor(table: ReadonlyMap<string, Endpoints>) {
    for (const [pattern, endpoints] of table) this.#router.add('ALL', pattern, endpoints);
  }

  /** All that fits a path, the most literal pattern first. */
  at(path: string): readonly Find[] {
    const [found] = this.#router.match('ALL', path);
    return found.map(([endpoints, values]) => ({
      endpoints,
      // This router gives the values themselves, and others their places.
      valueAt: (place) =>
        tryDecodeURIComponent(String((values as Readonly<Record<string, unknown>>)[`p${place}`] ?? '')),
    }));
  }
}
