import * as z from 'zod/mini';
import { didYouMean } from '../../errors/nearest.js';
import { type Codec, expectationOf } from '../../service/describe/codec.js';
import type { AnyModel, Descriptor } from '../../service/describe/define.js';
import { isEmail } from './email-key.js';
import { idForm } from './pinned.js';
import { maxProblems, type RequestProblem } from './refusal.js';

/** The result of reading a request by its description: the value in callers' names, or what is wrong with it. */
export type ParseResult = { readonly value: unknown } | { readonly errors: readonly RequestProblem[] };

/** A body or query as it came: JSON, or texts from a form or query, not yet checked against a description. */
export interface Raw {
  readonly value: unknown;
  /** Whether the values are texts that stand for numbers, booleans and lists. */
  readonly texts: boolean;
}

type Schema = z.ZodMiniType;

/** What to do with fields that no description names. */
export type UnknownFields = 'ignore' | 'refuse';

/** The most unknown fields with a suggestion: each one takes a search. */
const maxHints = 10;

const required = 'is required';
const codes: Partial<Record<string, string>> = {
  invalid_type: 'invalid_type',
  invalid_union: 'invalid_type',
  invalid_value: 'invalid_value',
  too_big: 'out_of_range',
  too_small: 'out_of_range',
  unrecognized_keys: 'unknown_field',
};

const primitives: Readonly<Record<string, (wrong: { readonly error: string }) => Schema>> = {
  string: (wrong) => z.string(wrong),
  number: (wrong) => z.number(wrong),
  boolean: (wrong) => z.boolean(wrong),
  null: (wrong) => z.null(wrong),
};

/** Reads requests and seeds by their descriptions, under one codec's names. Schemas are built once. */
export class Parser {
  readonly #codec: Pick<Codec, 'readNames'>;
  readonly #unknownFields: UnknownFields;
  readonly #schemas = new WeakMap<Descriptor, Schema>();
  readonly #models = new WeakMap<AnyModel, { schema?: Schema }>();
  readonly #filters = new WeakMap<AnyModel, Descriptor>();
  #strict: Parser | undefined;

  constructor(codec: Pick<Codec, 'readNames'>, unknownFields: UnknownFields = 'ignore') {
    this.#codec = codec;
    this.#unknownFields = unknownFields;
  }

  /** One that refuses fields which no description names. */
  get strict(): Parser {
    this.#strict ??= new Parser(this.#codec, 'refuse');
    return this.#strict;
  }

  /** A body in callers' names. */
  body(field: Descriptor, raw: Raw): ParseResult {
    // No body at all is an empty one: what is missing in it is then named field by field.
    const value = raw.value === undefined && field.kind === 'model' ? {} : raw.value;
    return this.#parse(field, raw.texts ? this.#fromTexts(field, value, false) : value);
  }

