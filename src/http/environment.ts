import { ConfigurationError } from '../errors/sallyport-error.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Return the environment variables; empty in runtimes without them. */
export const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

/** Return an environment variable. Empty and unreadable variables are treated as missing. */
export function variable(name: string, env = environment()): string | undefined {
  try {
    return env[name] || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Return an option, or the environment variable that replaces it.
 *
 * @throws {ConfigurationError} Both are missing.
 */
export function configured<Value>(
  option: string,
  value: Value | undefined,
  name: 'client_id' | 'base_url' | 'cookie_password',
): Value | string {
  const env = `SALLYPORT_${name.toUpperCase()}`;
  const setting = value ?? variable(env);
  if (setting && /\S/.test(`${setting}`)) return setting;
  throw new ConfigurationError(`missing_${name}`, {
    what: `The option ${option} is missing`,
    next: `Pass ${option} or set ${env}`,
  });
}

/** Whether an error reports a missing setting. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ConfigurationError && error.code.startsWith('missing_');
