import { checkOption } from '../errors/check-option.js';

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

/** An option, or the variable of the environment that stands in for it. @throws {ConfigurationError} Neither is there. */
export function configured<Value>(option: string, given: Value | undefined, name: string): Value | string {
  const value = given ?? variable(name);
  checkOption(value && /\S/.test(`${value}`), option, 'is missing', `Pass ${option} or set ${name}`);
  // It is there, as was checked.
  return value!;
}
