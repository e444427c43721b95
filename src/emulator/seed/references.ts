import { nearest } from '../../errors/nearest.js';
import type { Codec } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import type { SeedDescription } from './description.js';
import { type Path, type Problem, textOf } from './problems.js';
import type { Child } from './section.js';

/** Path into a seed with wire names; a star matches every item of a list. */
type Pattern = string;

/** A field that refers to an entry. */
interface Reference {
  readonly from: Pattern;
  /** What it refers to, for messages. */
  readonly to: string;
  /** Patterns of the values it may refer to. */
  readonly among: readonly Pattern[];
  /** Number of leading stars that must match the same item in both patterns. */
  readonly shared: number;
}

/** Entries of one kind: those of a section, or of a field of its entries. */
interface Kind {
  readonly pattern: Pattern;
  readonly field: Descriptor;
  readonly names: Omit<Child, 'plant'>;
}

/** Maximum number of references that get a suggestion. Each suggestion needs a search. */
const maxHints = 10;

interface Mention {
  readonly pattern: Pattern;
  readonly value: string;
  /** Position in each list on the path. */
  readonly at: readonly number[];
}

/** Find all strings whose path matches one of the patterns. */
function textsAt(seed: unknown, ...patterns: readonly Pattern[]): Mention[] {
  const mentions: Mention[] = [];
  for (const pattern of patterns) {
    const steps = pattern.split('.');
    const at: number[] = [];
    const walk = (value: unknown, depth: number): void => {
      const step = steps[depth];
      if (step === undefined) {
        if (typeof value === 'string') mentions.push({ pattern, value, at: [...at] });
      } else if (typeof value !== 'object' || value === null) return;
      else if (step !== '*') {
        if (Object.hasOwn(value, step)) walk((value as Record<string, unknown>)[step], depth + 1);
      } else if (Array.isArray(value))
        for (let i = 0; i < value.length; i++) {
          at.push(i);
          walk(value[i], depth + 1);
          at.pop();
        }
    };
    walk(seed, 0);
  }
  return mentions;
}

function pathOf({ pattern, at }: Mention): Path {
  const positions = at.values();
  return pattern.split('.').map((step) => (step === '*' ? positions.next().value! : step));
}

/** Find duplicate ids and dangling references. */
export function* wrongNames(codec: Codec, description: SeedDescription, seed: unknown): Generator<Problem> {
  const kinds = [...kindsIn(codec, description)];
  for (const collection of new Set(kinds.flatMap(({ names }) => names.collection ?? []))) {
    const together = kinds.filter(({ names }) => names.collection === collection);
    yield* repeatedNames(textsAt(seed, ...together.flatMap((kind) => patternsOf(codec, kind, 'id'))));
  }
  for (const kind of kinds) yield* repeatedNames(textsAt(seed, ...patternsOf(codec, kind, kind.names.unique)));
  for (const kind of kinds)
    for (const reference of referencesFrom(codec, kind, kinds)) yield* danglingReferences(seed, reference);
}

function* kindsIn(codec: Codec, { whole, sections }: SeedDescription): Generator<Kind> {
  const top: Kind = { pattern: '', field: whole, names: {} };
  for (const section of sections) {
    const [pattern = ''] = patternsOf(codec, top, section.name);
    const kind = { pattern, field: section.entry, names: section };
    yield kind;
    for (const [name, child] of Object.entries(section.children)) {
      const field = kind.field.model!.shape[name]!;
      for (const pattern of patternsOf(codec, kind, name))
        yield { pattern, field: field.element ?? field, names: child };
    }
  }
}

/** Build the pattern for a field of all entries, or for its items if it is a list. Empty if there is no such field. */
function patternsOf(codec: Codec, { pattern, field }: Kind, name: string | undefined): Pattern[] {
  const child = name === undefined ? undefined : field.model?.shape[name];
  if (name === undefined || child === undefined) return [];
  const [wire] = codec.wireNames(name, child);
  return [[pattern, wire, child.kind === 'array' ? '*' : ''].filter((step) => step).join('.')];
}

function* referencesFrom(codec: Codec, from: Kind, kinds: readonly Kind[]): Generator<Reference> {
  const { collection, siblings = {} } = from.names;
  const references = [
    ...Object.entries(collection?.references ?? {}).map(([field, name]) => ({ field, name, to: name, shared: 0 })),
    ...Object.entries(siblings).map(([field, { collection, label }]) => ({
      field,
      name: collection.name,
      to: label,
      shared: 1,
    })),
  ];
  for (const { field, name, to, shared } of references) {
    const targets = kinds.filter(({ names }) => names.collection?.name === name);
    const among = targets.flatMap((kind) =>
      ['id', kind.names.alias].flatMap((alias) => patternsOf(codec, kind, alias)),
    );
    for (const pattern of patternsOf(codec, from, field)) yield { from: pattern, to, among, shared };
  }
}

function* repeatedNames(mentions: readonly Mention[]): Generator<Problem> {
  const first = new Map<string, Mention>();
  for (const mention of mentions) {
    const other = first.get(mention.value);
    if (other) yield { path: pathOf(mention), message: `is already used by ${textOf(pathOf(other))}` };
    else first.set(mention.value, mention);
  }
}

function* danglingReferences(seed: unknown, { from, to, among, shared }: Reference): Generator<Problem> {
  const scopeOf = ({ at }: Mention): string => at.slice(0, shared).join();
  const scopes = new Map<string, Set<string>>();
  for (const mention of textsAt(seed, ...among)) {
    const scope = scopes.get(scopeOf(mention)) ?? new Set();
    scopes.set(scopeOf(mention), scope.add(mention.value));
  }
  let count = 0;
  for (const mention of textsAt(seed, from)) {
    const candidates = scopes.get(scopeOf(mention)) ?? new Set<string>();
    if (candidates.has(mention.value)) continue;
    const suggestion = count++ < maxHints ? nearest(mention.value, candidates) : undefined;
    const hint = suggestion ? `; did you mean ${suggestion}?` : candidates.size > 0 ? '' : '; none of them has an id';
    yield { path: pathOf(mention), message: `does not match any ${to} in this seed${hint}` };
  }
}
