import { InvalidArgumentError } from '../errors/index.js';

/** A moment as the service writes it, ISO 8601 in UTC with milliseconds; text is passed through. @throws {InvalidArgumentError} The date is invalid. */
export function timestampOf(method: string, argument: string, moment: Date | string): string {
  if (!(moment instanceof Date)) return moment;
  if (Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError({
      what: `${method} needs ${argument} to be a valid Date or an ISO 8601 timestamp, not an invalid Date`,
      next: `Correct ${argument}`,
      argument,
    });
  return moment.toISOString();
}
