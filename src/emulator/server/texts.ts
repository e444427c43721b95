import type { Operation } from '../../service/describe/operation.js';
import { type Source, unsteady, withReads } from '../world/reads.js';
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

/** How much is kept before what was not asked for meanwhile is let go. */
const mostCharacters = 8 * 1024 * 1024;
/** What a text takes beside its characters. */
const overhead = 200;

/**
 * The texts of records, which seldom change between two readings: a page is put together from them. They hang on the records themselves,
 * which are replaced when they change, and hold none of them.
 */
export class Texts {
  #recent = new WeakMap<object, Rendering>();
  #earlier = new WeakMap<object, Rendering>();
  #characters = 0;

  /** The text of a record; made by `render` where there is none that is still true. */
  of(record: object, operation: Operation, view: unknown, render: () => string): string {
    const recent = this.#recent.get(record);
    const found = recent ?? this.#earlier.get(record);
    if (found && found.operation === operation && found.view === view && versionOf(found.sources) === found.version) {
      if (!recent) this.#keep(record, found);
      return found.text;
    }
    const { value: text, sources } = withReads(render);
    if (!sources.has(unsteady)) {
      const all = [...sources];
      this.#keep(record, { text, operation, view, sources: all, version: versionOf(all) });
    }
    return text;
  }

  #keep(record: object, rendering: Rendering): void {
    this.#characters += rendering.text.length + overhead;
    if (this.#characters > mostCharacters) {
      this.#earlier = this.#recent;
      this.#recent = new WeakMap();
      this.#characters = rendering.text.length + overhead;
    }
    this.#recent.set(record, rendering);
  }
}

/** The texts of a world's records. */
export const texts = slot('texts', 'they are made of records', () => new Texts());
