import { ConfigurationError } from '../errors/sallyport-error.js';

/** Says what is wrong with an option. @throws {ConfigurationError} `invalid_option`. */
export function refuseOption(option: string, problem: string, next = `Correct ${option}`): never {
  throw new ConfigurationError('invalid_option', { what: `The option ${option} ${problem}`, next });
}