  /** A query in callers' names; every filter may be left out, and an empty one counts as left out. */
  query(model: AnyModel, raw: Readonly<Record<string, unknown>>): ParseResult {
    let field = this.#filters.get(model);
    if (!field) {
      const shape: Record<string, Descriptor> = {};
      for (const key in model.shape) shape[key] = { ...model.shape[key]!, optional: true };
      // Only the descriptors are read, and they stay what they were.
      field = { kind: 'model', model: { name: null, shape } as unknown as AnyModel };
      this.#filters.set(model, field);
    }
    const filters = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== ''));
    return this.#parse(field, this.#fromTexts(field, filters, true));
  }

  #parse(field: Descriptor, value: unknown): ParseResult {
    const result = z.safeParse(this.schemaOf(field), value);
    if (result.success) return { value: result.data };
    return { errors: result.error.issues.flatMap((issue) => this.#problemsOf(field, issue)) };
  }

  #problemsOf(field: Descriptor, issue: z.core.$ZodIssue): RequestProblem[] {
    const { code, message } = issue;
    const path = issue.path.map(String);
    const problem = (at: readonly string[], text: string): RequestProblem => ({
      field: at.join('.'),
      code: message === required ? 'required' : (codes[code] ?? 'invalid_format'),
      message: text,
    });
    if (issue.code !== 'unrecognized_keys') return [problem(path, message)];
    const shape = path.length === 0 ? field.model?.shape : undefined;
    const known = Object.entries(shape ?? {}).flatMap(([key, own]) => this.#codec.readNames(key, own));
    return issue.keys.map((key, at) => {
      const hint = at < maxHints ? didYouMean(key, known) : '';
      return problem([...path, key], `is not known here${hint}`);
    });
  }

  /** The schema of a description: takes wire names, gives callers' names. */
  schemaOf(field: Descriptor): Schema {
    let schema = this.#schemas.get(field);
    if (!schema) {
      schema = this.#build(field);
      if (field.nullable) schema = z.nullable(schema);
      // An absent field that may be null reads as null, so it may be absent too.
      if (field.optional || field.nullable) schema = z.optional(schema);
      this.#schemas.set(field, schema);
    }
    return schema;
  }

  #build(field: Descriptor): Schema {
    const error = (issue: { readonly input?: unknown }): string =>
      issue.input === undefined ? required : `must be ${expectationOf(field)}`;
    switch (field.kind) {
      case 'string':
        if (field.closed) return z.enum([...field.known!], { error });
        if (!field.format) return z.string({ error });
        return z.string({ error }).check(z.refine(formats[field.format].fits, formats[field.format].message));
      case 'boolean':
        return z.boolean({ error });
      case 'number':
        return z.number({ error });
      case 'integer': {
        if (field.closed) return z.literal(field.known!.map(Number), { error });
        const integer = z.int({ error });
        return field.min === undefined
          ? integer
          : integer.check(z.minimum(field.min, { error }), z.maximum(field.max!, { error }));
      }
      case 'constant':
        return z.literal(field.constant!, { error });
      case 'array': {
        const array = z.array(z.unknown(), { error });
        const most = `must have at most ${field.max} entries`;
        const bounded = field.max === undefined ? array : array.check(z.maxLength(field.max, { error: most }));
        return z.pipe(bounded, z.transform(itemsOf(this.schemaOf(field.element!))));
      }
      case 'map':
        return this.#map(field, error);
      case 'model':
        return this.#model(field.model!, error);
      default:
        return field.optional || field.nullable
          ? z.unknown()
          : z.unknown().check(z.refine((v) => v !== undefined, required));
    }
  }

  #map(field: Descriptor, error: (issue: { readonly input?: unknown }) => string): Schema {
    const { values, bounds } = field;
    const record = z.record(z.string(), z.unknown(), { error });
    if (!values) return record;
    const wrong = { error: `must be a ${values.join(' or ')}` };
    const value = z.union(
      values.map((type) => primitives[type]!(wrong)),
      wrong,
    );
    const map = z.pipe(record, z.transform(valuesOf(value)));
    if (!bounds) return map;
    return map.check(
      z.refine((own) => Object.keys(own).length <= bounds.keys, `must have at most ${bounds.keys} keys`),
      z.refine(
        (own) => Object.keys(own).every((key) => key.length <= bounds.keyLength),
        `must have keys of at most ${bounds.keyLength} characters`,
      ),
      z.refine(
        (own) => Object.values(own).every((item) => String(item).length <= bounds.valueLength),
        `must have values of at most ${bounds.valueLength} characters`,
      ),
    );
  }

  #model(model: AnyModel, error: (issue: { readonly input?: unknown }) => string): Schema {
    const entry = this.#models.get(model);
    if (entry?.schema) return entry.schema;
    // A model that holds itself: looked up when the first value arrives.
    if (entry) return z.lazy(() => entry.schema!);
    const own: { schema?: Schema } = {};
    this.#models.set(model, own);
    const shape: Record<string, Schema> = {};
    const names: (readonly [key: string, wire: string])[] = [];
    const others: (readonly [wire: string, other: string])[] = [];
    for (const [key, field] of Object.entries(model.shape)) {
      const [wire, ...rest] = this.#codec.readNames(key, field);
      shape[wire!] = this.schemaOf(field);
      names.push([key, wire!]);
      for (const other of rest) others.push([wire!, other]);
    }
    const object = this.#unknownFields === 'refuse' ? z.strictObject(shape, { error }) : z.object(shape, { error });
    const renamed = z.pipe(
      object,
      z.transform((value: Record<string, unknown>) => {
        const out: Record<string, unknown> = {};
        for (const [key, wire] of names) if (value[wire] !== undefined) out[key] = value[wire];
        return out;
      }),
    );
    own.schema = others.length === 0 ? renamed : z.pipe(z.transform(underOneName(others)), renamed);
    return own.schema;
  }

  /** The JSON that a form stands for, by the description of the body. */
  fromForm(field: Descriptor, texts: Readonly<Record<string, string>>): unknown {
    return this.#fromTexts(field, texts, false);
  }

  /** Texts turned into what the description asks for; what does not fit is left for the schema to complain about. */
  #fromTexts(field: Descriptor, value: unknown, commas: boolean): unknown {
    if (field.kind === 'array') return this.#listFromTexts(field, value, commas);
    if (isTree(value)) {
      if (field.kind === 'map' || field.kind === 'tagged' || field.kind === 'unknown') return { ...value };
      // Under one name came several values; the last one holds.
      if (field.kind !== 'model') return this.#fromTexts(field, Object.values(value).at(-1), commas);
      const out: Record<string, unknown> = {};
      for (const [key, own] of Object.entries(field.model!.shape))
        for (const wire of this.#codec.readNames(key, own))
          if (value[wire] !== undefined) out[wire] = this.#fromTexts(own, value[wire], commas);
      return out;
    }
    if (typeof value !== 'string') return value;
    if (field.kind === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
    const isNumber = field.kind === 'integer' || field.kind === 'number';
    return isNumber && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  }

  #listFromTexts(field: Descriptor, value: unknown, commas: boolean): unknown {
    const items = isTree(value) ? Object.values(value) : [value];
    const split = commas ? items.flatMap((item) => (typeof item === 'string' ? item.split(',') : [item])) : items;
    return split.filter((item) => item !== '').map((item) => this.#fromTexts(field.element!, item, commas));
  }
}

