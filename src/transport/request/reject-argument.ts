import { InvalidArgumentError } from '../../errors/index.js';
import { alternatives } from '../../errors/nearest.js';
import type { Complaint } from '../../service/describe/check.js';
import type { Operation } from '../../service/describe/operation.js';

/** Throw for an invalid argument, before anything is sent. @param extra The option for fields that this version does not know. */
export function rejectArgument(
  { client }: Operation,
  { at, expected, found, known }: Complaint,
  why?: string,
  extra = 'extraBody',
): never {
  const argument = at || 'the body';
  // These limits apply to the number of entries, keys or characters.
  const verb = /^(?:at most|keys) /.test(expected) ? 'have' : 'be';
  throw new InvalidArgumentError({
    ...(known
      ? {
          what: `${client} does not know the parameter ${argument}`,
          next: `${alternatives(at.split('.').at(-1)!, known)} Pass fields that this version does not know in ${extra}`,
        }
      : {
          what: `${client} needs ${argument} to ${verb} ${expected}, ${found === 'missing' ? 'and it is missing' : `not ${found}`}`,
          next: `Correct ${argument}`,
        }),
    why,
    argument,
  });
}
