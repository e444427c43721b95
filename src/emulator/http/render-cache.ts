import type { Operation } from '../../service/describe/operation.js';
import { collectReads, type Source, volatileSource } from '../store/reads.js';
import type { Page } from '../store/selection.js';
import { type Memory, slot } from '../world/memory.js';

type ViewOf<V> = (memory: Memory, record: never) => V;

/** A page of records, and the view that converts each record for the response. */
export class ViewPage<V> {
  constructor(
    readonly page: Page<object>,
    readonly view: ViewOf<V>,
  ) {}
}

/**
 * Create a page of views. Each serialized view is cached until the record or a collection that the view read changes. The view
 * must therefore be the same function every time, and read nothing but the record, collections and fixed properties of the world.
 */
export const viewsOf = <R extends object, V>(page: Page<R>, view: (memory: Memory, record: R) => V): ViewPage<V> =>
  // The view is only called with records of this page.
  new ViewPage(page, view as unknown as ViewOf<V>);

/** View that returns a record unchanged. */
export const asStored = <R extends object>(_: Memory, record: R): R => record;

/** The JSON of a record in the response of one operation. */
interface Rendering {
  readonly text: string;
  readonly operation: Operation;
  readonly view: unknown;
  /** Everything that the view read. */
  readonly sources: readonly Source[];
  /** Sum of the sources' versions at that time. */
  readonly version: number;
}

const versionOf = (sources: readonly Source[]): number => sources.reduce((sum, { version }) => sum + version, 0);

/** Maximum characters of one generation, for all worlds of the process together. */
const maxCharacters = 8 * 1024 * 1024;
/** Approximate memory of a cached text besides its characters. */
const overhead = 200;

/** Texts that were used in the same period, by world. */
class CacheHalf {
  readonly #worlds = new WeakMap<RenderCache, WeakMap<object, Rendering>>();
  characters = 0;

  get(owner: RenderCache, record: object): Rendering | undefined {
    return this.#worlds.get(owner)?.get(record);
  }

  set(owner: RenderCache, record: object, rendering: Rendering): void {
    let renderings = this.#worlds.get(owner);
    if (!renderings) {
      renderings = new WeakMap();
      this.#worlds.set(owner, renderings);
    }
    renderings.set(record, rendering);
    this.characters += rendering.text.length + overhead;
  }
}

/** Shared by all worlds, so that the limit is per process. */
let recent = new CacheHalf();
let earlier = new CacheHalf();

/**
 * Caches the JSON of records, which rarely change between two requests. Entries are keyed weakly by record. A changed record is a new
 * object, so its old entry disappears.
 */
class RenderCache {
  /** Get the cached text of a record. Calls `render` if there is none, or if it is outdated. */
  of(record: object, operation: Operation, view: unknown, render: () => string): string {
    const newest = recent.get(this, record);
    const cached = newest ?? earlier.get(this, record);
    if (cached?.operation === operation && cached.view === view && versionOf(cached.sources) === cached.version) {
      if (!newest) this.#store(record, cached);
      return cached.text;
    }
    const { value: text, sources } = collectReads(render);
    if (!sources.has(volatileSource)) {
      const all = [...sources];
      this.#store(record, { text, operation, view, sources: all, version: versionOf(all) });
    }
    return text;
  }

  #store(record: object, rendering: Rendering): void {
    if (recent.characters + rendering.text.length + overhead > maxCharacters) {
      earlier = recent;
      recent = new CacheHalf();
    }
    recent.set(this, record, rendering);
  }
}

/** The cached texts of a world. */
export const renderCache = slot('texts', 'rendered from records', () => new RenderCache());
