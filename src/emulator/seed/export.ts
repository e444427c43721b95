import type { Descriptor } from '../../service/describe/define.js';
import type { CollectionItem } from '../store/selection.js';
import type { Memory } from '../world/memory.js';
import { describeSeed, type SeedDescription } from './description.js';
import type { Child, Section, SeedPart } from './section.js';

/** File format of a seed. */
type SeedFormat = 'yaml' | 'json';

/** Comment at the top of an exported seed. */
const headComment = `A world of an emulator, exported as a seed. Planting it creates the same objects with the same ids.
The seed leaves out:
- creation times, the clock, the signing keys and rate limits
- sessions, tokens, codes, links and unfinished sign-ins
- events, webhook deliveries, mail and responses stored for idempotency keys
- audit log events and exports, and all but the latest schema of an audit log action
- verification tokens of domains, and why a verification failed
- keys and domain ids of connections, and whether a connection refuses sign-ins that start at the identity provider
- authentication factors without a user
- expired, accepted and revoked invitations
- records that an identity provider or directory deleted
- resources and warrants of deleted types
- authentication policies of organizations without a verified domain`;

/** Export a world as a seed. Planting it in another world creates the same objects. */
export async function exportedSeed(memory: Memory, parts: readonly SeedPart[], format: SeedFormat): Promise<string> {
  const { whole, sections } = describeSeed(parts);
  const content = Object.fromEntries(sections.flatMap((section) => contentOf(memory, section, whole)));
  // JSON drops the undefined values.
  const seed = JSON.parse(JSON.stringify(memory.codec.encode(whole, content)));
  if (format === 'json') return `${JSON.stringify(seed, null, 2)}\n`;
  const { writeYaml } = await import('./yaml.js');
  return writeYaml(seed, headComment);
}

function contentOf(
  memory: Memory,
  section: Section,
  { model }: SeedDescription['whole'],
): (readonly [string, unknown])[] {
  const { collection } = section;
  const records = section.export?.(memory) ?? (collection ? memory.of(collection).values() : []);
  const entries = records.map((record) => entryOf(memory, section, record));
  if (entries.length === 0) return [];
  const isList = model?.shape[section.name]?.kind === 'array';
  return [[section.name, isList ? entries : entries[0]]];
}

function entryOf(memory: Memory, section: Section, record: unknown): unknown {
  const { entry, children, exportedFields } = section;
  if (!entry.model) return record;
  // An entry with a model is exported from a record.
  const described = describedPart(entry, record) as object;
  const fields = Object.keys(children).flatMap((name) => {
    const child = children[name]!;
    const value = child.export ? child.export(memory, record) : childrenOf(memory, section, child, record);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    const descriptor = entry.model!.shape[name]!;
    const one = (item: unknown): unknown => {
      const known = describedPart(descriptor.element ?? descriptor, item);
      return child.exportedFields ? { ...(known as object), ...child.exportedFields(memory, item) } : known;
    };
    return [[name, Array.isArray(value) ? value.map(one) : one(value)]];
  });
  return { ...described, ...exportedFields?.(memory, record), ...Object.fromEntries(fields) };
}

/** Return the records of a child's collection that refer to a record of the section. Empty if another child exports them. */
function childrenOf(memory: Memory, section: Section, { collection }: Child, record: unknown): readonly unknown[] {
  if (!collection) return [];
  const [field] = Object.entries(collection.references ?? {}).find(([, name]) => name === section.collection?.name)!;
  const { id } = record as CollectionItem;
  return memory
    .of(collection)
    .where(field as never, id as never)
    .values();
}

/** Return the part of a value that its description covers. Empty optional fields of records are left out. */
function describedPart({ element, model }: Descriptor, value: unknown): unknown {
  if (element && Array.isArray(value)) return value.map((item) => describedPart(element, item));
  if (!model || typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(model.shape).flatMap(([name, descriptor]) => {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    return isOmitted(field, descriptor) ? [] : [[name, describedPart(descriptor, field)]];
  });
  return Object.fromEntries(fields);
}

function isOmitted(value: unknown, { optional }: Descriptor): boolean {
  if (value === undefined || value === null) return true;
  return optional === true && typeof value === 'object' && Object.keys(value).length === 0;
}
