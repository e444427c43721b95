#!/usr/bin/env node
import { cac } from 'cac';
import pc from 'picocolors';
import { createEmulator, type Emulator, type EmulatorOptions } from '../emulator/index.js';
import { isLoopback } from '../emulator/server/loopback.js';
import { isErrorOfSallyport, redact } from '../errors/index.js';
import { version } from '../version.js';
import { addOptions, emulatorTasks, helpByTask } from './tasks.js';

/** As the parser gives them: what looks like a number is one. */
interface EmulatorFlags {
  readonly port: string | number;
  readonly host: string | number;
  readonly seed?: string | number;
  readonly dialect: string | number;
  readonly autoApprove?: boolean;
  readonly applicationName?: string | number;
  readonly issuer?: string | number;
  readonly accessTokenSeconds?: string | number;
  readonly publicUrl?: string | number;
  readonly allowHost?: string | number | readonly (string | number)[];
  readonly rateLimits?: boolean;
  readonly json?: boolean;
}

const fail = (message: string): never => {
  process.stderr.write(`${pc.red('sallyport:')} ${message}\n`);
  process.exit(1);
};

const messageOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message : String(error)).replace(/[^.!?]$/, '$&.');

/** Reads a port. Anything else would silently become another one. */
const portOf = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : fail(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
};

/** Reads how long access tokens work: a token that has expired when it is issued helps nobody. */
const secondsOf = (text: string): number => {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds > 0
    ? seconds
    : fail(`--access-token-seconds must be a whole number of seconds, at least 1, not ${JSON.stringify(text)}.`);
};

const banner = ({ url, credentials, production }: Emulator): string => {
  const line = (name: string, value: string): string => `  ${pc.dim(name.padEnd(10))} ${value}\n`;
  return [
    `\n${pc.bold('Sallyport emulator')} ${pc.dim(version)}\n\n`,
    line('address', pc.cyan(url)),
    line('API key', credentials.apiKey),
    line('client id', credentials.clientId),
    line('production', `${production.credentials.apiKey} with ${production.credentials.clientId}`),
    line('inbox', `${url}/_emulator/inbox`),
    line('controls', `${url}/_emulator/… as in docs/emulator-controls.md of the package`),
    `\n  Point the client at it:\n\n`,
    `    export SALLYPORT_BASE_URL=${url}\n`,
    `    export SALLYPORT_API_KEY=${credentials.apiKey}\n`,
    `    export SALLYPORT_CLIENT_ID=${credentials.clientId}\n`,
    `\n  ${pc.dim('Ctrl+C stops it; what it remembers is gone then.')}\n\n`,
  ].join('');
};

/** Stops on the first signal; a second one does not wait. */
const stopOnSignal = (emulator: Emulator): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void emulator.close().then(() => process.exit(0));
    });
};

/** Whoever reaches the machine reaches what listens beyond the loopback. */
const warnOfStrangers = (host: string): void => {
  if (isLoopback(host)) return;
  const lines = [
    `WARNING: on ${host} the emulator answers whoever can reach this machine.`,
    'Its API key is known to everybody, and its controls show every code, link and token.',
    'Leave --host out to keep it to yourself.',
  ];
  for (const line of lines) process.stderr.write(`${pc.yellow('sallyport:')} ${pc.bold(line)}\n`);
};

async function runEmulator(flags: EmulatorFlags): Promise<void> {
  const port = portOf(String(flags.port));
  const host = String(flags.host);
  const emulator = await createEmulator({
    seed: flags.seed === undefined ? undefined : String(flags.seed),
    // Checked by createEmulator, which names the dialects there are.
    dialect: flags.dialect as NonNullable<EmulatorOptions['dialect']>,
    autoApprove: flags.autoApprove,
    rateLimits: flags.rateLimits,
    applicationName: flags.applicationName === undefined ? undefined : String(flags.applicationName),
    issuer: flags.issuer === undefined ? undefined : String(flags.issuer),
    publicUrl: flags.publicUrl === undefined ? undefined : String(flags.publicUrl),
    allowHosts: [flags.allowHost ?? []].flat().map(String),
    accessTokenSeconds:
      flags.accessTokenSeconds === undefined ? undefined : secondsOf(String(flags.accessTokenSeconds)),
  });
  stopOnSignal(emulator);
  await emulator.listen(port, host);
  warnOfStrangers(host);
  const { apiKey, clientId } = emulator.credentials;
  process.stdout.write(flags.json ? `${JSON.stringify({ url: emulator.url, apiKey, clientId })}\n` : banner(emulator));
}

const cli = cac('sallyport');
addOptions(cli.command('emulator', 'Run a local emulator of the service'), emulatorTasks)
  .usage('emulator [options]')
  .example('sallyport emulator --port 4100 --seed company.yaml')
  .action(runEmulator);
cli.help((sections) => helpByTask(sections, emulatorTasks));
cli.version(version);

try {
  cli.parse(process.argv, { run: false });
  const isHelpOrVersion = cli.options.help === true || cli.options.version === true;
  if (!cli.matchedCommand && !isHelpOrVersion) {
    const [name] = cli.args;
    const problem = name === undefined ? 'Say what to run' : `There is no command ${JSON.stringify(name)}`;
    if (process.argv.length > 2) fail(`${problem}. Run sallyport --help to see what there is.`);
    cli.outputHelp();
  }
  await cli.runMatchedCommand();
} catch (error) {
  fail(isErrorOfSallyport(error) ? messageOf(error) : `${messageOf(error)} Run sallyport emulator --help.`);
}
