import { createEmulatorWith, type DevSettings, isLoopback, type Source } from '../emulator/command-line.js';
import { type Emulator, EmulatorError, type EmulatorOptions, type HttpsOptions, type Seed } from '../emulator/index.js';
import { banner } from './banner.js';
import { pc } from './colours.js';
import { fileOfFlag } from './flag-file.js';
import { printableJson, printableLines } from './printable.js';
import { Refusal } from './refusal.js';
import { requestLine } from './request-line.js';
import { chosenSeed, type SeedFlags } from './seed-file.js';
import { changesText, refusalText } from './seed-texts.js';
import { peopleIn, peopleLines } from './seeded-people.js';
import { watchSeed } from './watch-seed.js';

/** The flags of an emulator as the parser gives them: what looks like a number is one. */
export interface EmulatorFlags extends SeedFlags {
  readonly port: string | number;
  readonly host: string | number;
  readonly dialect: string | number;
  readonly autoApprove?: boolean;
  readonly applicationName?: string | number;
  readonly issuer?: string | number;
  readonly accessTokenSeconds?: string | number;
  readonly signingKey?: string | number;
  readonly httpsCert?: string | number;
  readonly httpsKey?: string | number;
  readonly publicUrl?: string | number;
  readonly allowHost?: string | number | readonly (string | number)[];
  readonly rateLimits?: boolean;
  readonly adminKey?: string | number;
  readonly state?: string | number;
}

/** Reads a port. Anything else would silently become another one. */
const portOf = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Refusal(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
};

/** Reads how long access tokens work: a token that has expired when it is issued helps nobody. */
const secondsOf = (text: string): number => {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw new Refusal(
    `--access-token-seconds must be a whole number of seconds, at least 1, not ${JSON.stringify(text)}.`,
  );
};

const textOf = (flag: string | number | undefined): string | undefined =>
  flag === undefined ? undefined : String(flag);

/** Certificate and key of HTTPS; undefined for HTTP. @throws {Refusal} One is there without the other. */
function httpsOf({ httpsCert, httpsKey }: EmulatorFlags): HttpsOptions | undefined {
  const cert = fileOfFlag('--https-cert', httpsCert);
  const key = fileOfFlag('--https-key', httpsKey);
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new Refusal(
    `--https-cert and --https-key go together: a certificate and its private key, in PEM. ${cert === undefined ? '--https-cert' : '--https-key'} is missing.`,
  );
}

/** An emulator under way. */
interface Started {
  readonly emulator: Emulator;
  /** The seed file that it began with. */
  readonly seed: Source | undefined;
  /** Whether the port was taken, and it listens on one behind it. */
  readonly isElsewhere: boolean;
}

/** Listens on the first of some ports that is free; gives that. */
async function listenFrom(first: number, last: number, listen: (port: number) => Promise<string>): Promise<number> {
  for (let port = first; ; port++)
    try {
      await listen(port);
      return port;
    } catch (error) {
      if (!(error instanceof EmulatorError) || error.code !== 'port_in_use' || port >= last) throw error;
    }
}

/** How many ports behind the first are tried. */
const mostPorts = 20;

/** Start an emulator that listens, as the flags say. With `takesNextPort` it tries later ports if the port is taken. */
export async function startEmulator(
  flags: EmulatorFlags,
  more: EmulatorOptions = {},
  devSettings: DevSettings = {},
  takesNextPort = false,
): Promise<Started> {
  const port = portOf(String(flags.port));
  const host = String(flags.host);
  const https = httpsOf(flags);
  const seed = await chosenSeed(flags);
  const options: EmulatorOptions = {
    ...more,
    // Read already: a source is taken wherever its path is.
    seed: (seed as Seed | undefined) ?? more.seed,
    // Checked by createEmulator, which names the dialects there are.
    dialect: flags.dialect as NonNullable<EmulatorOptions['dialect']>,
    autoApprove: flags.autoApprove,
    rateLimits: flags.rateLimits,
    applicationName: textOf(flags.applicationName),
    issuer: textOf(flags.issuer),
    signingKey: fileOfFlag('--signing-key', flags.signingKey),
    publicUrl: textOf(flags.publicUrl),
    adminKey: textOf(flags.adminKey),
    state: textOf(flags.state),
    allowHosts: [flags.allowHost ?? []].flat().map(String),
    accessTokenSeconds:
      flags.accessTokenSeconds === undefined ? undefined : secondsOf(String(flags.accessTokenSeconds)),
  };
  const emulator = await createEmulatorWith(options, devSettings);
  let listensOn: number;
  try {
    const last = takesNextPort ? port + mostPorts : port;
    listensOn = await listenFrom(port, last, (at) => emulator.listen(at, host, https && { https }));
  } catch (error) {
    await emulator.close();
    throw error;
  }
  warnOfStrangers(host);
  return { emulator, seed, isElsewhere: listensOn !== port };
}

/** What `sallyport emulator` prints. */
interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs an emulator until it is told to stop, and prints a line for each request. */
export async function runEmulator({ json, quiet, ...flags }: EmulatorFlags & OutputFlags): Promise<void> {
  const { emulator, seed } = await startEmulator(flags);
  stopWhenTold(emulator);
  const { adminKey, credentials, url } = emulator;
  const { apiKey, clientId } = credentials;
  const jsonLine = (value: unknown): string => `${printableJson(value)}\n`;
  const print = (text: string): unknown => process.stdout.write(text);
  // Before it is said that everything is there, so that no change goes unseen.
  if (flags.watch && seed)
    watchSeed(emulator, seed, {
      changed: (file, changes) => print(json ? jsonLine({ seed: file, changes }) : changesText(file, changes)),
      refused: (why) => process.stderr.write(refusalText(why)),
    });
  print(
    json
      ? jsonLine({ url, apiKey, clientId, adminKey, seed: seed?.file, state: emulator.state?.file })
      : banner(emulator, { seed: seed?.file, people: peopleLines(await peopleIn(seed)) }),
  );
  if (quiet) return;
  for (const environment of [emulator, emulator.production])
    environment.onRequest((request) => print(json ? jsonLine(request) : requestLine(request)));
}

/** Stops on the first signal, or when nobody reads any more what it prints; a second signal does not wait. */
const stopWhenTold = (emulator: Emulator): void => {
  const stop = (): void =>
    void emulator.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(
          `${pc.red('sallyport:')} ${printableLines(error instanceof Error ? error.message : String(error))}\n`,
        );
        process.exit(1);
      },
    );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') stop();
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
