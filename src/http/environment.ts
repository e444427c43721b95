import { ConfigurationError } from '../errors/sallyport-error.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Return an environment variable. Empty and unreadable variables are treated as missing. */
export function variable(name: string, env?: Environment): string | undefined {
  try {
    // This throws in runtimes without variables.
    return (env ?? (globalThis as unknown as { process: { env: Environment } }).process.env)[name] || undefined;
  } catch {
    return undefined;
  }
}

interface BrowserGlobals {
  readonly window?: { readonly document?: unknown };
  readonly navigator?: { readonly userAgent?: string };
}

/** Whether this is a page of a browser. */
export const inPage = (): boolean => {
  const { window, navigator } = globalThis as BrowserGlobals;
  return window?.document !== undefined && navigator !== undefined;
};

/** Whether this is a page or a worker of a browser. */
export const inBrowser = (): boolean =>
  inPage() || /^Mozilla\//.test((globalThis as BrowserGlobals).navigator?.userAgent ?? '');

/** The options that choose a service. */
export interface ServiceOptions<Choice = unknown> {
  readonly dialect?: Choice | undefined;
  readonly baseUrl?: string | undefined;
}

/**
 * Whether neither the options nor the environment choose a service, which is then the public one. An option that is present without a
 * value comes from a missing variable, and chooses none.
 */
export const isDefaultService = (options: ServiceOptions, env?: Environment): boolean =>
  !('dialect' in options || 'baseUrl' in options) &&
  !variable('SALLYPORT_DIALECT', env) &&
  !variable('SALLYPORT_BASE_URL', env);

/** The dialect option, or `SALLYPORT_DIALECT`, or `workos` for the public service, or `spec`. */
export const chosenDialect = <Choice>(options: ServiceOptions<Choice>, env?: Environment): Choice | string =>
  options.dialect || variable('SALLYPORT_DIALECT', env) || (isDefaultService(options, env) ? 'workos' : 'spec');

/**
 * Create what depends on the service at once, to check the options. If it is the public one because nothing chooses another, create it
 * again when it is first needed: frameworks load modules during a build, without the environment of the server.
 *
 * @param isLeft Whether an error waits until the value is first needed; default: none does.
 */
export function forService<Value extends object>(
  options: ServiceOptions,
  create: () => Value,
  isLeft: (error: unknown) => boolean = () => false,
): () => Value {
  let value: Value | undefined;
  try {
    const first = create();
    if (!isDefaultService(options)) value = first;
  } catch (error) {
    if (!isLeft(error)) throw error;
  }
  return () => {
    if (!value) {
      value = create();
      announceService(options);
    }
    return value;
  };
}

/** URL of the public service. */
export const publicService = 'https://api.workos.com';

/** During development, tell once per process that requests go to the public service because nothing chooses another. */
export function announceService(options: ServiceOptions): void {
  const place = globalThis as { [told: symbol]: unknown };
  const told = Symbol.for('sallyport.service.1');
  if (place[told] || variable('NODE_ENV') !== 'development' || !isDefaultService(options)) return;
  place[told] = true;
  console.warn(`sallyport: Requests go to ${publicService}, because neither baseUrl nor dialect is set`);
}

/** Whether a key of an emulator would be sent to the public service, because its address is missing. */
export const isEmulatorKey = (apiKey: string | undefined, baseUrl: string): boolean =>
  baseUrl === publicService && /^sk_[a-z]+_sallyport_/.test(apiKey ?? '');

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
  return name === 'BASE_URL' && dialect === 'workos' ? publicService : undefined;
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
