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

/** The dialect option, or `SALLYPORT_DIALECT`, or `spec`. */
export const chosenDialect = <Choice>(choice: Choice | undefined, env?: Environment): Choice | string =>
  choice ?? variable('SALLYPORT_DIALECT', env) ?? 'spec';

/** The variables of a setting: `SALLYPORT_API_KEY`, and in dialect `workos` also `WORKOS_API_KEY`. */
const variableNames = (name: string, dialect: unknown): string[] =>
  ['SALLYPORT', ...(dialect === 'workos' && name !== 'BASE_URL' ? ['WORKOS'] : [])].map(
    (prefix) => `${prefix}_${name}`,
  );

/** Return a setting from the first environment variable that has it. In dialect `workos`, the base URL has a default. */
export function setting(
  name: 'API_KEY' | 'CLIENT_ID' | 'BASE_URL' | 'COOKIE_PASSWORD',
  dialect: unknown,
  env?: Environment,
): string | undefined {
  for (const one of variableNames(name, dialect)) {
    const value = variable(one, env);
    if (value) return value;
  }
  return name === 'BASE_URL' && dialect === 'workos' ? 'https://api.workos.com' : undefined;
}

/**
 * Return an option, or the setting that replaces it.
 *
 * @throws {ConfigurationError} Both are missing.
 */
export function configured<Value>(
  option: string,
  value: Value | undefined,
  name: 'client_id' | 'base_url' | 'cookie_password',
  dialect?: unknown,
): Value | string {
  // The union has exactly the upper-case forms of the type of `name`.
  const variableName = name.toUpperCase() as 'CLIENT_ID' | 'BASE_URL' | 'COOKIE_PASSWORD';
  const found = value ?? setting(variableName, dialect);
  if (found && /\S/.test(`${found}`)) return found;
  throw new ConfigurationError(`missing_${name}`, {
    what: `The option ${option} is missing`,
    next: `Pass ${option} or set ${variableNames(variableName, dialect).join(' or ')}`,
  });
}

/** Whether an error reports a missing setting. */
export const isMissing = (error: unknown): error is ConfigurationError =>
  error instanceof ConfigurationError && error.code.startsWith('missing_');
