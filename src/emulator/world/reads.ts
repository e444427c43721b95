/** Something that a rendered text may depend on, and how often it has changed. */
export interface Source {
  readonly version: number;
}

/** What is never the same twice, such as the time, or where the emulator is reached. */
export const unsteady: Source = { version: 0 };

let current: Set<Source> | undefined;

/** Note that something is being read. Collections and worlds do so by themselves. */
export function noteRead(source: Source): void {
  current?.add(source);
}

/** What some work gives, and all that it has read on the way. */
export function withReads<T>(work: () => T): { readonly value: T; readonly sources: ReadonlySet<Source> } {
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
