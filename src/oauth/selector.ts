import { InvalidArgumentError } from '../errors/sallyport-error.js';

/** The one selector that is given, by its name; undefined for none. @throws {InvalidArgumentError} Several are given. */
export function selectorIn<Name extends string>(
  method: string,
  selectors: Readonly<Partial<Record<Name, string | null | undefined>>>,
): Name | undefined {
  // The keys of a literal are the names of its type.
  const names = Object.keys(selectors) as Name[];
  const [first, second] = names.filter((name) => selectors[name]);
  if (second)
    throw new InvalidArgumentError({
      argument: second,
      what: `${method} takes only one of ${names.join(', ')}, not ${first} and ${second}`,
      next: 'Pass the one by which the user signs in',
    });
  return first;
}
