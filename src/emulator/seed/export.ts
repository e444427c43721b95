import type { Descriptor } from '../../service/describe/define.js';
import type { World } from '../world/world.js';
import { describeSeed, type SeedDescription } from './description.js';
import type { Section, SeedPart } from './section.js';

/** How a seed is written. */
export type SeedFormat = 'yaml' | 'json';

/** What stands at the head of a seed in which a world was written down. */
const head = `The world of an emulator, as a seed: planted, it gives the same objects under the same ids. Not in it, because seeds
cannot say them: when things were made; sessions, tokens, codes, links and who is signing in; events, deliveries, mail
and answers for idempotency keys; the clock and the signing keys; audit log events and exports, and all but the last
schema of an audit log action; tokens of domains, and why one failed; keys and domain ids of connections, and which do
not let in who starts at the identity provider; factors without a user; invitations that are over; what an identity
provider or directory deleted; rate limits; resources and warrants of types that are gone; authentication policies of
organizations without a verified domain.`;

/** A world as a seed. Planted in another world it gives the same. */
export async function exportedSeed(world: World, parts: readonly SeedPart[], format: SeedFormat): Promise<string> {
  const { whole, sections } = describeSeed(parts);
  const content = Object.fromEntries(sections.flatMap((section) => contentOf(world, section, whole)));
  // Plain data, of which nothing is undefined.
  const seed = JSON.parse(JSON.stringify(world.codec.encode(whole, content)));
  if (format === 'json') return `${JSON.stringify(seed, null, 2)}\n`;
  const { writeYaml } = await import('./yaml.js');
  return writeYaml(seed, head);
}

function contentOf(
  world: World,
  section: Section,
  { model }: SeedDescription['whole'],
): (readonly [string, unknown])[] {
  const entries = section.export(world).map((record) => entryOf(world, section, record));
  if (entries.length === 0) return [];
  const isList = model?.shape[section.name]?.kind === 'array';
  return [[section.name, isList ? entries : entries[0]]];
}

function entryOf(world: World, { entry, children, said }: Section, record: unknown): unknown {
  if (!entry.model) return record;
  // An entry of described fields comes from a record.
  const own = taken(entry, record) as object;
  const fields = Object.keys(children).flatMap((name) => {
    const child = children[name]!;
    const value = child.export?.(world, record);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    const descriptor = entry.model!.shape[name]!;
    const one = (item: unknown): unknown => {
      const known = taken(descriptor.element ?? descriptor, item);
      return child.said ? { ...(known as object), ...child.said(world, item) } : known;
    };
    return [[name, Array.isArray(value) ? value.map(one) : one(value)]];
  });
  return { ...own, ...said?.(world, record), ...Object.fromEntries(fields) };
}

/** Of a value what its description knows: of a record the fields, but for those that may be left out and in which nothing is. */
function taken({ element, model }: Descriptor, value: unknown): unknown {
  if (element && Array.isArray(value)) return value.map((item) => taken(element, item));
  if (!model || typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(model.shape).flatMap(([name, descriptor]) => {
    // What the record has under the name, whatever it is.
    const own = (value as Readonly<Record<string, unknown>>)[name];
    return isNothing(own, descriptor) ? [] : [[name, taken(descriptor, own)]];
  });
  return Object.fromEntries(fields);
}

function isNothing(value: unknown, { optional }: Descriptor): boolean {
  if (value === undefined || value === null) return true;
  return optional === true && typeof value === 'object' && Object.keys(value).length === 0;
}
