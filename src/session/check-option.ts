import { ConfigurationError } from '../errors/sallyport-error.js';

/** Refuses an option unless what it has to be holds. @throws {ConfigurationError} `invalid_option`. */
export function checkOption(holds: unknown, option: string, problem: string, next = `Correct ${option}`): void {
  if (!holds) throw new ConfigurationError('invalid_option', { what: `The option ${option} ${problem}`, next });
}

/** Whether a value is a text like this; callers in JavaScript may pass anything. */
export const isLike = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);
