import { alternatives } from './nearest.js';
import { ConfigurationError, type Explanation, InvalidArgumentError } from './sallyport-error.js';

/** The names of all options of `T`. The compiler finds a name that is missing here, and one that is too many. */
export type OptionNames<T> = Readonly<Record<keyof T & string, 1>>;

/**
 * Refuse an option of a constructor or a factory that does not know it.
 *
 * @param path What stands before the name in the message: `refresh.` for options inside of `refresh`.
 * @throws {ConfigurationError} `invalid_option`.
 */
export function checkNames<T>(taker: string, options: T | null | undefined, known: OptionNames<T>, path = ''): void {
  const name = unknownIn(options, known);
  if (name !== undefined) throw new ConfigurationError('invalid_option', explanation(taker, name, known, path));
}

/** Refuse an option of a call that does not know it. @throws {InvalidArgumentError} */
export function checkArgumentNames<T>(taker: string, options: T | null | undefined, known: OptionNames<T>): void {
  const argument = unknownIn(options, known);
  if (argument !== undefined) throw new InvalidArgumentError({ ...explanation(taker, argument, known), argument });
}

/** The name of the first option that has a value and is not known. */
const unknownIn = (options: unknown, known: object): string | undefined =>
  Object.entries(options ?? {}).find(([name, value]) => value !== undefined && !Object.hasOwn(known, name))?.[0];

const explanation = (taker: string, name: string, known: object, path = ''): Explanation => ({
  what: `${taker} does not know the option ${path}${name}`,
  next: alternatives(name, Object.keys(known)),
});
