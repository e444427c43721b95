import { alternatives } from './nearest.js';
import { ConfigurationError, type Explanation, InvalidArgumentError } from './sallyport-error.js';

/** The names of all options of `T`. The compiler reports missing and extra names. */
export type OptionNames<T> = Readonly<Record<keyof T & string, unknown>>;

/**
 * Reject unknown options of a constructor or a factory.
 *
 * @param path Prefix of the name in the message, such as `refresh.` for options inside `refresh`.
 * @throws {ConfigurationError} `invalid_option`.
 */
export function checkNames<T>(taker: string, options: T | null | undefined, known: OptionNames<T>, path = ''): void {
  const name = unknownIn(options, known);
  if (name !== undefined) throw new ConfigurationError('invalid_option', explanation(taker, name, known, path));
}

/** Reject unknown options of a call. @throws {InvalidArgumentError} */
export function checkArgumentNames<T>(taker: string, options: T | null | undefined, known: OptionNames<T>): void {
  const argument = unknownIn(options, known);
  if (argument !== undefined) throw new InvalidArgumentError({ ...explanation(taker, argument, known), argument });
}

/** Return the name of the first unknown option with a value. */
const unknownIn = (options: unknown, known: object): string | undefined =>
  Object.entries(options ?? {}).find(([name, value]) => value !== undefined && !Object.hasOwn(known, name))?.[0];

const explanation = (taker: string, name: string, known: object, path = ''): Explanation => ({
  what: `${taker} does not know the option ${path}${name}`,
  next: alternatives(name, Object.keys(known)),
});
