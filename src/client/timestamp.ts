import { InvalidArgumentError } from '../errors/index.js';

/**
 * Convert a Date to ISO 8601 in UTC with milliseconds; strings pass through.
 *
 * @throws {InvalidArgumentError} The date is invalid.
 */
export function timestampOf(method: string, argument: string, value: Date | string): string {
  if (!(value instanceof Date)) return value;
  if (Number.isNaN(value.getTime()))
    throw new InvalidArgumentError({
      what: `${method} needs ${argument} to be a valid Date or an ISO 8601 timestamp, not an invalid Date`,
      next: `Correct ${argument}`,
      argument,
    });
  return value.toISOString();
}
