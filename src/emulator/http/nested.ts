/** Nest values by dotted names: `inbox.latest` becomes `{ inbox: { latest } }`. */
export function nestedByName(entries: readonly (readonly [name: string, value: unknown])[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const path = name.split('.');
    let place = all;
    for (const group of path.slice(0, -1)) {
      if (!Object.hasOwn(place, group)) place[group] = {};
      place = place[group] as Record<string, unknown>;
    }
    place[path.at(-1)!] = value;
  }
  return all;
}
