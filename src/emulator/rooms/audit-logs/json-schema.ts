import type { ErrorObject, ValidateFunction } from 'ajv';

/** One thing wrong with a value. */
export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  readonly instancePath: string;
  readonly message: string;
}

/** Says what is wrong with a value; nothing when it fits. */
export type SchemaCheck = (value: unknown) => readonly SchemaError[];

/** A text that says why something is no JSON schema. */
export type Objection = string;

interface Compiler {
  compile(schema: object): ValidateFunction;
  removeSchema(schema: object): unknown;
}

/**
 * The drafts that are read, by what their `$schema` holds; the first one is meant when there is none.
 *
 * Taken by `default`: a CommonJS package that is loaded lazily has no other name once it is bundled into ES modules.
 */
const drafts: Readonly<Record<string, (options: object) => Promise<Compiler>>> = {
  '2020-12': async (options) => new (await import('ajv/dist/2020.js')).default(options),
  'draft-07': async (options) => new (await import('ajv')).default(options),
};

const options = {
  allErrors: true,
  // An unknown keyword constrains nothing: most often it is a schema in some other notation, such as { role: 'string' }.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // By the standard `format` is an annotation.
  validateFormats: false,
  // Two schemas may carry the same `$id`.
  addUsedSchema: false,
  logger: false,
};

// Making a compiler costs more than all it is then used for.
const compilers = new Map<string, Promise<Compiler>>();

/** The check that a JSON schema stands for, or why it is none. The library is loaded with the first schema. */
export async function compileSchema(schema: Readonly<Record<string, unknown>>): Promise<SchemaCheck | Objection> {
  const { $schema: dialect = '2020-12' } = schema;
  const draft = Object.keys(drafts).find((name) => typeof dialect === 'string' && dialect.includes(name));
  if (draft === undefined) return `must name draft ${Object.keys(drafts).join(' or ')} in $schema`;
  let compiler = compilers.get(draft);
  if (!compiler) {
    compiler = drafts[draft]!(options);
    compilers.set(draft, compiler);
  }
  return checkOf(await compiler, { ...schema });
}

function checkOf(compiler: Compiler, schema: object): SchemaCheck | Objection {
  try {
    const validate = compiler.compile(schema);
    // Its checks would be answered with promises.
    if ('$async' in schema) return 'must not use $async, which JSON Schema does not have';
    return (value) => (validate(value) ? [] : (validate.errors ?? []).map(errorOf));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `must be a JSON schema: ${reason.replace(/^(?:strict mode|schema is invalid): /, '')}`;
  } finally {
    compiler.removeSchema(schema);
  }
}

/** The library's sentence, with the name or the values it leaves to its parameters. */
function errorOf({ instancePath, message = 'does not fit', params }: ErrorObject): SchemaError {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return { instancePath, message: detail === undefined ? message : `${message}: ${JSON.stringify(detail)}` };
}
