import { InvalidArgumentError } from '../errors/index.js';
import { alternatives } from '../errors/nearest.js';
import type { Complaint } from '../service/describe/check.js';
import type { Operation } from '../service/describe/operation.js';

/** Refuses an argument by its name, before anything is sent. @param extra What takes names that no description has. */
export function refuse(
  { client }: Operation,
  { at, expected, found, known }: Complaint,
  why?: string,
  extra = 'extraBody',
): never {
  const argument = at || 'the body';
  // A limit is on what the argument has: entries, keys, characters.
  const verb = /^(?:at most|keys) /.test(expected) ? 'have' : 'be';
  throw new InvalidArgumentError({
    ...(known
      ? {
          what: `${client} does not know the parameter ${argument}`,
          next: `${alternatives(at.split('.').at(-1)!, known)} What this version does not describe goes into ${extra}`,
        }
      : {
          what: `${client} needs ${argument} to ${verb} ${expected}, ${found === 'missing' ? 'and it is missing' : `not ${found}`}`,
          next: `Correct ${argument}`,
        }),
    why,
    argument,
  });
}
