import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { Dialect } from '../service/describe/dialect.js';

/**
 * Return the name of the selector that is given, or undefined.
 *
 * @param companion A selector that is allowed in addition to another one.
 * @throws {InvalidArgumentError} Several are given.
 */
export function selectorIn<Name extends string>(
  method: string,
  selectors: Readonly<Partial<Record<Name, string | null | undefined>>>,
  companion?: NoInfer<Name> | false,
): Name | undefined {
  // The keys of a literal are the names of its type.
  const names = Object.keys(selectors) as Name[];
  const [first, second] = names.filter((name) => selectors[name] && name !== companion);
  if (second)
    throw new InvalidArgumentError({
      argument: second,
      what: `${method} takes only one of ${names.join(', ')}, not ${first} and ${second}`,
      next: 'Pass only the one that the user signs in with',
    });
  return first;
}

/** Return the selector that is allowed in addition to a provider: the organization, if the hosted sign-in page takes one. */
export const allowedWithHosted = (
  { hostedProvider, hostedTakesOrganization }: Partial<Pick<Dialect, 'hostedProvider' | 'hostedTakesOrganization'>>,
  provider: string | null | undefined,
) => hostedTakesOrganization === true && provider === hostedProvider && 'organizationId';
