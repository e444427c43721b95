/** Something that a rendered text may depend on. Its version rises with every change. */
export interface Source {
  readonly version: number;
}

/** Source for values that cannot be cached, such as the time or the emulator's address. */
export const volatileSource: Source = { version: 0 };

let current: Set<Source> | undefined;

/** Record that a source is read. Collections, tables and worlds call this themselves. */
export function trackRead(source: Source): void {
  current?.add(source);
}

/** Run a function, and collect the sources it reads. */
export function collectReads<T>(work: () => T): { readonly value: T; readonly sources: ReadonlySet<Source> } {
  const outer = current;
  const sources = new Set<Source>();
  current = sources;
  try {
    return { value: work(), sources };
  } finally {
    current = outer;
    if (outer) for (const source of sources) outer.add(source);
  }
}
