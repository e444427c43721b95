import { ConfigurationError } from '../errors/sallyport-error.js';

/** Variables of the environment, by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment's variables where there are any. */
export const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

/** A variable of the environment; a blank one is as if absent, and so is one that the runtime does not let us see. */
export function variable(name: string, env = environment()): string | undefined {
  try {
    return env[name] || undefined;
  } catch {
    return undefined;
  }
}

/**
 * An option, or the variable of the environment that stands in for it.
 *
 * @throws {ConfigurationError} Neither is there.
 */
export function configured<Value>(
  option: string,
  given: Value | undefined,
  name: 'client_id' | 'base_url' | 'cookie_password',
): Value | string {
  const env = `SALLYPORT_${name.toUpperCase()}`;
  const value = given ?? variable(env);
  if (value && /\S/.test(`${value}`)) return value;
  throw new ConfigurationError(`missing_${name}`, {
    what: `The option ${option} is missing`,
    next: `Pass ${option} or set ${env}`,
  });
}

/** Whether an error says that a setting is missing. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ConfigurationError && error.code.startsWith('missing_');
