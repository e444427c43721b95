import { text } from 'node:stream/consumers';
import {
  administratorControls,
  controls,
  type NamedControl,
  namedControlsOf,
  sendControl,
} from '../../emulator/command-line.js';
import { EmulatorRefusal, type RemoteWorld, worldsAt } from '../../emulator/index.js';
import { emulatorOptions } from '../../emulator/world/options.js';
import { ConfigurationError } from '../../errors/index.js';
import { didYouMean } from '../../errors/nearest.js';
import { CommandError } from '../command-error.js';
import { printableJson, printableLines } from '../printable.js';
import { defaultPort } from '../tasks.js';
import { shell, variablesOf } from '../variables.js';
import { checkArguments, parseFields, readArguments } from './arguments.js';
import { helpText, listText, readable } from './texts.js';

/** Parsed flags of `sallyport control`. */
export interface ControlFlags {
  readonly url?: string | number;
  readonly apiKey?: string | number;
  readonly adminKey?: string | number;
  readonly world?: string | number;
  readonly allowInsecure?: boolean;
  readonly stdin?: boolean;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly help?: boolean;
  /** Values after `--`, which may begin with a dash. */
  readonly '--'?: readonly string[];
}

const forAdministrators = namedControlsOf(administratorControls);
const all = [...namedControlsOf(controls), ...forAdministrators];

/** Run a control of a running emulator over HTTP, print its answer, and return the exit code. */
export async function runControl(
  name: string | undefined,
  values: readonly string[],
  flags: ControlFlags,
): Promise<number> {
  if (flags.list) {
    print(listText(all));
    return 0;
  }
  const named = controlNamed(name);
  if (flags.help) {
    print(helpText(named));
    return 0;
  }
  const fields = {
    ...(flags.stdin && parseFields(await text(process.stdin))),
    ...readArguments(named, [...values, ...(flags['--'] ?? [])]),
  };
  const { pathValues, payload } = checkArguments(named, fields);
  const answer = await addressOf(named, flags)
    .then((address) => sendControl(address, named, pathValues, payload))
    .catch((error: unknown) => explain(error, flags));
  const file = named.control.answer && String(answer ?? '');
  if (file !== undefined) process.stdout.write(process.stdout.isTTY ? printableLines(file) : file);
  else if (!flags.json) print(answer === undefined ? 'Done.' : readable(answer));
  else if (answer !== undefined) print(printableJson(answer));
  return 0;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function controlNamed(name: string | undefined): NamedControl {
  const named = all.find((one) => one.name === name);
  if (named) return named;
  const problem = name === undefined ? 'No control was given' : `The emulator has no control ${JSON.stringify(name)}`;
  const suggestion = didYouMean(
    name ?? '',
    all.map((one) => one.name),
  );
  throw new CommandError(`${problem}${suggestion || '.'} Run sallyport control --list to see the controls.`);
}

/** Why an address is refused. It is not quoted, because it may contain a password. */
const addressProblems: Partial<Record<ConfigurationError['code'], string>> = {
  invalid_base_url: 'must be an address such as http://localhost:4100, without credentials, query or fragment',
  insecure_base_url:
    'would send your key in plain text to another machine. Use https:, or add --allow-insecure on a network you trust',
};

/** Explain a wrong key or address. On the command line, it comes from a flag or a variable, not from an option. */
function explain(error: unknown, { url }: ControlFlags): never {
  if (error instanceof EmulatorRefusal && error.status === 401)
    throw new CommandError(
      'The emulator does not know this key. Pass the key that it printed when it started: with --api-key, or with --admin-key for worlds.',
    );
  const problem = error instanceof ConfigurationError ? addressProblems[error.code] : undefined;
  if (problem === undefined) throw error;
  throw new CommandError(`${url === undefined ? 'SALLYPORT_BASE_URL' : '--url'} ${problem}.`);
}

/** Find the emulator, and the key for a control. */
async function addressOf(named: NamedControl, flags: ControlFlags): Promise<RemoteWorld> {
  const variables = variablesOf(process.cwd(), process.env);
  const inShell = variables.get('SALLYPORT_BASE_URL');
  // As in `sallyport dev`, a base URL in a file is ignored, because it points to a deployment.
  const fallback = inShell?.source === shell ? inShell.value : undefined;
  const address = flags.url ?? fallback;
  const { allowInsecure } = flags;
  const baseUrl = String(address ?? `http://127.0.0.1:${defaultPort}`);
  const keyIn = (name: string): string | undefined => {
    const variable = variables.get(name);
    // A key in a file of the project is not for any other address.
    return address === undefined || variable?.source === shell ? variable?.value : undefined;
  };
  const isForAdministrator = forAdministrators.includes(named);
  if (!isForAdministrator && flags.world === undefined) {
    const apiKey = String(flags.apiKey ?? keyIn('SALLYPORT_API_KEY') ?? emulatorOptions.apiKey.default);
    return { baseUrl, apiKey, allowInsecure };
  }
  const adminKey = flags.adminKey ?? keyIn('SALLYPORT_ADMIN_KEY');
  if (adminKey === undefined)
    throw new CommandError(
      `${isForAdministrator ? named.name : '--world'} needs the administrator key, which sallyport emulator prints. Pass --admin-key, or set SALLYPORT_ADMIN_KEY${address === undefined ? '' : ' in your shell'}.`,
    );
  if (isForAdministrator) return { baseUrl, apiKey: String(adminKey), allowInsecure };
  const { apiKey } = await worldsAt({ baseUrl, adminKey: String(adminKey), allowInsecure }).get(String(flags.world));
  return { baseUrl, apiKey, allowInsecure };
}
