import * as z from 'zod/mini';
import { didYouMean } from '../../errors/nearest.js';
import { getOrCreate } from '../../http/process-cache.js';
import { Codec, expectationOf } from '../../service/describe/codec.js';
import type { AnyModel, Descriptor } from '../../service/describe/define.js';
import type { EmulatedDialect } from '../../service/describe/emulated-dialect.js';
import { isEmail } from './email-key.js';
import { idForm } from './pinned.js';
import { maxProblems, type RequestProblem } from './refusal.js';
import { isTimestamp } from './timestamp.js';

/** Result of parsing a request: the value with camelCase names, or its problems. */
export type ParseResult = { readonly value: unknown } | { readonly errors: readonly RequestProblem[] };

/** An unchecked body or query: JSON, or strings from a form or query. */
export interface Raw {
  readonly value: unknown;
  /** Whether numbers, booleans and lists are encoded as strings. */
  readonly texts: boolean;
}

type Schema = z.ZodMiniType;

/** What to do with fields that are not described. */
type UnknownFields = 'ignore' | 'refuse';

/** Maximum number of unknown fields that get a suggestion. Each suggestion needs a search. */
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

const parsers = new WeakMap<EmulatedDialect, Parser>();

/** Get the parser of a dialect. All emulators of a process share it, because building its schemas takes longer than a request. */
export const parserOf = (dialect: EmulatedDialect): Parser =>
  getOrCreate(parsers, dialect, () => new Parser(new Codec(dialect)));

/** Parses requests and seeds by their descriptions, with the names of one codec. Schemas are built once. */
export class Parser {
  readonly codec: Codec<EmulatedDialect>;
  readonly #unknownFields: UnknownFields;
  readonly #schemas = new WeakMap<Descriptor, Schema>();
  readonly #models = new WeakMap<AnyModel, { schema?: Schema }>();
  readonly #filters = new WeakMap<AnyModel, Descriptor>();
  #strict: Parser | undefined;

  constructor(codec: Codec<EmulatedDialect>, unknownFields: UnknownFields = 'ignore') {
    this.codec = codec;
    this.#unknownFields = unknownFields;
  }

  /** A parser that refuses fields that are not described. */
  get strict(): Parser {
    this.#strict ??= new Parser(this.codec, 'refuse');
    return this.#strict;
  }

  /** Parse a body. */
  body(field: Descriptor, raw: Raw): ParseResult {
    // Treat no body as an empty one, so that each missing field is reported.
    const value = raw.value === undefined && field.kind === 'model' ? {} : raw.value;
    return this.#parse(field, raw.texts ? this.#fromTexts(field, value, false) : value);
  }

