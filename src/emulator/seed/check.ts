import * as z from 'zod/mini';
import { type Codec, kindOfValue } from '../../service/describe/codec.js';
import type { Descriptor } from '../../service/describe/define.js';
import { didYouMean } from '../../service/describe/nearest.js';
import { Parser } from '../world/parser.js';
import type { CheckedSeed, SeedDescription } from './description.js';
import { type Path, type Problem, SeedProblems } from './problems.js';

/** Longest text that is quoted. */
const longest = 60;

/** A seed in callers' names, held to its description. @throws {SeedProblems} */
export function parseSeed(codec: Codec, { whole }: SeedDescription, value: unknown): CheckedSeed {
  const result = z.safeParse(new Parser(codec, 'refuse').schemaOf(whole), value);
  // Every section is described as a list or a map.
  if (result.success) return result.data as CheckedSeed;
  throw new SeedProblems(result.error.issues.flatMap((issue) => problemsOf(codec, whole, value, issue)));
}

function problemsOf(codec: Codec, whole: Descriptor, value: unknown, issue: z.core.$ZodIssue): Problem[] {
  // Steps of an issue are the names and positions of JSON.
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(codec, whole, path, key));
  return [{ path, message: issue.message + valueHint(codec, whole, value, path) }];
}

function unknownField(codec: Codec, whole: Descriptor, path: Path, key: string): Problem {
  const fields = namesIn(codec, fieldAt(codec, whole, path));
  const what = path.length === 0 ? 'section' : 'field';
  const hint = didYouMean(key, fields) || `; there are ${fields.join(', ')}`;
  return { path: [...path, key], message: `is not a known ${what}${hint}`, isName: true };
}

/** `; found "verifed"`: what stands at a path, by its kind alone where it may be a secret or belongs to the caller. */
export function valueHint(codec: Codec, whole: Descriptor, value: unknown, path: Path): string {
  const own = valueAt(value, path);
  if (own === undefined) return '';
  const field = fieldAt(codec, whole, path);
  if (own === null) return '; found null';
  if (typeof own === 'object' || !field || field.secret) return `; found ${kindOfValue(own)}`;
  if (typeof own !== 'string') return `; found the ${typeof own} ${own}`;
  return `; found ${JSON.stringify(own.length > longest ? `${own.slice(0, longest)}…` : own)}`;
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (own, step) =>
      typeof own === 'object' && own !== null && Object.hasOwn(own, step)
        ? // What an object has under a name, whatever it is.
          (own as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );

/** The description of what a path leads to; undefined inside of what belongs to the caller. */
function fieldAt(codec: Codec, whole: Descriptor, path: Path): Descriptor | undefined {
  let field: Descriptor | undefined = whole;
  for (const step of path) {
    const shape: Readonly<Record<string, Descriptor>> | undefined = field?.model?.shape;
    if (typeof step === 'number') field = field?.element;
    else if (shape) field = Object.entries(shape).find(([key, own]) => codec.readNames(key, own).includes(step))?.[1];
    else field = undefined;
  }
  return field;
}

const namesIn = (codec: Codec, field: Descriptor | undefined): readonly string[] =>
  Object.entries(field?.model?.shape ?? {}).map(([key, own]) => codec.wireNames(key, own)[0]!);
