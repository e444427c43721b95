import { getOrCreate } from '../../http/process-cache.js';
import type { AnyModel, Descriptor } from '../../service/describe/define.js';
import type { Addition, Section, SeedPart } from './section.js';

/** Description of a seed: the sections of all rooms. */
export interface SeedDescription {
  readonly whole: Descriptor;
  /** In planting order. */
  readonly sections: readonly Section[];
}

/** A checked seed with camelCase names: a list, map or single value per section. */
export type CheckedSeed = Readonly<Record<string, readonly unknown[] | object | string | null | undefined>>;

/** The JSON schema for editors; the emulator ignores it. */
const editorSchema: Descriptor = { kind: 'string', optional: true, wireName: '$schema' };

const descriptions = new WeakMap<readonly SeedPart[], SeedDescription>();

/**
 * Combine the seed parts of all rooms, once for each list of parts.
 *
 * Sections are planted in the order of the parts, which is the order of the rooms. A room comes after the rooms it depends on, so an
 * entry is planted after the entries it refers to.
 */
export const describeSeed = (parts: readonly SeedPart[]): SeedDescription =>
  getOrCreate(descriptions, parts, () => combine(parts));

function combine(parts: readonly SeedPart[]): SeedDescription {
  const additions = parts.filter((part): part is Addition => 'to' in part);
  const sections = parts
    .filter((part): part is Section => !('to' in part))
    .map((section) => additions.filter(({ to }) => to === section).reduce(withFields, section));
  const shape = Object.fromEntries(
    sections.map(({ name, entry, isOne }) => [
      name,
      {
        ...(isOne || entry.kind === 'map' ? entry : { kind: 'array', element: entry }),
        optional: true,
        nullable: true,
      } satisfies Descriptor,
    ]),
  );
  return { whole: { kind: 'model', model: modelOf({ ...shape, $schema: editorSchema }) }, sections };
}

const withFields = (section: Section, { fields, children }: Addition): Section => ({
  ...section,
  entry: { ...section.entry, model: modelOf({ ...section.entry.model!.shape, ...fields.shape }) },
  children: { ...section.children, ...children },
});

// A seed reads only the fields of a model.
const modelOf = (shape: Readonly<Record<string, Descriptor>>): AnyModel =>
  ({ name: null, shape }) as unknown as AnyModel;
