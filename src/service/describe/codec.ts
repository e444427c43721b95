import type { AnyModel, Descriptor } from './define.js';
import { type Dialect, namesOf, readNamesOf } from './dialect.js';

/** The path to a field of an object or an entry of a list, `data[3].domains`. */
export const join = (at: string, key: string | number): string =>
  typeof key === 'number' ? `${at}[${key}]` : at ? `${at}.${key}` : key;

/** A value that is not what the description says, with the path to it. */
export class Mismatch extends Error {
  declare readonly path: (string | number)[];
  constructor(
    /** What the description asks for, `a string`. */
    readonly expected: string,
    /** What stands there, by kind only: `number`, `null`, `missing`. Never the value. */
    readonly found: string,
    path: (string | number)[] = [],
  ) {
    super(`expected ${expected}, found ${found}`);
    this.path = path;
  }
  /** `data[3].domains[0].state` */
  get at(): string {
    return this.path.reduce<string>(join, '');
  }
  /** What is wrong, as a sentence. @param whole What the value is called where it is wrong as a whole. */
  problem(whole: string): string {
    return `${this.at ? `The field ${this.at}` : whole} must be ${this.expected} and is ${this.found}`;
  }
}

type Json = unknown;
type Read = (value: Json) => Json;

/** How a field is read under one of its wire names, and how it is written. */
export interface Step {
  readonly key: string;
  readonly wire: string;
  /** Wire names under which the value may arrive; the first one that has a value counts. */
  readonly names: readonly string[];
  /** Wire names under which the value is written. */
  readonly written: readonly string[];
  readonly descriptor: Descriptor;
  /** The kind of a value that is taken as it is once its type is right; `undefined` where there is more to it. */
  readonly plain: Descriptor['kind'] | undefined;
  /** 1 where it is one of those that the model needs, otherwise 0. */
  readonly counts: number;
  /** Where `store` has a place for the key. */
  readonly place: number | undefined;
  /** Made at its first use: models may refer to each other. */
  read: Read | undefined;
  /** What came after it last time: a service sends the fields of a resource in the same order again and again. */
  next: Step | undefined;
}

/** How a model is read and written. */
export interface Plan {
  /** Makes the plain objects of a model: engines keep the fields of what one constructor makes side by side, which `{}` does not get. */
  readonly Plain: new () => Record<string, Json>;
  /** One for each field, in the order of the description. */
  readonly steps: readonly Step[];
  /**
   * The same, and those for other names, by the name that arrives; null for names that a field not described must not have: those
   * that callers see.
   */
  readonly arriving: ReadonlyMap<string, Step | null>;
  /** What came first last time is its `next`. */
  readonly start: Pick<Step, 'next'>;
  /** How many fields must come, or what is missing is looked at. */
  readonly needed: number;
}

/** The name on the wire of a field that has no other. */
export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const withArticle = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** What kind of thing a value is, in the words of a message; never the value itself. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const within = (error: unknown, step: string | number): unknown => {
  if (error instanceof Mismatch) error.path.unshift(step);
  return error;
};

/** Whether a value is of the kind that a field asks for. */
export function isOfKind(field: Descriptor, value: unknown): boolean {
  const { kind } = field;
  switch (kind) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
    case 'number':
      return typeof value === kind;
    case 'integer':
      return Number.isInteger(value);
    case 'constant':
      return value === field.constant;
    case 'array':
      return Array.isArray(value);
    case 'unknown':
      return true;
    default:
      return isObject(value);
  }
}

/** What a message calls the kinds that callers have no word for. */
const nouns: { readonly [Kind in Descriptor['kind']]?: string } = {
  unknown: 'value',
  map: 'object',
  model: 'object',
  tagged: 'object',
};

/** What a field asks for, in the words of a message. */
export const expectationOf = (field: Descriptor): string => {
  if (field.kind === 'constant') return `"${field.constant}"`;
  if (field.closed && field.known) return `one of ${field.known.join(', ')}`;
  if (field.kind === 'integer' && field.min !== undefined) return `an integer from ${field.min} to ${field.max}`;
  return withArticle(nouns[field.kind] ?? field.kind);
};

/**
 * Whether an answer without the field is refused: ids, secrets, and what the description calls essential. What else is missing
 * is undefined, or null where the field may be null.
 */
export const isEssential = (key: string, { optional, nullable, secret, essential }: Descriptor): boolean =>
  !optional && !nullable && (key === 'id' || secret === true || essential === true);

