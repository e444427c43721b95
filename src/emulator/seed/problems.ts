import { ConfigurationError } from '../../errors/index.js';

/** Steps from the root of a seed to a value, in wire names: `['organizations', 1, 'name']`. */
export type Path = readonly (string | number)[];

/** Position in a file; line and column start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing wrong with a seed. */
export interface Problem {
  readonly path: Path;
  /** A full sentence, or a predicate that follows the path. Never quotes the value. */
  readonly message: string;
  /** Whether the name of the field is wrong rather than its value. */
  readonly isName?: true | undefined;
  /** Position, for problems without a path. */
  readonly place?: Place | undefined;
}

/** Maximum number of problems that are counted. The search stops there, because most have the same cause. */
export const maxProblems = 100;

/** Return the first problems, up to one more than `maxProblems`. */
export function firstOf(problems: Iterable<Problem>): Problem[] {
  const first: Problem[] = [];
  for (const problem of problems) if (first.push(problem) > maxProblems) break;
  return first;
}

/** The problems of a seed. The code that knows the file turns them into a `ConfigurationError`. */
export class SeedProblems extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: Iterable<Problem>, options?: ErrorOptions) {
    super('The seed has problems', options);
    this.problems = firstOf(problems);
  }
}

/** Maximum number of problems listed in one error. */
const maxReported = 10;

/** Format a path: `organizations[1].domain_data[0].state`. Hides names that may be misplaced secrets: `metadata.…`. */
export const textOf = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[$A-Z_a-z][\w$-]{0,39}$/.test(step) ? step : '…';
    return text ? `${text}.${name}` : name;
  }, '');

/** Create the error for the user. It lists the first problems with their positions, in file order. */
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
      ? `${seed} has a problem. Correct it and try again:`
      : `${seed} has ${isCounted ? entries.length : `more than ${maxProblems}`} problems. Correct them and try again:`;
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

/** Compare problems by their position in a value. */
export const byPositionIn =
  (value: unknown) =>
  ({ path: one }: Problem, { path: other }: Problem): number => {
    let parent = value;
    for (let depth = 0; depth < Math.min(one.length, other.length); depth++) {
      const [step, otherStep] = [one[depth], other[depth]];
      if (typeof step === 'number' && typeof otherStep === 'number' && step !== otherStep) return step - otherStep;
      if (step !== otherStep) {
        const steps = Object.keys(parent ?? {});
        return steps.indexOf(String(step)) - steps.indexOf(String(otherStep));
      }
      // A value on the path may have no fields.
      parent = (parent as Record<string | number, unknown> | null | undefined)?.[step!];
    }
    return one.length - other.length;
  };
