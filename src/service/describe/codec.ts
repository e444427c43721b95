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

/** How a field is read and written. */
export interface Step {
  readonly key: string;
  readonly wire: string;
  /** Wire names under which the value is written. */
  readonly written: readonly string[];
  /** Other wire names under which the value may arrive. */
  readonly others: readonly string[] | undefined;
  /** The typeof a value must have; empty where `read` decides. */
  readonly type: string;
  readonly read: Read;
  /** Whether an answer without it is refused. */
  readonly essential: boolean;
  readonly descriptor: Descriptor;
}

/** How a model is read and written. */
export interface Plan {
  /** Makes the plain objects of a model: engines keep the fields of what one constructor makes side by side, which `{}` does not get. */
  readonly Plain: new () => Record<string, Json>;
  readonly steps: readonly Step[];
  /** Names that a field not described must not have: the described ones, on the wire and as callers see them. */
  readonly reserved: ReadonlySet<string>;
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What kind of thing a value is, in the words of a message; never the value itself. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** Whether a value is an object and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const within = (error: unknown, step: string | number): unknown => {
  if (error instanceof Mismatch) error.path.unshift(step);
  return error;
};

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
  const noun = nouns[field.kind] ?? field.kind;
  return `${/^[aio]/.test(noun) ? 'an' : 'a'} ${noun}`;
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
    const reserved = new Set<string>(['__proto__']);
    const add = (key: string, descriptor: Descriptor) => {
      const names = this.readNames(key, descriptor);
      for (const name of [key, ...names]) reserved.add(name);
      if (descriptor.kind === 'tagged') reserved.add('problem');
      const plain = descriptor.kind === 'string' || descriptor.kind === 'boolean' || descriptor.kind === 'number';
      steps.push({
        key,
        wire: names[0]!,
        written: this.wireNames(key, descriptor),
        others: names.length > 1 ? names.slice(1) : undefined,
        type: plain ? descriptor.kind : '',
        // Readers are made on first use: models may refer to each other.
        read: plain ? fail(descriptor) : lazy(() => this.#reader(descriptor)),
        essential: isEssential(key, descriptor),
        descriptor,
      });
    };
    if (model.name !== null) add('object', { kind: 'constant', constant: model.name });
    for (const key in model.shape) add(key, model.shape[key]!);
    const Plain = function Plain() {};
    Plain.prototype = Object.prototype;
    // A plain function is a constructor too; the compiler wants a class.
    plan = { steps, reserved, Plain: Plain as unknown as Plan['Plain'] };
    this.#plans.set(model, plan);
    return plan;
  }

  #reader(field: Descriptor): Read {
    switch (field.kind) {
      case 'model': {
        const plan = this.plan(field.model!);
        return (value) => readObject(plan, value, (step, siblings, out) => this.#readTagged(step, siblings, out));
      }
      case 'array': {
        const element = field.element!;
        const read = this.#reader(element);
        return (value) => {
          if (!Array.isArray(value)) throw new Mismatch('an array', kindOfValue(value));
          const items: Json[] = new Array(value.length);
          for (let i = 0; i < value.length; i++) {
            try {
              items[i] = read(value[i]);
            } catch (error) {
              throw within(error, i);
            }
          }
          return items;
        };
      }
      case 'integer':
        return (value) => (Number.isInteger(value) ? value : fail(field)(value));
      case 'constant':
        return (value) => (value === field.constant ? value : fail(field)(value));
      case 'unknown':
        return (value) => value;
      case 'map':
      case 'tagged':
        return readOpaque;
      default:
        return (value) => (typeof value === field.kind ? value : fail(field)(value));
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

function readObject(
  plan: Plan,
  value: Json,
  readTagged: (step: Step, siblings: Record<string, Json>, out: Record<string, Json>) => Json,
): Json {
  if (!isObject(value)) throw new Mismatch('an object', kindOfValue(value));
  const { steps, Plain } = plan;
  const out = new Plain();
  let found = 0;
  let key = '';
  try {
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!;
      key = step.wire;
      let own = value[key];
      if (own !== undefined) found++;
      if (step.others)
        for (const other of step.others) {
          if (value[other] === undefined) continue;
          found++;
          if (own !== undefined && own !== null) continue;
          own = value[other];
          key = other;
        }
      const field = step.descriptor;
      // `type` holds a typeof result, computed once per model.
      if (typeof own === step.type) out[step.key] = own;
      else if (field.kind === 'tagged') out[step.key] = readTagged(step, value, out);
      else if (own === undefined) {
        if (step.essential && !(field.unless && value[field.unless]))
          throw new Mismatch(expectationOf(field), 'missing');
        if (field.kind === 'constant') out[step.key] = field.constant;
        else if (field.nullable && !field.optional) out[step.key] = null;
      } else if (own === null && field.nullable) out[step.key] = null;
      else out[step.key] = step.read(own);
    }
  } catch (error) {
    throw within(error, key);
  }
  let keys = 0;
  for (const _ in value) keys++;
  if (keys !== found) keepUnknown(plan, value, out);
  return out;
}

function keepUnknown(plan: Plan, value: Record<string, Json>, out: Record<string, Json>): void {
  for (const key of Object.keys(value)) if (!plan.reserved.has(key)) out[key] = value[key];
}

const readOpaque: Read = (value) => {
  if (!isObject(value)) throw new Mismatch('an object', kindOfValue(value));
  return value;
};

const fail =
  (field: Descriptor): Read =>
  (value) => {
    const isOther = field.kind === 'constant' && typeof value === 'string';
    throw new Mismatch(expectationOf(field), isOther ? 'another string' : kindOfValue(value));
  };

const lazy = (make: () => Read): Read => {
  let read: Read | undefined;
  return (value) => {
    read ??= make();
    return read(value);
  };
};
