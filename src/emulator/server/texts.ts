import type { Operation } from '../../service/describe/operation.js';
import { collectReads, type Source, volatileSource } from '../world/reads.js';
import type { Page } from '../world/selection.js';
import { slot, type World } from '../world/world.js';

type ViewOf<V> = (world: World, record: never) => V;

/** A page of records, and how each of them is shown. */
export class RecordPage<V> {
  constructor(
    readonly page: Page<object>,
    readonly view: ViewOf<V>,
  ) {}
}

/**
 * A page of views of records. The text of each is kept until the record changes, or a collection that the view has looked into. So the
 * view has to be the same function every time, and to look nowhere but at the record, into collections and at what the world is.
 */
export const viewsOf = <R extends object, V>(page: Page<R>, view: (world: World, record: R) => V): RecordPage<V> =>
  // Called with the records of this page alone.
  new RecordPage(page, view as unknown as ViewOf<V>);

/** The view of records that are shown as they are. */
export const itself = <R extends object>(_: World, record: R): R => record;

/** The text of a record as one operation shows it. */
interface Rendering {
  readonly text: string;
  readonly operation: Operation;
  readonly view: unknown;
  /** What was read on the way, and how often all of it together had changed by then. */
  readonly sources: readonly Source[];
  readonly version: number;
}

const versionOf = (sources: readonly Source[]): number => sources.reduce((sum, { version }) => sum + version, 0);

/** How much is kept, in all worlds of the process together, before what was not asked for meanwhile is let go. */
const mostCharacters = 8 * 1024 * 1024;
/** What a text takes beside its characters. */
const overhead = 200;

/** The texts that were asked for in the same while, by the worlds whose they are. */
class Generation {
  readonly #worlds = new WeakMap<Texts, WeakMap<object, Rendering>>();
  characters = 0;

  get(owner: Texts, record: object): Rendering | undefined {
    return this.#worlds.get(owner)?.get(record);
  }

  set(owner: Texts, record: object, rendering: Rendering): void {
    let own = this.#worlds.get(owner);
    if (!own) {
      own = new WeakMap();
      this.#worlds.set(owner, own);
    }
    own.set(record, rendering);
    this.characters += rendering.text.length + overhead;
  }
}

/** Of all worlds: what a thousand of them keep is no more than what one may. */
let recent = new Generation();
let earlier = new Generation();

/**
 * The texts of records, which seldom change between two readings: a page is put together from them. They hang on the records themselves,
 * which are replaced when they change, and hold none of them.
 */
export class Texts {
  /** The text of a record; made by `render` where there is none that is still true. */
  of(record: object, operation: Operation, view: unknown, render: () => string): string {
    const newest = recent.get(this, record);
    const found = newest ?? earlier.get(this, record);
    if (found && found.operation === operation && found.view === view && versionOf(found.sources) === found.version) {
      if (!newest) this.#keep(record, found);
      return found.text;
    }
    const { value: text, sources } = collectReads(render);
    if (!sources.has(volatileSource)) {
      const all = [...sources];
      this.#keep(record, { text, operation, view, sources: all, version: versionOf(all) });
    }
    return text;
  }

  #keep(record: object, rendering: Rendering): void {
    if (recent.characters + rendering.text.length + overhead > mostCharacters) {
      earlier = recent;
      recent = new Generation();
    }
    recent.set(this, record, rendering);
  }
}

/** The texts of a world's records. */
export const texts = slot('texts', 'they are made of records', () => new Texts());
