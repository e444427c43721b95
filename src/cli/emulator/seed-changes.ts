import { isDeepStrictEqual } from 'node:util';

/** Fields that identify an entry of a seed, most reliable first. */
const identityFields = ['id', 'email', 'slug', 'uri', 'endpoint_url', 'client_id', 'type', 'name'];
/** Fields to print as the name of an entry. None of them contains a secret. */
const nameFields = ['email', 'slug', 'name', 'uri', 'endpoint_url', 'domain', 'id', 'type'];
/** Maximum number of entry names per line. */
const maxNames = 3;

type SeedEntry = Readonly<Record<string, unknown>>;

/** List the changes between two seeds, one line per section: `users: 1 added (ada@acme.test), 1 changed (grace@acme.test)`. */
export function changesBetween(before: unknown, after: unknown): readonly string[] {
  const [one, other] = [sectionsOf(before), sectionsOf(after)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => !isDeepStrictEqual(one[name], other[name]))
    .map((name) => `${name}: ${changesOf(one[name], other[name])}`);
}

// A section that is null counts as missing.
const sectionsOf = (seed: unknown): SeedEntry =>
  Object.fromEntries(Object.entries(seed ?? {}).filter(([name, section]) => section != null && name !== '$schema'));

function changesOf(before: unknown = [], after: unknown = []): string {
  if (!Array.isArray(before) || !Array.isArray(after)) return 'changed';
  const [one, other] = [byIdentity(before), byIdentity(after)];
  const added = [...other].filter(([key]) => !one.has(key)).map(([, entry]) => entry);
  const removed = [...one].filter(([key]) => !other.has(key)).map(([, entry]) => entry);
  const changed = [...other]
    .filter(([key, entry]) => one.has(key) && !isDeepStrictEqual(one.get(key), entry))
    .map(([, entry]) => entry);
  const parts = Object.entries({ added, changed, removed })
    .filter(([, entries]) => entries.length > 0)
    .map(([what, entries]) => `${entries.length} ${what}${namesOf(entries)}`);
  return parts.join(', ') || 'reordered';
}

/** Index entries by identity. Entries with the same identity are numbered in order. */
function byIdentity(entries: readonly unknown[]): ReadonlyMap<string, unknown> {
  const all = new Map<string, unknown>();
  for (const entry of entries) {
    const identity = identityOf(entry);
    let key = identity;
    for (let times = 2; all.has(key); times++) key = `${identity} ${times}`;
    all.set(key, entry);
  }
  return all;
}

const identityOf = (entry: unknown): string => {
  const name = identityFields.find((field) => typeof fieldOf(entry, field) === 'string');
  const links = isEntry(entry) ? Object.entries(entry).filter(([field]) => field.endsWith('_id')) : [];
  return JSON.stringify(name ? [name, fieldOf(entry, name)] : links.length > 0 ? links : entry);
};

function namesOf(entries: readonly unknown[]): string {
  const names = entries.flatMap((entry) => nameOf(entry) ?? []);
  if (names.length === 0) return '';
  return ` (${names.slice(0, maxNames).join(', ')}${entries.length > Math.min(maxNames, names.length) ? ', …' : ''})`;
}

const nameOf = (entry: unknown): string | undefined => {
  const text = nameFields.map((field) => fieldOf(entry, field)).find((value) => typeof value === 'string');
  const links = ['user_id', 'organization_id'].flatMap((field) => fieldOf(entry, field) ?? []);
  const name = text ?? (links.length > 0 ? links.join(' in ') : undefined);
  return name === undefined ? undefined : String(name);
};

const isEntry = (value: unknown): value is SeedEntry => typeof value === 'object' && value !== null;

const fieldOf = (entry: unknown, field: string): unknown => (isEntry(entry) ? entry[field] : undefined);
