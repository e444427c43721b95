import { text } from 'node:stream/consumers';
import {
  administratorControls,
  controls,
  type NamedControl,
  namedControlsOf,
  sendControl,
} from '../../emulator/command-line.js';
import { Refusal, type RemoteWorld, worldsAt } from '../../emulator/index.js';
import { emulatorOptions } from '../../emulator/world/options.js';
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
    .then((address) => sendControl(address, named.operation, pathValues, payload))
    .catch(explainWrongKey);
  if (named.control.answer) process.stdout.write(process.stdout.isTTY ? printableLines(answer) : answer);
  else if (!flags.json) print(answer === '' ? 'Done.' : readable(JSON.parse(answer)));
  else if (answer !== '') print(printableJson(JSON.parse(answer)));
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

/** The emulator explains a wrong key to programs. On the command line, it comes from a flag or a variable. */
function explainWrongKey(error: unknown): never {
  if (!(error instanceof Refusal) || error.status !== 401) throw error;
  throw new CommandError(
    'The emulator does not know this key. Pass the key that it printed when it started: with --api-key, or with --admin-key for worlds.',
  );
}

/** Find the emulator, and the key for a control. */
async function addressOf(named: NamedControl, flags: ControlFlags): Promise<RemoteWorld> {
  const variables = variablesOf(process.cwd(), process.env);
  const inShell = variables.get('SALLYPORT_BASE_URL');
  // As in `sallyport dev`, a base URL in a file is ignored, because it points to a deployment.
  const fallback = inShell?.source === shell ? inShell.value : `http://127.0.0.1:${defaultPort}`;
  const baseUrl = String(flags.url ?? fallback);
  const keyIn = (name: string): string | undefined => {
    const variable = variables.get(name);
    // A key in a file of the project is not for any other address.
    return flags.url === undefined || variable?.source === shell ? variable?.value : undefined;
  };
  const isForAdministrator = forAdministrators.includes(named);
  if (!isForAdministrator && flags.world === undefined)
    return { baseUrl, apiKey: String(flags.apiKey ?? keyIn('SALLYPORT_API_KEY') ?? emulatorOptions.apiKey.default) };
  const adminKey = flags.adminKey ?? keyIn('SALLYPORT_ADMIN_KEY');
  if (adminKey === undefined)
    throw new CommandError(
      `${isForAdministrator ? named.name : '--world'} needs the administrator key, which sallyport emulator prints. Pass --admin-key, or set SALLYPORT_ADMIN_KEY.`,
    );
  if (isForAdministrator) return { baseUrl, apiKey: String(adminKey) };
  const { apiKey } = await worldsAt({ baseUrl, adminKey: String(adminKey) }).get(String(flags.world));
  return { baseUrl, apiKey };
}
