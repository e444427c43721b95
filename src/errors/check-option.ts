import { ConfigurationError } from './sallyport-error.js';

/** Refuses the options unless what has to hold of them does. @throws {ConfigurationError} `invalid_option`. */
export function checkOptions(holds: unknown, what: string, next: string): void {
  if (!holds) throw new ConfigurationError('invalid_option', { what, next });
}

/** Refuses an option, by its name, unless what has to hold of it does. @throws {ConfigurationError} `invalid_option`. */
export const checkOption = (holds: unknown, option: string, problem: string, next = `Correct ${option}`): void =>
  checkOptions(holds, `The option ${option} ${problem}`, next);
