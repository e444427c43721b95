import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { Dialect } from '../service/describe/dialect.js';

/**
 * The one selector that is given, by its name; undefined for none. `beside` may go with it.
 *
 * @throws {InvalidArgumentError} Several are given.
 */
export function selectorIn<Name extends string>(
  method: string,
  selectors: Readonly<Partial<Record<Name, string | null | undefined>>>,
  beside?: NoInfer<Name> | false,
): Name | undefined {
  // The keys of a literal are the names of its type.
  const names = Object.keys(selectors) as Name[];
  const [first, second] = names.filter((name) => selectors[name] && name !== beside);
  if (second)
    throw new InvalidArgumentError({
      argument: second,
      what: `${method} takes only one of ${names.join(', ')}, not ${first} and ${second}`,
      next: 'Pass the one by which the user signs in',
    });
  return first;
}

/** The selector that may go with a provider: the organization, where that is the hosted sign-in and takes one. */
export const besideHosted = (
  { hostedProvider, hostedTakesOrganization }: Partial<Pick<Dialect, 'hostedProvider' | 'hostedTakesOrganization'>>,
  provider: string | null | undefined,
) => hostedTakesOrganization === true && provider === hostedProvider && 'organizationId';
