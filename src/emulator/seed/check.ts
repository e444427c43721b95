import * as z from 'zod/mini';
import { didYouMean, nearest } from '../../errors/nearest.js';
import { type Codec, isObject, kindOfValue } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import type { Parser } from '../store/parser.js';
import type { CheckedSeed, SeedDescription } from './description.js';
import { type Path, type Problem, SeedProblems } from './problems.js';

/** Check a seed against its description, and convert its fields to camelCase. @throws {SeedProblems} */
export function parseSeed(parser: Parser, { whole }: SeedDescription, value: unknown): CheckedSeed {
  const { codec, strict } = parser;
  const kind = otherKindOf(value, namesIn(codec, whole));
  if (kind !== undefined)
    throw new SeedProblems([
      {
        path: [],
        message: `This is not a seed: it must be an object with sections such as users, but it is ${kind}`,
      },
    ]);
  const result = z.safeParse(strict.schemaOf(whole), value);
  // Every section is described as a list or a map.
  if (result.success) return result.data as CheckedSeed;
  throw new SeedProblems(problemsIn(codec, whole, value, result.error.issues));
}

/** Describe the kind of a value that is not a seed. Never quotes the value, which may be another program's secrets. */
function otherKindOf(value: unknown, sections: readonly string[]): string | undefined {
  if (!isObject(value)) return kindOfValue(value);
  const names = Object.keys(value);
  const isSeed = names.length === 0 || names.some((name) => nearest(name, sections) !== undefined);
  return isSeed ? undefined : 'an object without a known section';
}

function* problemsIn(
  codec: Codec,
  whole: Descriptor,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
): Generator<Problem> {
  for (const issue of issues) {
    // Paths in JSON consist only of names and positions.
    const path = issue.path as Path;
    if (issue.code !== 'unrecognized_keys')
      yield { path, message: issue.message + valueHint(codec, whole, value, path) };
    else for (const key of issue.keys) yield unknownField(codec, whole, path, key);
  }
}

function unknownField(codec: Codec, whole: Descriptor, path: Path, key: string): Problem {
  const fields = namesIn(codec, fieldAt(codec, whole, path));
  const what = path.length === 0 ? 'section' : 'field';
  const hint = didYouMean(key, fields) || `; known are ${fields.join(', ')}`;
  return { path: [...path, key], message: `is not a known ${what}${hint}`, isName: true };
}

/**
 * Explain why the value at a path is wrong: `; found a number` or `; did you mean verified?`. Never quotes the value: it may be a
 * misplaced secret.
 */
function valueHint(codec: Codec, whole: Descriptor, value: unknown, path: Path): string {
  const found = valueAt(value, path);
  if (found === undefined) return '';
  const field = fieldAt(codec, whole, path);
  if (typeof found !== 'string' || field?.kind !== 'string') return `; found ${kindOfValue(found)}`;
  return didYouMean(found, field.known ?? []);
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (parent, step) =>
      typeof parent === 'object' && parent !== null && Object.hasOwn(parent, step)
        ? (parent as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );

/** Find the description at a path; undefined inside maps with arbitrary keys. */
function fieldAt(codec: Codec, whole: Descriptor, path: Path): Descriptor | undefined {
  let field: Descriptor | undefined = whole;
  for (const step of path) {
    const shape: Readonly<Record<string, Descriptor>> | undefined = field?.model?.shape;
    if (typeof step === 'number') field = field?.element;
    else if (shape)
      field = Object.entries(shape).find(([key, child]) => codec.readNames(key, child).includes(step))?.[1];
    else field = undefined;
  }
  return field;
}

const namesIn = (codec: Codec, field: Descriptor | undefined): readonly string[] =>
  Object.entries(field?.model?.shape ?? {}).map(([key, child]) => codec.wireNames(key, child)[0]!);