  /** Parse a query. All filters are optional, and an empty one counts as absent. */
  query(model: AnyModel, raw: Readonly<Record<string, unknown>>): ParseResult {
    let field = this.#filters.get(model);
    if (!field) {
      const shape: Record<string, Descriptor> = {};
      for (const key in model.shape) shape[key] = { ...model.shape[key]!, optional: true };
      // The parser reads only the fields of a model.
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
    const known = Object.entries(shape ?? {}).flatMap(([key, child]) => this.codec.readNames(key, child));
    return issue.keys.map((key, at) => {
      const hint = at < maxHints ? didYouMean(key, known) : '';
      return problem([...path, key], `is not a known field${hint}`);
    });
  }

  /** Get the schema of a description. It takes wire names and returns camelCase names. */
  schemaOf(field: Descriptor): Schema {
    let schema = this.#schemas.get(field);
    if (!schema) {
      schema = this.#build(field);
      if (field.nullable) schema = z.nullable(schema);
      // A nullable field may also be absent.
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
        return z.string({ error }).check(formatCheck(formats[field.format]));
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
        const tooLong = `must have at most ${field.max} entries`;
        const bounded = field.max === undefined ? array : array.check(z.maxLength(field.max, { error: tooLong }));
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
      z.refine((items) => Object.keys(items).length <= bounds.keys, `must have at most ${bounds.keys} keys`),
      z.refine(
        (items) => Object.keys(items).every((key) => key.length <= bounds.keyLength),
        `must have keys of at most ${bounds.keyLength} characters`,
      ),
      z.refine(
        (items) => Object.values(items).every((item) => String(item).length <= bounds.valueLength),
        `must have values of at most ${bounds.valueLength} characters`,
      ),
    );
  }

  #model(model: AnyModel, error: (issue: { readonly input?: unknown }) => string): Schema {
    const known = this.#models.get(model);
    if (known?.schema) return known.schema;
    // A recursive model: its schema is looked up when the first value arrives.
    if (known) return z.lazy(() => known.schema!);
    const entry: { schema?: Schema } = {};
    this.#models.set(model, entry);
    const shape: Record<string, Schema> = {};
    const names: (readonly [key: string, wire: string])[] = [];
    const others: (readonly [wire: string, other: string])[] = [];
    for (const [key, field] of Object.entries(model.shape)) {
      const [wire, ...rest] = this.codec.readNames(key, field);
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
    entry.schema = others.length === 0 ? renamed : z.pipe(z.transform(renameAliases(others)), renamed);
    return entry.schema;
  }

  /** Convert a form to JSON by the description of the body. */
  fromForm(field: Descriptor, texts: Readonly<Record<string, string>>): unknown {
    return this.#fromTexts(field, texts, false);
  }

  /** Convert strings to the described types. Values that do not fit are left for the schema to report. */
  #fromTexts(field: Descriptor, value: unknown, commas: boolean): unknown {
    if (field.kind === 'array') return this.#listFromTexts(field, value, commas);
    if (isTree(value)) {
      if (field.kind === 'map' || field.kind === 'tagged' || field.kind === 'unknown') return { ...value };
      // If a name is repeated, the last value is used.
      if (field.kind !== 'model') return this.#fromTexts(field, Object.values(value).at(-1), commas);
      // Unknown names are left for the schema to refuse.
      const out: Record<string, unknown> = this.#unknownFields === 'refuse' ? { ...value } : {};
      for (const [key, child] of Object.entries(field.model!.shape))
        for (const wire of this.codec.readNames(key, child))
          if (value[wire] !== undefined) out[wire] = this.#fromTexts(child, value[wire], commas);
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

/** Check an entry of a list or map, and add its issues. */
function parseEntry(schema: Schema, at: string | number, entry: unknown, issues: Issues): unknown {
  const result = z.safeParse(schema, entry);
  if (result.success) return result.data;
  // The issue is complete except for its path in the list or map.
  for (const issue of result.error.issues)
    issues.push({ ...issue, path: [at, ...issue.path], input: entry } as Issues[number]);
  return undefined;
}

// The arrays and records of zod spread all issues into one call, which overflows the stack if there are too many.

/** Check the items of a list, up to the number of problems that a response lists. */
const itemsOf =
  (schema: Schema) =>
  (items: unknown[], { issues }: { readonly issues: Issues }): unknown[] => {
    const read: unknown[] = [];
    for (let at = 0; at < items.length && issues.length <= maxProblems; at++)
      read.push(parseEntry(schema, at, items[at], issues));
    return read;
  };

/** Check the values of a map, up to the number of problems that a response lists. */
const valuesOf =
  (schema: Schema) =>
  (map: Record<string, unknown>, { issues }: { readonly issues: Issues }): Record<string, unknown> => {
    for (const [key, value] of Object.entries(map)) {
      if (issues.length > maxProblems) break;
      parseEntry(schema, key, value, issues);
    }
    return map;
  };

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Rename fields from other dialects to the names the schema uses. */
const renameAliases =
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
    return /^https?:$/.test(new URL(text).protocol) || /^[a-z][a-z0-9+.-]*:\//i.test(text);
  } catch {
    return false;
  }
};

/** Check and message of a string format. */
interface Format {
  readonly fits: (text: string) => boolean;
  readonly message: (text: string) => string;
}

const formatCheck = ({ fits, message }: Format) =>
  z.refine<string>(fits, { error: ({ input }) => message(String(input)) });

export const formats: Readonly<Record<NonNullable<Descriptor['format']>, Format>> = {
  timestamp: {
    fits: isTimestamp,
    message: (text) =>
      isTimestamp(`${text}Z`) ? 'must end with a time zone, such as Z' : 'must be an ISO 8601 timestamp',
  },
  url: { fits: isUrl, message: () => 'must be an absolute URL' },
  email: { fits: isEmail, message: () => 'must be an email address' },
  id: { fits: (text) => idForm.test(text), message: () => 'must be made of letters, digits, _, -, . and ~' },
};
