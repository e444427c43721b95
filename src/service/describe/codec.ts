import type { AnyModel, Descriptor } from './define.js';
import { type Dialect, namesOf, readNamesOf } from './dialect.js';

/** Append a field name or list index to a path, such as `data[3].domains`. */
export const join = (at: string, key: string | number): string =>
  typeof key === 'number' ? `${at}[${key}]` : at ? `${at}.${key}` : key;

/** A value that does not match its description, with the path to it. */
export class Mismatch extends Error {
  declare readonly path: (string | number)[];
  constructor(
    /** What the description requires, such as `a string`. */
    readonly expected: string,
    /** Kind of the actual value, such as `a number`, `null` or `missing`. Never the value itself. */
    readonly found: string,
    path: (string | number)[] = [],
  ) {
    super(`expected ${expected}, found ${found}`);
    this.path = path;
  }
  /** The path as text, such as `data[3].domains[0].state`. */
  get at(): string {
    return this.path.reduce<string>(join, '');
  }
  /** Describe the mismatch in a sentence. @param whole Subject of the sentence if the whole value is wrong. */
  problem(whole: string): string {
    return `${this.at ? `The field ${this.at}` : whole} must be ${this.expected}, but is ${this.found}`;
  }
}

type Json = unknown;
type Read = (value: Json) => Json;

/** How to read a field under one of its wire names, and how to write it. */
export interface FieldPlan {
  readonly key: string;
  readonly wire: string;
  /** Wire names that are read; the first one with a value wins. */
  readonly names: readonly string[];
  /** Wire names that are written. */
  readonly writtenNames: readonly string[];
  readonly descriptor: Descriptor;
  /** Kind of the field, or undefined for an alternative wire name. */
  readonly kind: Descriptor['kind'] | undefined;
  /** 1 if the model requires the field, otherwise 0. */
  readonly required: number;
  /** Whether null counts as missing. */
  readonly ignoresNull: boolean;
  /** Index of the key's assignment in `store`, if it has one. */
  readonly slot: number | undefined;
  /** Created on first use, because models may refer to each other. */
  read: Read | undefined;
  /** The field that followed in the last object. A service always sends the fields of a resource in the same order. */
  next: FieldPlan | undefined;
}

/** How to read and write a model. */
export interface Plan {
  /**
   * Constructor of the model's plain objects. Engines store the fields of one constructor's objects inline, unlike
   * those of `{}`.
   */
  readonly Plain: new () => Record<string, Json>;
  /** One plan per field, in the order of the description. */
  readonly fieldPlans: readonly FieldPlan[];
  /** Field plans by wire name, alternative names included. `null` marks names that an undescribed field must not overwrite. */
  readonly byWireName: ReadonlyMap<string, FieldPlan | null>;
  /** Its `next` is the field that came first in the last object. */
  readonly start: Pick<FieldPlan, 'next'>;
  /** Number of required fields. If fewer arrive, `#complete` handles the missing ones. */
  readonly requiredCount: number;
}

