import { ConfigurationError } from './sallyport-error.js';

/** Throw unless the condition holds. @throws {ConfigurationError} `invalid_option`. */
export function checkOptions(condition: unknown, what: string, next: string): void {
  if (!condition) throw new ConfigurationError('invalid_option', { what, next });
}

/** Throw an error that names the option unless the condition holds. @throws {ConfigurationError} `invalid_option`. */
export const checkOption = (condition: unknown, option: string, problem: string, next = `Correct ${option}`): void =>
  checkOptions(condition, `The option ${option} ${problem}`, next);