/**
 * Turns wire bodies into what callers see and back, under one dialect.
 *
 * One rule decides about names: the keys of a model are ours and are renamed; the keys of a map belong to somebody else
 * and are not, at any depth. Fields the description does not know are kept as they came.
 */
export class Codec {
  readonly #plans = new WeakMap<AnyModel, Plan>();
  constructor(readonly dialect: Dialect) {}

  /** A wire value as callers see it; the type of every known field that is there is checked on the way. @throws {Mismatch} */
  decode(descriptor: Descriptor, value: Json): Json {
    return this.#reader(descriptor)(value);
  }

  /** A caller's value as the wire has it; fields the description does not know are sent as they are. */
  encode(descriptor: Descriptor, value: Json): Json {
    return this.#write(descriptor, value);
  }

  /** Wire names of a field, the ones this dialect writes. */
  wireNames(key: string, field: Descriptor): readonly string[] {
    return field.varies ? namesOf(this.dialect, field.varies) : [field.wireName ?? snakeCase(key)];
  }

  /** Every wire name under which a field is accepted. */
  readNames(key: string, field: Descriptor): readonly string[] {
    return field.varies ? readNamesOf(this.dialect, field.varies) : this.wireNames(key, field);
  }

  /** How a model is read and written, worked out once. */
  plan(model: AnyModel): Plan {
    let plan = this.#plans.get(model);
    if (plan) return plan;
    const steps: Step[] = [];
    // Assigning to this one would change the prototype.
    const arriving = new Map<string, Step | null>([['__proto__', null]]);
    let needed = 0;
    const add = (key: string, descriptor: Descriptor) => {
      const names = this.readNames(key, descriptor);
      const isTagged = descriptor.kind === 'tagged';
      const counts = descriptor.optional ? 0 : 1;
      needed += counts;
      for (const name of isTagged ? [key, 'problem'] : [key]) if (!arriving.has(name)) arriving.set(name, null);
      for (const wire of names) {
        const isFirst = wire === names[0];
        const step: Step = {
          key,
          wire,
          names,
          written: this.wireNames(key, descriptor),
          descriptor,
          plain: isFirst ? descriptor.kind : undefined,
          counts: isFirst && !isTagged ? counts : 0,
          place: placeOf(key),
          read: undefined,
          next: undefined,
        };
        arriving.set(wire, step);
        if (isFirst) steps.push(step);
      }
    };
    if (model.name !== null) add('object', { kind: 'constant', constant: model.name });
    for (const key in model.shape) add(key, model.shape[key]!);
    const Plain = function Plain() {};
    Plain.prototype = Object.prototype;
    // A plain function is a constructor too; the compiler wants a class.
    plan = { steps, arriving, start: { next: undefined }, needed, Plain: Plain as unknown as Plan['Plain'] };
    this.#plans.set(model, plan);
    return plan;
  }

