import { InvalidArgumentError } from '../errors/index.js';
import type { Complaint } from '../service/describe/check.js';
import type { Operation } from '../service/describe/operation.js';

/** Refuses an argument by its name, before anything is sent. */
export function refuse(operation: Operation, { at, expected, found }: Complaint, why?: string): never {
  const argument = at || 'the body';
  throw new InvalidArgumentError({
    what: `${operation.client} needs ${argument} to be ${expected}, ${found === 'missing' ? 'and it is missing' : `not ${found}`}`,
    why,
    next: `Correct ${argument}`,
    argument,
  });
}
