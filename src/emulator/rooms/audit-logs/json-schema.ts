import type { CodeKeywordDefinition, ErrorObject, KeywordDefinition, ValidateFunction } from 'ajv';
import { maxProblems } from '../../world/refusal.js';
import { patternOf } from './pattern.js';

/** One thing wrong with a value. */
export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  readonly instancePath: string;
  readonly message: string;
}

/** Find the errors of a value. @throws {TooMuchWork} */
export type SchemaCheck = (value: unknown, work: Work) => readonly SchemaError[];

/** A text that says why a value is not a JSON schema. */
export type Objection = string;

/** The steps that are left for a request. The longest requests take about a second. */
export class Work {
  #left = 20_000_000;

  /** Take steps. @throws {TooMuchWork} */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork('needs too many steps to be checked');
  }
}

/** The steps for a request are used up. */
export class TooMuchWork extends Error {}

/** The steps for a reference: it may lead to a large part of the schema. */
const stepsPerReference = 500;

/** The work of the check or compilation under way; none of them waits for anything. */
let current = new Work();

interface Compiler {
  compile(schema: object): ValidateFunction;
  removeSchema(schema: object): unknown;
  getKeyword(keyword: string): KeywordDefinition | boolean;
  removeKeyword(keyword: string): unknown;
  addKeyword(definition: CodeKeywordDefinition): unknown;
}

/**
 * The drafts that can be used, by a part of their `$schema`. The first one is the default.
 *
 * Taken by `default`: a CommonJS package that is loaded lazily has no other name once it is bundled into ES modules.
 */
const drafts: Readonly<Record<string, () => Promise<Compiler>>> = {
  '2020-12': async () => compilerOf((await import('ajv/dist/2020.js')).default),
  'draft-07': async () => compilerOf((await import('ajv')).default),
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
  // The library would compare them with regular expressions of JavaScript, which may take years.
  allowMatchingProperties: true,
  code: {
    regExp: Object.assign(
      (pattern: string) => ({
        ...patternOf(pattern, (steps) => current.spend(steps)),
        // The library keeps patterns by this name.
        toString: () => `/${pattern}/u`,
      }),
      { code: 'patternOf' },
    ),
  },
  // A reference is followed by a call, which is counted.
  inlineRefs: false,
};

const follow = (): void => current.spend(stepsPerReference);

/** Make a compiler that counts the references that are followed: a chain of ten pairs of them is followed 1,024 times. */
function compilerOf(Library: new (own: object) => Compiler): Compiler {
  const compiler = new Library(options);
  // The class of a CommonJS package has all that the package exports.
  const { _ } = Library as unknown as typeof import('ajv');
  for (const keyword of ['$ref', '$dynamicRef']) {
    const definition = compiler.getKeyword(keyword);
    if (typeof definition !== 'object' || !('code' in definition)) continue;
    const { code } = definition as CodeKeywordDefinition;
    compiler.removeKeyword(keyword);
    compiler.addKeyword({
      ...(definition as CodeKeywordDefinition),
      code(context, ...rest) {
        context.gen.code(_`${context.gen.scopeValue('func', { ref: follow })}()`);
        code(context, ...rest);
      },
    });
  }
  return compiler;
}

// A compiler takes longer to make than to use.
const compilers = new Map<string, Promise<Compiler>>();

/** Make the check of a JSON schema, or say why it is not one. The library is loaded with the first schema. */
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
    // Its checks would be answered with promises.
    if ('$async' in schema) return 'must not use $async, which JSON Schema does not have';
    return (value, work) => {
      current = work;
      // Every part of the schema may look at the value.
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
    // References that lead back to themselves are followed until the stack is full.
    if (error instanceof RangeError) throw new TooMuchWork('follows references too deeply', { cause: error });
    throw error;
  }
}

/** The library's sentence, with the name or the values it leaves to its parameters. */
function errorOf({ instancePath, message = 'does not fit', params }: ErrorObject): SchemaError {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params as Record<string, unknown>;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return { instancePath, message: detail === undefined ? message : `${message}: ${JSON.stringify(detail)}` };
}