  #reader(field: Descriptor): Read {
    switch (field.kind) {
      case 'model': {
        const plan = this.plan(field.model!);
        return (value) => this.#readObject(plan, value);
      }
      case 'array': {
        const read = this.#reader(field.element!);
        return (value) => {
          if (!Array.isArray(value)) throw mismatch(field, value);
          const items: Json[] = new Array(value.length);
          let i = 0;
          try {
            for (; i < value.length; i++) items[i] = read(value[i]);
          } catch (error) {
            throw within(error, i);
          }
          return items;
        };
      }
      default:
        return (value) => {
          if (!isOfKind(field, value)) throw mismatch(field, value);
          return value;
        };
    }
  }

  /** An object with its fields in the order in which they came. */
  #readObject(plan: Plan, value: Json): Json {
    if (!isObject(value)) throw new Mismatch('an object', kindOfValue(value));
    const out = new plan.Plain();
    let step: Pick<Step, 'next'> = plan.start;
    let { needed } = plan;
    let hasUnknown = false;
    let at = '';
    try {
      for (const name in value) {
        let next = step.next;
        if (next?.wire !== name) {
          const known = plan.arriving.get(name);
          if (!known) {
            if (known !== null) hasUnknown = true;
            continue;
          }
          step.next = next = known;
        }
        step = next;
        const own = value[name];
        if (isAsDescribed(next, own)) store(out, next, own);
        else if (own === undefined) continue;
        else {
          at = name;
          this.#readOther(next, own, value, out);
        }
        needed -= next.counts;
      }
    } catch (error) {
      throw within(error, at);
    }
    if (needed > 0) this.#complete(plan, value, out);
    if (hasUnknown) keepUnknown(plan, value, out);
    return out;
  }

  /** A field that is more than a plain value, may be null, is wrong, or has come under another of its names. */
  #readOther(step: Step, own: Json, siblings: Record<string, Json>, out: Record<string, Json>): void {
    const { key, wire, names, descriptor } = step;
    if (names.length > 1 && (names.find((name) => (siblings[name] ?? null) !== null) ?? wire) !== wire) return;
    // What it holds depends on a sibling, which may come later.
    if (descriptor.kind === 'tagged') out[key] = own;
    else if (own === null && descriptor.nullable) store(out, step, null);
    else {
      step.read ??= this.#reader(descriptor);
      store(out, step, step.read(own));
    }
  }

  /** Sees to what is missing, and to what depends on a sibling. */
  #complete({ steps }: Plan, value: Record<string, Json>, out: Record<string, Json>): void {
    for (const step of steps) {
      const { key, wire, descriptor: field } = step;
      if (field.kind === 'tagged') out[key] = this.#readTagged(step, value, out);
      else if (out[key] !== undefined) continue;
      else if (isEssential(key, field) && !(field.unless && value[field.unless]))
        throw new Mismatch(expectationOf(field), 'missing', [wire]);
      else if (field.kind === 'constant') out[key] = field.constant;
      else if (field.nullable && !field.optional) out[key] = null;
    }
  }

  /** What a tagged field holds. What does not fit is kept as it came, and the sibling no longer names a description. */
  #readTagged({ key, wire, descriptor }: Step, siblings: Record<string, Json>, out: Record<string, Json>): Json {
    const { by, fields } = descriptor.tag!;
    const name = siblings[by];
    const value = siblings[wire];
    const described = typeof name === 'string' && Object.hasOwn(fields, name) ? fields[name] : undefined;
    try {
      return this.decode(described ?? { kind: 'map' }, value);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      error.path.unshift(wire);
      Object.assign(out, { [by]: 'unknown', problem: { [by]: name, message: error.problem(key) } });
      return value;
    }
  }

  #write(field: Descriptor, value: Json): Json {
    if (field.kind === 'array' && Array.isArray(value)) return value.map((item) => this.#write(field.element!, item));
    if (field.kind !== 'model' || !isObject(value)) return value;
    const out: Record<string, Json> = {};
    const ours = new Set<string>(['__proto__']);
    for (const { key, descriptor, written } of this.plan(field.model!).steps) {
      ours.add(key);
      const own = value[key];
      if (own !== undefined) for (const name of written) out[name] = this.#write(descriptor, own);
    }
    for (const key of Object.keys(value)) if (!ours.has(key) && !Object.hasOwn(out, key)) out[key] = value[key];
    return out;
  }
}

/** The same for the kinds that most fields have, which engines can put in its place in the loop. */
function isAsDescribed({ plain, descriptor }: Step, value: Json): boolean {
  switch (plain) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'map':
      return isObject(value);
    case 'constant':
      return value === descriptor.constant;
    default:
      return false;
  }
}

const places = new Map<string, number>();
/** The place that `store` has for a key: those that are described first have one. */
function placeOf(key: string): number | undefined {
  if (!places.has(key) && places.size < 16) places.set(key, places.size);
  return places.get(key);
}

/**
 * Sets a field. An engine learns at each place of the code which key is stored there, and is twice as quick where it is always the
 * same one; hence a place for each of the first keys.
 */
function store(out: Record<string, Json>, { key, place }: Step, value: Json): void {
  // biome-ignore format: A place is a line.
  switch (place) {
    case 0: out[key] = value; break;
    case 1: out[key] = value; break;
    case 2: out[key] = value; break;
    case 3: out[key] = value; break;
    case 4: out[key] = value; break;
    case 5: out[key] = value; break;
    case 6: out[key] = value; break;
    case 7: out[key] = value; break;
    case 8: out[key] = value; break;
    case 9: out[key] = value; break;
    case 10: out[key] = value; break;
    case 11: out[key] = value; break;
    case 12: out[key] = value; break;
    case 13: out[key] = value; break;
    case 14: out[key] = value; break;
    case 15: out[key] = value; break;
    default: out[key] = value;
  }
}

function keepUnknown(plan: Plan, value: Record<string, Json>, out: Record<string, Json>): void {
  for (const key of Object.keys(value)) if (!plan.arriving.has(key)) out[key] = value[key];
}

const mismatch = (field: Descriptor, value: Json): Mismatch => {
  const isOther = field.kind === 'constant' && typeof value === 'string';
  return new Mismatch(expectationOf(field), isOther ? 'another string' : kindOfValue(value));
};
