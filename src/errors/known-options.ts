import { alternatives } from './nearest.js';
import { ConfigurationError, type Explanation, InvalidArgumentError } from './sallyport-error.js';

/** The names of all options of `T`. The compiler reports missing and extra names. */
export type OptionNames<T> = Readonly<Record<keyof T & string, unknown>>;

/** Throw unless the condition holds. @throws {ConfigurationError} `invalid_option`. */
export function checkOptions(condition: unknown, what: string, next: string): void {
  if (!condition) throw new ConfigurationError('invalid_option', { what, next });
}

/** Throw an error that names the option unless the condition holds. @throws {ConfigurationError} `invalid_option`. */
export const checkOption = (condition: unknown, option: string, problem: string, next = `Correct ${option}`): void =>
  checkOptions(condition, `The option ${option} ${problem}`, next);

/** Whether a value is an object literal or a copy of one, also of another realm: not a class instance, a list, a Map or a Set. */
export const isPlainObject = (value: unknown): boolean =>
  Object(value) === value && Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype) === null;

/**
 * Reject unknown options of a constructor or a factory, and options that are not in a plain object.
 *
 * @param path Prefix of the name in the message, such as `refresh.` for options inside `refresh`.
 * @throws {ConfigurationError} `invalid_option`.
 */
export function checkNames<T>(taker: string, options: T | null | undefined, known: OptionNames<T>, path = ''): void {
  const problem = problemOf(taker, options, known, path);
  if (problem) throw new ConfigurationError('invalid_option', problem);
}

/** Reject unknown options of a call, and options that are not in a plain object. @throws {InvalidArgumentError} */
export function checkArgumentNames<T>(taker: string, options: T | null | undefined, known: OptionNames<T>): void {
  const problem = problemOf(taker, options, known);
  if (problem) throw new InvalidArgumentError(problem);
}

/** Explain the first unknown option with a value, or options that are not in a plain object. */
function problemOf(
  taker: string,
  options: unknown,
  known: object,
  path = '',
): (Explanation & { readonly argument: string }) | undefined {
  const given = options ?? {};
  // A Map has no properties, so its options would be ignored.
  if (!isPlainObject(given)) {
    const argument = path.slice(0, -1) || 'options';
    return { what: `${taker} needs ${argument} to be a plain object`, argument };
  }
  const argument = Object.entries(given).find(
    ([name, value]) => value !== undefined && !Object.hasOwn(known, name),
  )?.[0];
  return argument === undefined
    ? argument
    : {
        what: `${taker} does not know the option ${path}${argument}`,
        next: alternatives(argument, Object.keys(known)),
        argument,
      };
}
