import type { CodeKeywordDefinition, ErrorObject, KeywordDefinition, ValidateFunction } from 'ajv';
import { maxProblems } from '../../world/refusal.js';
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

/** The remaining steps of a request. Using up all of them takes about a second. */
export class Work {
  #left = 20_000_000;

  /** Use up steps. @throws {TooMuchWork} */
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
 * The supported drafts by a part of their `$schema`. The first is the default.
 *
 * Read from `default`, the only export of a lazily loaded CommonJS package once it is bundled into ES modules.
 */
const drafts: Readonly<Record<string, () => Promise<Compiler>>> = {
  '2020-12': async () => compilerOf((await import('ajv/dist/2020.js')).default),
  'draft-07': async () => compilerOf((await import('ajv')).default),
};

const options = {
  allErrors: true,
  // Unknown keywords are usually a mistake, such as { role: 'string' }.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // `format` is only an annotation in the standard.
  validateFormats: false,
  // Two schemas may carry the same `$id`.
  addUsedSchema: false,
  logger: false,
  // The check for this uses JavaScript regular expressions, which may never finish.
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
  // Only references that are calls can be counted.
  inlineRefs: false,
};

const countReference = (): void => current.spend(stepsPerReference);

/** Create a compiler that counts followed references: ten levels with two references each are followed 1,024 times. */
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

// Creating a compiler takes longer than using it.
const compilers = new Map<string, Promise<Compiler>>();

/** Compile a JSON schema, or return why it is not one. Ajv is loaded with the first schema. */
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
    // Its checks would return promises.
    if ('$async' in schema) return 'must not use $async, which JSON Schema does not have';
    return (value, work) => {
      current = work;
      // Every part of the schema may check the value.
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

/** Ajv's message, completed with the name or values from its parameters. */
function errorOf({ instancePath, message = 'is not valid', params }: ErrorObject): SchemaError {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return { instancePath, message: detail === undefined ? message : `${message}: ${JSON.stringify(detail)}` };
}
