import type { ErrorObject, ValidateFunction } from 'ajv';
import { maxProblems } from '../../store/refusal.js';

/** A validation error. */
export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  readonly instancePath: string;
  readonly message: string;
}

/** Validates a value. */
export type SchemaCheck = (value: unknown) => readonly SchemaError[];

/** The reason why a value is not a JSON schema. */
export type Objection = string;

interface Compiler {
  compile(schema: object): ValidateFunction;
  removeSchema(schema: object): unknown;
}

/**
 * The supported drafts, by the part of `$schema` that identifies them. The first is the default.
 *
 * The imports read `default`, because a CommonJS package that is bundled into ES modules has no other export.
 */
const drafts: Readonly<Record<string, () => Promise<Compiler>>> = {
  '2020-12': async () => new (await import('ajv/dist/2020.js')).default(options),
  'draft-07': async () => new (await import('ajv')).default(options),
};

const options = {
  allErrors: true,
  // An unknown keyword is usually a mistake, such as { role: 'string' }.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // The standard allows a property whose name also matches a pattern.
  allowMatchingProperties: true,
  // In the standard, `format` is only an annotation.
  validateFormats: false,
  // Two schemas may have the same `$id`.
  addUsedSchema: false,
  logger: false,
} as const;

// Compilers are reused, because creating one takes longer than compiling a schema.
const compilers = new Map<string, Promise<Compiler>>();

/** Compile a JSON schema, or return why it is invalid. The first call loads Ajv. */
export async function compileSchema(schema: Readonly<Record<string, unknown>>): Promise<SchemaCheck | Objection> {
  const { $schema: dialect = '2020-12' } = schema;
  const draft = Object.keys(drafts).find((name) => typeof dialect === 'string' && dialect.includes(name));
  if (draft === undefined) return `must name draft ${Object.keys(drafts).join(' or ')} in $schema`;
  let compiler = compilers.get(draft);
  if (!compiler) {
    compiler = drafts[draft]!();
    compilers.set(draft, compiler);
  }
  return checkOf(await compiler, { ...schema });
}

function checkOf(compiler: Compiler, schema: object): SchemaCheck | Objection {
  try {
    const validate = compiler.compile(schema);
    // A schema with `$async` would return promises.
    if ('$async' in schema) return 'must not use $async, which JSON Schema does not have';
    return (value) => errorsOf(validate, value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `must be a JSON schema: ${reason.replace(/^(?:strict mode|schema is invalid): /, '')}`;
  } finally {
    compiler.removeSchema(schema);
  }
}

function errorsOf(validate: ValidateFunction, value: unknown): readonly SchemaError[] {
  try {
    return validate(value) ? [] : (validate.errors ?? []).slice(0, maxProblems + 1).map(errorOf);
  } catch (error) {
    // Circular references are followed until the stack overflows.
    if (!(error instanceof RangeError)) throw error;
    return [{ instancePath: '', message: 'cannot be checked: the schema has references that lead back to themselves' }];
  }
}

/** Convert an error of Ajv. Its message lacks the names and values, which are in the parameters. */
function errorOf({ instancePath, message = 'is not valid', params }: ErrorObject): SchemaError {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return { instancePath, message: detail === undefined ? message : `${message}: ${JSON.stringify(detail)}` };
}
