import { ConfigurationError } from '../../errors/index.js';

/** Steps from a seed's root to a value, in wire names: `['organizations', 1, 'name']`. */
export type Path = readonly (string | number)[];

/** A place in a file; both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing wrong with a seed. */
export interface Problem {
  readonly path: Path;
  /** What is asked for and what stands there: a sentence, or the end of one that begins with the path. */
  readonly message: string;
  /** The name of the field is wrong, not its value. */
  readonly isName?: true | undefined;
  /** Where it is, when no path leads there. */
  readonly place?: Place | undefined;
}

/** The most problems that are counted. The others are not looked for: most of them have one cause. */
export const maxProblems = 100;

/** The first problems: all of them, or one more than are counted. */
export function firstOf(problems: Iterable<Problem>): Problem[] {
  const first: Problem[] = [];
  for (const problem of problems) if (first.push(problem) > maxProblems) break;
  return first;
}

/** The problems of a seed. They become a `ConfigurationError` in the code that knows the file. */
export class SeedProblems extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: Iterable<Problem>, options?: ErrorOptions) {
    super('The seed has problems', options);
    this.problems = firstOf(problems);
  }
}

/** The most problems that are reported at once. */
const maxReported = 10;

/** `organizations[1].domain_data[0].state`. A name that is not a plain word may be a secret in the wrong place: `metadata.…`. */
export const textOf = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[$A-Z_a-z][\w$-]{0,39}$/.test(step) ? step : '…';
    return text ? `${text}.${name}` : name;
  }, '');

/** The error a user sees: each problem with its place, in the order of the file. */
export function invalidSeed(
  file: string | undefined,
  placeOf: (problem: Problem) => Place | undefined,
  problems: readonly Problem[],
  cause?: unknown,
): ConfigurationError {
  const entries = problems
    .map((problem) => ({ problem, place: placeOf(problem) }))
    .sort((one, other) => inOrder(one.place, other.place));
  const lines = entries.slice(0, maxReported).map(({ problem: { path, message }, place }) => {
    const where = file === undefined ? '' : `${[file, place?.line, place?.column].filter((part) => part).join(':')}: `;
    return `\n  ${where}${sentence(textOf(path), message)}`;
  });
  const isCounted = entries.length <= maxProblems;
  const more = entries.length > maxReported ? `\n  and ${isCounted ? `${entries.length - maxReported} ` : ''}more` : '';
  const seed = file === undefined ? 'The seed' : `The seed ${file}`;
  const what =
    entries.length === 1
      ? `${seed} has a problem; correct it and try again:`
      : `${seed} has ${isCounted ? entries.length : `more than ${maxProblems}`} problems; correct them and try again:`;
  return new ConfigurationError(
    'invalid_seed',
    { what: what + lines.join('') + more },
    cause === undefined ? {} : { cause },
  );
}

const sentence = (path: string, message: string): string =>
  /^[A-Z]/.test(message) ? [path, message].filter((part) => part).join(': ') : `${path || 'it'} ${message}`;

const inOrder = (one: Place | undefined, other: Place | undefined): number =>
  one && other ? one.line - other.line || one.column - other.column : 0;

/** Compare problems by where they stand in a value. */
export const byPositionIn =
  (value: unknown) =>
  ({ path: one }: Problem, { path: other }: Problem): number => {
    let around = value;
    for (let depth = 0; depth < Math.min(one.length, other.length); depth++) {
      const [step, otherStep] = [one[depth], other[depth]];
      if (typeof step === 'number' && typeof otherStep === 'number' && step !== otherStep) return step - otherStep;
      if (step !== otherStep) {
        const steps = Object.keys(around ?? {});
        return steps.indexOf(String(step)) - steps.indexOf(String(otherStep));
      }
      // Any value may have fields.
      around = (around as Record<string | number, unknown> | null | undefined)?.[step!];
    }
    return one.length - other.length;
  };
