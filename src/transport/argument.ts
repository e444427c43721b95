import { InvalidArgumentError } from '../errors/index.js';
import type { Complaint } from '../service/describe/check.js';
import type { Operation } from '../service/describe/operation.js';

/** Refuses an argument by its name, before anything is sent. */
export function refuse(operation: Operation, { at, expected, found }: Complaint, why?: string): never {
  const argument = at || 'the body';
  // A limit is on what the argument has: entries, keys, characters.
  const verb = /^(?:at most|keys) /.test(expected) ? 'have' : 'be';
  throw new InvalidArgumentError({
    what: `${operation.client} needs ${argument} to ${verb} ${expected}, ${found === 'missing' ? 'and it is missing' : `not ${found}`}`,
    why,
    next: `Correct ${argument}`,
    argument,
  });
}
