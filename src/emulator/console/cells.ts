import type { Descriptor } from '../../service/describe/define.js';
import type { PageExchange } from '../http/router.js';
import { directoryFacts } from '../rooms/directory-sync/facts.js';
import { eventFacts } from '../rooms/events/facts.js';
import { organizationFacts } from '../rooms/organizations/records.js';
import { userFacts } from '../rooms/users/records.js';
import { endpointFacts } from '../rooms/webhooks/records.js';
import type { CollectionItem } from '../store/selection.js';
import type { Fact, Facts } from '../world/facts.js';
import type { Memory } from '../world/memory.js';
import { linkTo, type PlaceName, pathOf } from './layout.js';
import { type Cell, code, time, wrappable } from './widgets.js';

/** A fact with its label and description. */
interface DescribedFact<T> {
  readonly label: string;
  readonly field?: (keyof T & string) | undefined;
  readonly as?: Descriptor | undefined;
  readonly of: (record: T, memory: Memory) => unknown;
}

/** Add the label and description of a field to a fact that only names it. */
export function describedFact<T extends CollectionItem>({ model }: Facts<T>, fact: Fact<T>): DescribedFact<T> {
  if (typeof fact === 'object' && 'of' in fact) return fact;
  const [field, label]: readonly [keyof T & string, string?] = typeof fact === 'object' ? fact : [fact];
  return { label: label ?? labelOf(field), field, as: model.shape[field], of: (record) => record[field] };
}

/** Write the name of a field as a label: `emailVerified` is `Email verified`, and `organizationId` is `Organization`. */
function labelOf(field: string): string {
  if (field === 'id') return 'ID';
  const words = field.replace(/(?:At|Id|Slug)$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Find an object by its id. */
export function findIn<T extends CollectionItem>({ all }: Facts<T>, memory: Memory, id: string): T | undefined {
  const objects = all(memory);
  return 'page' in objects ? objects.find(id) : objects.find((one) => one.id === id);
}

/** Objects that fields refer to by their id. */
interface Referent {
  /** List that the pages of the objects belong to. */
  readonly place?: PlaceName | undefined;
  readonly nameOf: (memory: Memory, id: string) => string | undefined;
}

const referent = <T extends CollectionItem>(facts: Facts<T>, place?: PlaceName): readonly [string, Referent] => [
  `${facts.noun}Id`,
  { place, nameOf: (memory, id) => findIn(facts, memory, id)?.[facts.title!] as string | undefined },
];

/** Referents by the name of the field with their id. */
const referents: ReadonlyMap<string, Referent> = new Map([
  referent(userFacts, 'Users'),
  referent(organizationFacts, 'Organizations'),
  referent(directoryFacts, 'Directories'),
  referent(eventFacts, 'Events'),
  referent(endpointFacts),
]);

/** Render a fact. Ids of other objects become links, and so does the name of an object in a list. */
export function cellOf<T extends CollectionItem>(
  exchange: PageExchange,
  { noun, title }: Facts<T>,
  { field, as, of }: DescribedFact<T>,
  record: T,
): Cell {
  const { memory } = exchange;
  const value = of(record, memory);
  const isOwnName = field !== undefined && field === title;
  const target = referents.get(isOwnName ? `${noun}Id` : (field ?? ''));
  const id = isOwnName ? record.id : field && record[field];
  if (target && typeof id === 'string') {
    const name = value === id ? target.nameOf(memory, id) : String(value);
    if (target.place) return linkTo(exchange, `${pathOf(target.place)}/${id}`, wrappable(name ?? id));
    return name ?? code(id);
  }
  return formatted(value, field === 'id' ? 'id' : as?.format);
}

function formatted(value: unknown, format: Descriptor['format']): Cell {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object' && value !== null) return code(JSON.stringify(value));
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  if (format === 'timestamp') return time(value);
  return format === 'id' ? code(value) : value;
}
