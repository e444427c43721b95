import type { AnyModel, Descriptor } from '../../service/describe/define.js';
import type { Addition, Section, SeedPart } from './section.js';

/** What a seed can say: the sections of all rooms. */
export interface SeedDescription {
  readonly whole: Descriptor;
  /** In the order in which they are planted. */
  readonly sections: readonly Section[];
}

/** A checked seed: the entries of its sections, or the one thing that a section is, in callers' names. */
export type CheckedSeed = Readonly<Record<string, readonly unknown[] | object | string | null | undefined>>;

/** Where the editor of a JSON file finds the schema of seeds; the emulator does not read it. */
const editorSchema: Descriptor = { kind: 'string', optional: true, wireName: '$schema' };

/**
 * Put together what the rooms say of seeds.
 *
 * Sections are planted in the order of the parts, which is the order of the rooms. A room comes after those it stands on, and
 * an entry can only name what its room knows, so that everything is there before it is named.
 */
export function describeSeed(parts: readonly SeedPart[]): SeedDescription {
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

// Only the descriptors of a shape are read.
const modelOf = (shape: Readonly<Record<string, Descriptor>>): AnyModel =>
  ({ name: null, shape }) as unknown as AnyModel;