type Issues = z.core.ParsePayload['issues'];

/** Check an entry of a list or map, and add its issues to the others. */
function entryOf(schema: Schema, at: string | number, entry: unknown, issues: Issues): unknown {
  const result = z.safeParse(schema, entry);
  if (result.success) return result.data;
  // An issue is finished, so that it only needs its place in the list or map.
  for (const issue of result.error.issues)
    issues.push({ ...issue, path: [at, ...issue.path], input: entry } as Issues[number]);
  return undefined;
}

// Lists and maps of zod check every entry, and pass the issues on as arguments of a call: too many entries break it.

/** Check the items of a list, until more are wrong than an answer names. */
const itemsOf =
  (schema: Schema) =>
  (items: unknown[], { issues }: { readonly issues: Issues }): unknown[] => {
    const read: unknown[] = [];
    for (let at = 0; at < items.length && issues.length <= maxProblems; at++)
      read.push(entryOf(schema, at, items[at], issues));
    return read;
  };

/** Check the values of a map, until more are wrong than an answer names. */
const valuesOf =
  (schema: Schema) =>
  (map: Record<string, unknown>, { issues }: { readonly issues: Issues }): Record<string, unknown> => {
    for (const [key, value] of Object.entries(map)) {
      if (issues.length > maxProblems) break;
      entryOf(schema, key, value, issues);
    }
    return map;
  };

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Move what came under another dialect's name to the name the schema knows. */
const underOneName =
  (others: readonly (readonly [wire: string, other: string])[]) =>
  (value: unknown): unknown => {
    if (!isTree(value) || Array.isArray(value) || !others.some(([, other]) => other in value)) return value;
    const out = { ...value };
    for (const [wire, other] of others) {
      if (out[wire] === undefined && out[other] !== undefined) out[wire] = out[other];
      delete out[other];
    }
    return out;
  };

const isUrl = (text: string): boolean => {
  try {
    return /^https?:$/.test(new URL(text).protocol) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  } catch {
    return false;
  }
};

/** What a text of each format must be. */
export const formats: Readonly<
  Record<NonNullable<Descriptor['format']>, { readonly fits: (text: string) => boolean; readonly message: string }>
> = {
  timestamp: {
    // Years beyond 9999 have a sign and six digits.
    fits: (text) =>
      /^(?:\d{4}|[+-]\d{6})-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/.test(text) && !Number.isNaN(Date.parse(text)),
    message: 'must be an ISO 8601 timestamp',
  },
  url: { fits: isUrl, message: 'must be an absolute URL' },
  email: { fits: isEmail, message: 'must be an email address' },
  id: { fits: (text) => idForm.test(text), message: 'must be made of letters, digits, _, -, . and ~' },
};
