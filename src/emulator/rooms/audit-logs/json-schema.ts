import type { CodeKeywordDefinition, ErrorObject, KeywordDefinition, ValidateFunction } from 'ajv';
import { maxProblems } from '../../store/refusal.js';
import { patternOf } from './pattern.js';

/** A validation error. */
export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  readonly instancePath: string;
  readonly message: string;
}

/** Validates a value. @throws {TooMuchWork} */
export type SchemaCheck = (value: unknown, work: Work) => readonly SchemaError[];

/** The reason why a value is not a JSON schema. */
export type Objection = string;

/** The step budget of a request. Using all of it takes about a second. */
export class Work {
  #left = 20_000_000;

  /** Use steps of the budget. @throws {TooMuchWork} If too few are left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork('needs too many steps to be checked');
  }
}

/** The request has used up its steps. */
export class TooMuchWork extends Error {}

/** Cost of following a reference, which may lead to a large part of the schema. */
const stepsPerReference = 500;

/** The budget of the running check or compilation. Both are synchronous, so there is only one. */
let current = new Work();

interface Compiler {
  compile(schema: object): ValidateFunction;
  removeSchema(schema: object): unknown;
  getKeyword(keyword: string): KeywordDefinition | boolean;
  removeKeyword(keyword: string): unknown;
  addKeyword(definition: CodeKeywordDefinition): unknown;
}

/**
 * The supported drafts, by the part of `$schema` that identifies them. The first is the default.
 *
 * The imports read `default`, because a CommonJS package that is bundled into ES modules has no other export.
 */
const drafts: Readonly<Record<string, () => Promise<Compiler>>> = {
  '2020-12': async () => compilerOf((await import('ajv/dist/2020.js')).default),
  'draft-07': async () => compilerOf((await import('ajv')).default),
};

const options = {
  allErrors: true,
  // An unknown keyword is usually a mistake, such as { role: 'string' }.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // In the standard, `format` is only an annotation.
  validateFormats: false,
  // Two schemas may have the same `$id`.
  addUsedSchema: false,
  logger: false,
  // The check that forbids this uses JavaScript regular expressions, which may never finish.
  allowMatchingProperties: true,
  code: {
    regExp: Object.assign(
      (pattern: string) => ({
        ...patternOf(pattern, (steps) => current.spend(steps)),
        // Ajv caches patterns by this string.
        toString: () => `/${pattern}/u`,
      }),
      { code: 'patternOf' },
    ),
  },
  // An inlined reference could not be counted.
  inlineRefs: false,
};

const countReference = (): void => current.spend(stepsPerReference);

/**
 * Create a compiler that counts the references that a check follows. Two references on each of ten levels are followed 1,024
 * times.
 */
function compilerOf(Library: new (options: object) => Compiler): Compiler {
  const compiler = new Library(options);
  // Ajv attaches all its exports to the class.
  const { _ } = Library as unknown as typeof import('ajv');
  for (const keyword of ['$ref', '$dynamicRef']) {
    const definition = compiler.getKeyword(keyword);
    if (typeof definition !== 'object' || !('code' in definition)) continue;
    const { code } = definition as CodeKeywordDefinition;
    compiler.removeKeyword(keyword);
    compiler.addKeyword({
      ...(definition as CodeKeywordDefinition),
      code(context, ...rest) {
        context.gen.code(_`${context.gen.scopeValue('func', { ref: countReference })}()`);
        code(context, ...rest);
      },
    });
  }
  return compiler;
}

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
  return checkOf(await compiler, { ...schema }, JSON.stringify(schema).length);
}

function checkOf(compiler: Compiler, schema: object, length: number): SchemaCheck | Objection {
  try {
    current = new Work();
    const validate = compiler.compile(schema);
    // A schema with `$async` would return promises.
    if ('$async' in schema) return 'must not use $async, which JSON Schema does not have';
    return (value, work) => {
      current = work;
      // The value may be checked against every part of the schema.
      work.spend(length);
      return isValid(validate, value) ? [] : (validate.errors ?? []).slice(0, maxProblems + 1).map(errorOf);
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `must be a JSON schema: ${reason.replace(/^(?:strict mode|schema is invalid): /, '')}`;
  } finally {
    compiler.removeSchema(schema);
  }
}

function isValid(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value) === true;
  } catch (error) {
    // Circular references are followed until the stack overflows.
    if (error instanceof RangeError) throw new TooMuchWork('follows references too deeply', { cause: error });
    throw error;
  }
}

/** Convert an error of Ajv. Its message lacks the names and values, which are in the parameters. */
function errorOf({ instancePath, message = 'is not valid', params }: ErrorObject): SchemaError {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return { instancePath, message: detail === undefined ? message : `${message}: ${JSON.stringify(detail)}` };
}
