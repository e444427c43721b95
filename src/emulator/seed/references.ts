import { nearest } from '../../errors/nearest.js';
import type { Codec } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import type { SeedDescription } from './description.js';
import { type Path, type Problem, textOf } from './problems.js';
import type { Child } from './section.js';

/** A way into a seed, in wire names; a star stands for every item of a list. */
type Pattern = string;

/** A field that names an entry. */
interface Reference {
  readonly from: Pattern;
  /** What it names, in the words of a message. */
  readonly to: string;
  /** Patterns of the names it may have. */
  readonly among: readonly Pattern[];
  /** How many leading stars of both patterns stand for the same item. */
  readonly shared: number;
}

/** Entries of one kind, wherever they stand: those of a section, or of a field of its entries. */
interface Kind {
  readonly pattern: Pattern;
  readonly field: Descriptor;
  readonly names: Omit<Child, 'plant'>;
}

const mostHints = 10;

interface Mention {
  readonly pattern: Pattern;
  readonly value: string;
  /** Positions in the lists on the way. */
  readonly at: readonly number[];
}

/** Every text that these patterns lead to. */
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
        // What an object has under a name, whatever it is.
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

/** Finds ids that are used twice, and references that lead nowhere. */
export function* wrongNames(codec: Codec, description: SeedDescription, seed: unknown): Generator<Problem> {
  const kinds = [...kindsIn(codec, description)];
  for (const noun of new Set(kinds.flatMap(({ names }) => names.noun ?? []))) {
    const sameNoun = kinds.filter(({ names }) => names.noun === noun);
    yield* repeatedNames(textsAt(seed, ...sameNoun.flatMap((kind) => inKind(codec, kind, 'id'))));
  }
  for (const kind of kinds) yield* repeatedNames(textsAt(seed, ...inKind(codec, kind, kind.names.unique)));
  for (const kind of kinds)
    for (const reference of referencesFrom(codec, kind, kinds)) yield* danglingReferences(seed, reference);
}

function* kindsIn(codec: Codec, { whole, sections }: SeedDescription): Generator<Kind> {
  const top: Kind = { pattern: '', field: whole, names: {} };
  for (const section of sections) {
    const [pattern = ''] = inKind(codec, top, section.name);
    const own = { pattern, field: section.entry, names: section };
    yield own;
    for (const [name, child] of Object.entries(section.children)) {
      const field = own.field.model!.shape[name]!;
      for (const pattern of inKind(codec, own, name)) yield { pattern, field: field.element ?? field, names: child };
    }
  }
}

/** The way to a field of every entry, and to every item of a list; none when there is no such field. */
function inKind(codec: Codec, { pattern, field }: Kind, name: string | undefined): Pattern[] {
  const own = name === undefined ? undefined : field.model?.shape[name];
  if (name === undefined || own === undefined) return [];
  const [wire] = codec.wireNames(name, own);
  return [[pattern, wire, own.kind === 'array' ? '*' : ''].filter((step) => step).join('.')];
}

function* referencesFrom(codec: Codec, from: Kind, kinds: readonly Kind[]): Generator<Reference> {
  for (const [name, to] of Object.entries(from.names.refersTo ?? {})) {
    const { noun, label, shared } =
      typeof to === 'string' ? { noun: to, label: to, shared: 0 } : { noun: to.sibling, label: to.label, shared: 1 };
    const targets = kinds.filter(({ names }) => names.noun === noun);
    const among = targets.flatMap((kind) => ['id', kind.names.alias].flatMap((field) => inKind(codec, kind, field)));
    for (const pattern of inKind(codec, from, name)) yield { from: pattern, to: label, among, shared };
  }
}

function* repeatedNames(mentions: readonly Mention[]): Generator<Problem> {
  const first = new Map<string, Mention>();
  for (const mention of mentions) {
    const other = first.get(mention.value);
    if (other) yield { path: pathOf(mention), message: `is taken; ${textOf(pathOf(other))} is the same` };
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
    // Beyond what is reported, a search for what was meant would only take time.
    const suggestion = count++ < mostHints ? nearest(mention.value, candidates) : undefined;
    const hint = suggestion ? `; did you mean ${suggestion}?` : candidates.size > 0 ? '' : '; none there has an id';
    yield { path: pathOf(mention), message: `names no ${to} of this seed${hint}` };
  }
}
