import { type Dialect, dialectOf } from '../../emulator/command-line.js';
import { checkedBaseUrl } from '../../http/base-url.js';
import { chosenDialect, isEmulatorKey, setting } from '../../http/environment.js';
import { CommandError } from '../command-error.js';
import { variablesOf } from '../variables.js';
import type { Place } from './ledger.js';

/** The deployment to check. */
export interface Settings extends Place {
  readonly apiKey: string;
  readonly dialect: Dialect;
  readonly dialectName: 'spec' | 'workos';
  readonly host: string;
  readonly isProduction: boolean;
}

/** The time of a run, and the signal that ends it. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Wait, at most until the signal aborts. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Read the deployment from the variables of the project, like the client. @throws {CommandError} @throws {ConfigurationError} */
export function settingsOf(folder: string, shell: NodeJS.ProcessEnv, allowsProduction: boolean): Settings {
  const project = [...variablesOf(folder, shell)].map(([name, { value }]) => [name, value]);
  const env = { ...shell, ...Object.fromEntries(project) };
  const dialectName = String(chosenDialect({}, env));
  const dialect = dialectOf(dialectName);
  if (!dialect || (dialectName !== 'spec' && dialectName !== 'workos'))
    throw new CommandError(`SALLYPORT_DIALECT must be spec or workos, not ${JSON.stringify(dialectName)}.`);
  const { baseUrl, host } = checkedBaseUrl(needed('BASE_URL', dialectName, env));
  const apiKey = needed('API_KEY', dialectName, env);
  const clientId = needed('CLIENT_ID', dialectName, env);
  if (isEmulatorKey(apiKey, baseUrl))
    throw new CommandError('The API key is one of an emulator. Set SALLYPORT_BASE_URL to the address of the emulator.');
  const isProduction = !apiKey.startsWith('sk_test_');
  if (isProduction && !allowsProduction)
    throw new CommandError(
      'The API key does not begin with sk_test_, so it may be one of production. Use the key of a staging environment, or pass --allow-production.',
    );
  return { apiKey, clientId, baseUrl, host, dialect, dialectName, isProduction };
}

function needed(name: 'API_KEY' | 'CLIENT_ID' | 'BASE_URL', dialect: string, env: NodeJS.ProcessEnv): string {
  const value = setting(name, dialect, env);
  if (value !== undefined) return value;
  throw new CommandError(
    `The check needs SALLYPORT_${name}, and neither your shell nor a file such as .env.local has it. Set it to that of your staging environment.`,
  );
}