/** Return the default wire name of a field. */
export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const withArticle = (noun: string): string => `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** Return the class of a built-in object, such as `Map` or `URLSearchParams`, also of another realm; `Object` for other objects. */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** Describe the kind of a value for a message. Never contains the value itself. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  const tag = typeof value === 'object' && !Array.isArray(value) ? tagOf(value) : 'Object';
  return withArticle(tag !== 'Object' ? tag : Array.isArray(value) ? 'array' : typeof value);
}

/** Check that a value is an object and not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const atPath = (error: unknown, key: string | number): unknown => {
  if (error instanceof Mismatch) error.path.unshift(key);
  return error;
};

/** Check that a value has the kind of a field. */
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

/** Names of internal kinds in messages. */
const nouns: { readonly [Kind in Descriptor['kind']]?: string } = {
  unknown: 'value',
  map: 'object',
  model: 'object',
  tagged: 'object',
};

/** Describe the values that a field accepts, for a message. */
export const expectationOf = (field: Descriptor): string => {
  if (field.kind === 'constant') return `"${field.constant}"`;
  if (field.closed && field.known) return `one of ${field.known.join(', ')}`;
  if (field.kind === 'integer' && field.min !== undefined) return `an integer from ${field.min} to ${field.max}`;
  return withArticle(nouns[field.kind] ?? field.kind);
};

/**
 * Check whether a response without the field is rejected, which applies to ids, secrets and essential fields. Other
 * missing fields are undefined, or null if the field is nullable.
 */
export const isEssential = (key: string, { optional, nullable, secret, essential }: Descriptor): boolean =>
  !optional && !nullable && (key === 'id' || secret === true || essential === true);

/** Check whether null in a response counts as missing. Otherwise it is a value, or rejected: in ids, and in fields that decide. */
export const ignoresNull = (key: string, field: Descriptor): boolean =>
  !field.nullable && !field.decisive && !key.endsWith('Id') && !isEssential(key, field);

/**
 * Converts between wire bodies and the values that callers see, in one dialect.
 *
 * The keys of a model are renamed. The keys of a map belong to callers or providers and are never renamed, at any
 * depth. Fields that are not described are kept as received.
 */
export class Codec<D extends Dialect = Dialect> {
  readonly #plans = new WeakMap<AnyModel, Plan>();
  constructor(readonly dialect: D) {}

  /** Convert a wire value to what callers see, and check the type of every known field. @throws {Mismatch} */
  decode(descriptor: Descriptor, value: Json): Json {
    return this.#reader(descriptor)(value);
  }

  /** Convert a caller's value to its wire form. Fields that are not described are sent unchanged. */
  encode(descriptor: Descriptor, value: Json): Json {
    return this.#write(descriptor, value);
  }

  /** Return the wire names of a field that this dialect writes. */
  wireNames(key: string, field: Descriptor): readonly string[] {
    return field.varies ? namesOf(this.dialect, field.varies) : [field.wireName ?? snakeCase(key)];
  }

  /** Return all wire names of a field that are accepted. */
  readNames(key: string, field: Descriptor): readonly string[] {
    return field.varies ? readNamesOf(this.dialect, field.varies) : this.wireNames(key, field);
  }

  /** Return the plan of a model, which is created once. */
  plan(model: AnyModel): Plan {
    let plan = this.#plans.get(model);
    if (plan) return plan;
    const fieldPlans: FieldPlan[] = [];
    // Assigning to `__proto__` would change the prototype.
    const byWireName = new Map<string, FieldPlan | null>([['__proto__', null]]);
    let requiredCount = 0;
    const add = (key: string, descriptor: Descriptor) => {
      const names = this.readNames(key, descriptor);
      const isTagged = descriptor.kind === 'tagged';
      const required = descriptor.optional ? 0 : 1;
      requiredCount += required;
      for (const name of isTagged ? [key, 'problem'] : [key]) if (!byWireName.has(name)) byWireName.set(name, null);
      for (const wire of names) {
        const isFirst = wire === names[0];
        const fieldPlan: FieldPlan = {
          key,
          wire,
          names,
          writtenNames: this.wireNames(key, descriptor),
          descriptor,
          kind: isFirst ? descriptor.kind : undefined,
          required: isFirst && !isTagged ? required : 0,
          ignoresNull: !isTagged && descriptor.kind !== 'unknown' && ignoresNull(key, descriptor),
          slot: slotOf(key),
          read: undefined,
          next: undefined,
        };
        byWireName.set(wire, fieldPlan);
        if (isFirst) fieldPlans.push(fieldPlan);
      }
    };
    if (model.name !== null) add('object', { kind: 'constant', constant: model.name });
    for (const key in model.shape) add(key, model.shape[key]!);
    const Plain = function Plain() {};
    Plain.prototype = Object.prototype;
    // A plain function is a constructor too, but TypeScript expects a class.
    const PlainClass = Plain as unknown as Plan['Plain'];
    plan = { fieldPlans, byWireName, start: { next: undefined }, requiredCount, Plain: PlainClass };
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
            throw atPath(error, i);
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

  /** Read an object. Its fields keep the order of the wire. */
  #readObject(plan: Plan, value: Json): Json {
    if (!isObject(value)) throw new Mismatch('an object', kindOfValue(value));
    const out = new plan.Plain();
    let previous: Pick<FieldPlan, 'next'> = plan.start;
    let { requiredCount } = plan;
    let hasUnknown = false;
    let at = '';
    try {
      for (const name in value) {
        let next = previous.next;
        if (next?.wire !== name) {
          const known = plan.byWireName.get(name);
          if (!known) {
            if (known !== null) hasUnknown = true;
            continue;
          }
          previous.next = next = known;
        }
        previous = next;
        const fieldValue = value[name];
        if (isAsDescribed(next, fieldValue)) store(out, next, fieldValue);
        else if (fieldValue === undefined || (fieldValue === null && next.ignoresNull)) continue;
        else {
          at = name;
          this.#readOther(next, fieldValue, value, out);
        }
        requiredCount -= next.required;
      }
    } catch (error) {
      throw atPath(error, at);
    }
    if (requiredCount > 0) this.#complete(plan, value, out);
    if (hasUnknown) keepUnknown(plan, value, out);
    return out;
  }

  /** Read a field that is not a plain value: it is nested, null, invalid, or arrived under an alternative name. */
  #readOther(fieldPlan: FieldPlan, fieldValue: Json, siblings: Record<string, Json>, out: Record<string, Json>): void {
    const { key, wire, names, descriptor } = fieldPlan;
    if (names.length > 1 && (names.find((name) => (siblings[name] ?? null) !== null) ?? wire) !== wire) return;
    // Its description depends on a sibling, which may come later.
    if (descriptor.kind === 'tagged') out[key] = fieldValue;
    else if (fieldValue === null && descriptor.nullable) store(out, fieldPlan, null);
    else {
      fieldPlan.read ??= this.#reader(descriptor);
      store(out, fieldPlan, fieldPlan.read(fieldValue));
    }
  }

  /** Handle missing fields, and fields that depend on a sibling. */
  #complete({ fieldPlans }: Plan, value: Record<string, Json>, out: Record<string, Json>): void {
    for (const fieldPlan of fieldPlans) {
      const { key, wire, descriptor: field } = fieldPlan;
      if (field.kind === 'tagged') out[key] = this.#readTagged(fieldPlan, value, out);
      else if (out[key] !== undefined) continue;
      else if (isEssential(key, field)) throw new Mismatch(expectationOf(field), 'missing', [wire]);
      else if (field.kind === 'constant') out[key] = field.constant;
      else if (field.nullable && !field.optional) out[key] = null;
    }
  }

  /** Read a tagged field. A value that does not match is kept as received, and the sibling becomes `unknown`. */
  #readTagged({ key, wire, descriptor }: FieldPlan, siblings: Record<string, Json>, out: Record<string, Json>): Json {
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
    const modelKeys = new Set<string>(['__proto__']);
    for (const { key, descriptor, writtenNames } of this.plan(field.model!).fieldPlans) {
      modelKeys.add(key);
      const fieldValue = value[key];
      if (fieldValue !== undefined) for (const name of writtenNames) out[name] = this.#write(descriptor, fieldValue);
    }
    for (const key of Object.keys(value)) if (!modelKeys.has(key) && !Object.hasOwn(out, key)) out[key] = value[key];
    return out;
  }
}

/** The same check for the most common kinds, small enough for engines to inline into the loop. */
function isAsDescribed({ kind, descriptor }: FieldPlan, value: Json): boolean {
  switch (kind) {
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

const slots = new Map<string, number>();
/** Return the index of a key's assignment in `store`. Only the first 16 keys have one. */
function slotOf(key: string): number | undefined {
  if (!slots.has(key) && slots.size < 16) slots.set(key, slots.size);
  return slots.get(key);
}

/**
 * Set a field. Engines optimize each assignment for the key it stores, and are twice as fast if that key is always the
 * same, so each of the first 16 keys has a separate assignment.
 */
function store(out: Record<string, Json>, { key, slot }: FieldPlan, value: Json): void {
  // biome-ignore format: one assignment per line.
  switch (slot) {
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
  for (const key of Object.keys(value)) if (!plan.byWireName.has(key)) out[key] = value[key];
}

const mismatch = (field: Descriptor, value: Json): Mismatch => {
  const isOtherText = field.kind === 'constant' && typeof value === 'string';
  return new Mismatch(expectationOf(field), isOtherText ? 'another string' : kindOfValue(value));
};
